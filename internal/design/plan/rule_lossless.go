package plan

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/fabric"
	"linerate/internal/device"
	"linerate/internal/device/families"
	"linerate/internal/record"
)

var ruleLossless = Rule{
	ID:    device.RuleLossless,
	Title: "devices that can do what a lossless class asks",
	Why:   "one device on the path without PFC drops what all others hold back for",
	Worst: record.Error,
	check: func(c *checkup) {
		c.gaps(device.RuleLossless)
		lossless := c.lossless()
		if len(lossless) == 0 {
			return
		}
		class := "class " + lossless[0].Name
		for _, s := range c.p.Switches {
			if len(c.bySwitch[s.Name]) > 0 {
				c.switchAbility(s, class)
			}
		}
		for _, n := range c.nics {
			if n.Mode != "ib" && n.Part != nil {
				c.nicAbility(n, class)
			}
		}
	},
}

func (c *checkup) switchAbility(s *Switch, class string) {
	line, subject := s.Decl.At.Line, "switch "+s.Name
	if s.Part == nil || s.Part.Switch == nil {
		c.info(subject, line, "write part: .. at the switch",
			"whether it has PFC, which %s asks for, is not known, because the file does not say which switch it is", class)
		return
	}
	if infiniBandOnly(side{part: s.Part}) {
		return // InfiniBand loses nothing by itself
	}
	pfc := s.Part.Switch.PFC
	if !pfc.Or(true) {
		return // a gap of the switch reports that it has no PFC
	}
	var unknown []string
	if !pfc.IsKnown() {
		unknown = append(unknown, "PFC")
	}
	marks := slices.ContainsFunc(c.f.Classes, func(x fabric.Class) bool { return x.ECN })
	if marks && !s.Part.Switch.ECN.IsKnown() {
		unknown = append(unknown, "ECN")
	}
	if len(unknown) > 0 {
		c.info("part "+s.Part.Name, line, "look into its manual before buying",
			"whether it has %s, which %s asks for, is not known, %s", strings.Join(unknown, " and "), class, because(s.Part))
	}
	if system := s.system(); system != nil && system.Switch.Lossless != nil {
		c.collect(subject, line, func(gaps *device.Collector) { system.Switch.Lossless(gaps, c.p.asSwitch(s, nil)) })
	}
}

func (c *checkup) nicAbility(n usedNIC, class string) {
	part, line := n.Part, n.At.Line
	if part.Confidence == catalog.Declared {
		return
	}
	d, drivers, title, ok := driverOf(n.host.Decl, part)
	severity := record.Warning
	if strings.HasPrefix(n.RDMA, "roce") {
		severity = record.Error
	}
	if ok && !d.PFC.Or(true) {
		c.report(severity, n.id(), line, "run another system there, take another NIC, or leave the host out of the class",
			"%s asks for PFC, and driver %s on %s has none", class, d.Driver, title)
		return
	}
	if system := families.OfHost(drivers); system != nil && system.Host.LosslessNIC != nil {
		c.collect("part "+part.Name, line, func(gaps *device.Collector) {
			system.Host.LosslessNIC(gaps, device.NIC{Part: part, Driver: d, System: title, RDMA: n.RDMA})
		})
	}
}

var ruleMarking = Rule{
	ID:    "class-marking",
	Title: "marks that sort packets into their class",
	Why:   "a packet without the mark that the switch trusts goes with everything else, and is dropped with it",
	Worst: record.Warning,
	check: func(c *checkup) {
		lossless := c.lossless()
		if len(lossless) == 0 {
			return
		}
		for _, x := range lossless {
			if (c.f.Trust == "dscp" || c.f.Trust == "") && x.DSCP < 0 {
				c.warn("class "+x.Name, x.At.Line, "write dscp: 26 at the class, or trust: pcp",
					"packets are sorted by DSCP, and the class has none")
			}
		}
		switch c.f.Trust {
		case "pcp":
			for i, l := range c.p.Links {
				if l.VLAN == 0 && !l.InfiniBand {
					c.warn("link "+l.Name, c.f.Links[i].At.Line, "write vlan: .. at its subnet, or trust: dscp",
						"trust is pcp, and the link has no VLAN: frames without a tag have no priority")
				}
			}
		case "port":
			c.warn("class "+lossless[0].Name, lossless[0].At.Line, "write trust: dscp",
				"trust is port: everything that enters a port is then of one class, web pages and pings too")
		default:
			for _, n := range c.nics {
				if n.RDMA == "rocev1" {
					c.warn(n.id(), n.At.Line, "write trust: pcp and a VLAN, or take NICs with RoCE v2",
						"packets are sorted by DSCP, and RoCE v1 has no IP header to carry one")
				} else if only := n.Part; n.RDMA == "" && n.Mode != "ib" && only != nil &&
					onlyRoCEv1(only.RDMA) {
					c.info(n.id(), n.At.Line, "take a NIC with RoCE v2, or write trust: pcp and a VLAN",
						"packets are sorted by DSCP, and %s has RoCE v1 only, whose packets carry none; its TCP is not concerned",
						only.Name)
				}
			}
		}
	},
}

func onlyRoCEv1(transports []string) bool {
	v1 := false
	for _, t := range transports {
		if strings.HasPrefix(t, "roce") && t != "rocev1" || t == "iwarp" {
			return false
		}
		v1 = v1 || t == "rocev1"
	}
	return v1
}

var ruleHeadroom = Rule{
	ID:    "pfc-headroom",
	Title: "headroom of the lossless ports against the switch's buffer",
	Why: "between a pause frame and the sender's stop packets keep coming; what has no room is dropped in a class " +
		"that may not drop",
	Worst: record.Warning,
	check: func(c *checkup) {
		classes := len(c.lossless())
		if classes == 0 {
			return
		}
		for _, s := range c.p.Switches {
			c.headroom(s, classes)
		}
	},
}

// assumedMetres is the length of a cable for which the file gives none.
const assumedMetres = 10

// headroom adds up what the lossless ports of a switch need. It omits a switch whose PFC is missing or not known, which
// the rule lossless-ability reports.
func (c *checkup) headroom(s *Switch, classes int) {
	if s.Part == nil || s.Part.Switch == nil || infiniBandOnly(side{part: s.Part}) || !s.Part.Switch.PFC.Or(false) {
		return
	}
	var sum unit.Bytes
	ports, assumed := 0, 0
	for _, i := range c.bySwitch[s.Name] {
		l := c.p.Links[i]
		if l.Speed == 0 || l.InfiniBand {
			continue
		}
		metres, known := l.LengthM.Get()
		if !known {
			metres = assumedMetres
			assumed++
		}
		h := ceiling.UsualHeadroom(l.Speed, metres)
		h.PortMTU = max(l.MTU+100, 1600)
		_, size, err := ceiling.PFCHeadroom(h)
		if err != nil {
			continue // faster than the table of pause times
		}
		ports++
		sum += size * unit.Bytes(classes)
	}
	if ports == 0 {
		return
	}
	text := fmt.Sprintf("%s with a lossless class take about %s of buffer to stop a sender without loss (estimate, "+
		"+-30 %%)", unit.Counted(ports, "port"), sum)
	if assumed > 0 {
		text += fmt.Sprintf("; %d of the cables are taken to be %d m long, because the file does not say", assumed,
			assumedMetres)
	}
	line := s.Decl.At.Line
	buffer, known := s.Part.Switch.Buffer.Get()
	switch {
	case !known:
		c.info("part "+s.Part.Name, line, "look for its buffer in the data sheet",
			"%s; what it has is not known, %s", text, because(s.Part))
	case float64(sum) > 0.7*float64(buffer):
		c.warn("switch "+s.Name, line, "use fewer lossless ports, shorter cables, or a switch with more buffer",
			"%s, and it has %s for everything", text, buffer)
	default:
		c.info("switch "+s.Name, line, "", "%s; it has %s for everything", text, buffer)
	}
}
