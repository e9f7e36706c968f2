package plan

import (
	"fmt"
	"linerate/internal/record"
	"slices"
	"strings"
)

// SONiCLossless are the priorities that SONiC's own template makes lossless, and the only ones that its buffers know.
var SONiCLossless = []int{3, 4}

// EOSOwn is the priority, and the traffic class, that EOS keeps for its control traffic.
const EOSOwn = 7

// OnyxPools is the release of Onyx that brought traffic pools.
var OnyxPools = []int{3, 6, 5000}

// SONiCCableSince is the release of SONiC that brought the lengths of cables.
var SONiCCableSince = []int{202006}

// CumulusSince is the first release of Cumulus Linux with NVUE.
var CumulusSince = []int{5, 0}

func (l *lacking) routerOS(s *Switch, q *QoS, ports []SwitchPort) {
	if q == nil {
		return
	}
	if q.Trust == "port" {
		l.add(record.Error, LackClasses, "write trust: dscp, or trust: pcp with VLANs", "trust: port does not say which port's traffic belongs to which class, which RouterOS has to be told")
	}
	lossless := q.Lossless()
	for _, x := range ports {
		if x.Speed == 0 && len(lossless) > 0 {
			l.add(record.Warning, LackClasses, "write a cable or card with its speed", "the speed of link %s is not known, and RouterOS wants it (egress-rate-queue) to obey PFC", x.Link).leftOut()
			break
		}
	}
	if v := RouterOS(s.ReleaseText()); len(lossless) > 1 && v.Known && !v.Before(7, RouterOSNewQoS) {
		l.add(record.Warning, LackBuffers, "make one class lossless, or look at its buffers by hand",
			"classes with priority %s are lossless, and MikroTik's manual gives lossless-traffic-class no form for more than one: it stays auto", commas(lossless))
	}
}

func (l *lacking) onyx(s *Switch, q *QoS) {
	if q == nil {
		return
	}
	for _, c := range q.Classes {
		if off := c.OffBlock(); len(off) > 0 && q.Trust == "dscp" {
			l.add(record.Warning, "", fmt.Sprintf("write a dscp from %d to %d at the class, or map it by hand", 8*c.Priority, 8*c.Priority+7),
				"class %s: DSCP %s is to have priority %d; Onyx gives it priority %d by itself, and the command that moves it was not found in a manual", c.Name, commas(off), c.Priority, off[0]/8).of(c.Name)
		}
		if c.ECN && s.switchX() {
			l.add(record.Warning, LackECN, "look into its manual, or take a switch with Spectrum", "class %s is not marked (ECN): whether SwitchX marks packets is not known here, and the document of the command is of Spectrum", c.Name).of(c.Name)
		}
	}
	lossless := q.Lossless()
	switch {
	case len(lossless) == 0:
	case s.switchX():
		l.add(record.Info, LackBuffers, "", "buffers of the lossless class (priority %s): SwitchX has no traffic pools; PFC uses the buffers that the switch gives each port. MLNX-OS 2 puts eight priorities into four buffers: several priorities may share one", commas(lossless))
	case s.Release().Before(OnyxPools...):
		l.add(record.Warning, LackBuffers, "update the switch, or set them as Mellanox DOC-2884 says",
			"buffers of the lossless class (priority %s): traffic pools are there from 3.6.5000 on, the file says %s, and the older form takes sizes that depend on port, cable and model", commas(lossless), s.ReleaseText())
	}
}

func (l *lacking) cumulus(s *Switch, q *QoS, ports []SwitchPort) {
	if s.Release().Before(CumulusSince...) {
		l.add(record.Error, "", "update the switch to 5.0 or later", "Cumulus Linux %s has no NVUE, and its older language (NCLU) is not rendered here", s.ReleaseText())
	}
	last := 0
	for _, x := range ports {
		if x.Lane > 0 && x.Index != last && float64(x.Speed) != 25e9 {
			l.add(record.Warning, LackLanes, "divide it by hand before apply.sh",
				"swp%d is not divided into lanes of %s: how many there can be, and whether the next port has to be given up for them, depends on the model (NVIDIA's guide, breakout ports)", x.Index, strings.TrimSpace(x.Speed.String())).at(x.ID)
		}
		last = x.Index
	}
	if q == nil || len(ports) == 0 {
		return
	}
	if chip := s.chip(); chip != "" && !s.spectrum() && len(q.Lossless()) > 0 {
		l.add(record.Warning, LackClasses, "take a switch with Spectrum, or set them by hand", "none of the fabric's classes is set: NVIDIA's guide describes them for Spectrum, and this switch has %s", chip)
	}
	if q.DCBX == "switch" && s.Release() == nil {
		l.add(record.Warning, LackDCBX, "write version: at the switch", "dcbx: switch: the word that turns the announcements on is `on` up to 5.14 and `enabled` from 5.15, and the file does not say the switch's version")
	}
}

func (l *lacking) sonic(s *Switch, q *QoS, ports []SwitchPort) {
	if q == nil || len(ports) == 0 {
		return
	}
	for _, p := range q.Lossless() {
		if !slices.Contains(SONiCLossless, p) {
			l.add(record.Error, LackClasses, "write priority: 3 or 4 at the class", "class %s is lossless with priority %d, and SONiC's template has buffers and maps for priorities 3 and 4 alone", q.Class(p).Name, p).by(ruleLosslessID)
		}
	}
	if q.Trust != "dscp" {
		l.add(record.Error, LackClasses, "write trust: dscp", "trust is %s, and SONiC's template sorts packets by DSCP (by anything else for storage back ends alone)", q.Trust)
	}
	for _, c := range q.Classes {
		if !c.ECN && slices.Contains(SONiCLossless, c.Priority) {
			l.add(record.Warning, LackECN, "write ecn: true, or another priority", "class %s is not to be marked; SONiC's template marks the queues 3 and 4, and a fragment cannot take that out", c.Name).of(c.Name)
		}
	}
	if q.DCBX == "switch" {
		l.add(record.Warning, LackDCBX, "write dcbx: none: hosts and switch have the same values without it", "dcbx: switch: community SONiC announces no classes by DCBX")
	}
	if len(q.Lossless()) == 0 {
		return
	}
	if s.Release().Before(SONiCCableSince...) {
		l.add(record.Warning, LackBuffers, "update the switch", "its buffers are not sized for the lengths of its cables: the command is there from 202006 on, and the file says %s", s.ReleaseText())
		return
	}
	unknown := 0
	for _, x := range ports {
		m, ok := l.cable(x)
		if !ok {
			unknown++
		} else if _, fits := SONiCCable(m); !fits {
			l.add(record.Warning, LackBuffers, "take a shorter cable, or set the buffers of the port by hand", "its buffers are not sized for its cable of %g m: SONiC has profiles up to 300 m", m).at(x.ID)
		}
	}
	if unknown > 0 {
		l.add(record.Info, LackBuffers+" of cables not known", "write the length of the cables", "cable lengths that the plan does not know stay what SONiC's template assumes (%s)", counted(unknown, "port"))
	}
}

// cable is the length of the cable in a port, in metres, if it is known.
func (l *lacking) cable(x SwitchPort) (float64, bool) {
	if link := l.p.Link(x.Link); link != nil {
		return link.LengthM.Get()
	}
	return 0, false
}

// SONiCCable is the shortest length that SONiC's buffers have a profile for and that a cable of m metres does not exceed.
func SONiCCable(m float64) (profile int, ok bool) {
	for _, c := range []int{5, 40, 300} {
		if m <= float64(c) {
			return c, true
		}
	}
	return 0, false
}

func (l *lacking) eos(s *Switch, q *QoS, ports []SwitchPort) {
	if q == nil || len(ports) == 0 {
		return
	}
	for _, c := range q.Classes {
		if c.Priority == EOSOwn && !c.Default {
			l.add(record.Error, LackClasses, "write another priority at the class", "class %s: priority 7 is EOS's own, for control traffic", c.Name).of(c.Name).by(ruleLosslessID)
		}
	}
	if chip := s.chip(); !strings.Contains(chip, "Trident") && !strings.Contains(chip, "Tomahawk") {
		l.add(record.Warning, LackShares, "set them by hand in a qos profile", "shares of the link and ECN are not set: a queue is called uc-tx-queue or tx-queue depending on the chip, and this switch's is not known here")
	}
	if len(q.Lossless()) > 0 && l.many(ports) {
		l.add(record.Warning, "", "set it by hand", "the PFC watchdog, which a fabric of several switches should have, is not set: EOS's watches only queues with guaranteed bandwidth, and how much to guarantee is not documented here")
	}
}
