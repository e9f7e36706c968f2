package plan

import (
	"fmt"
	"linerate/internal/record"
	"slices"
	"strings"
)

// SwitchLacks are what a switch is not told of the plan.
func (p *Plan) SwitchLacks(s *Switch) Lacks {
	l := &lacking{p: p, subject: "switch " + s.Name}
	if s.Decl != nil {
		l.line = s.Decl.At.Line
	}
	ports, ib := p.Ethernet(s)
	if ib > 0 && len(ports) == 0 {
		return nil // InfiniBand has its own flow control, and none of these settings
	}
	l.model(s, ports)
	os := s.System()
	if SystemOf(os) == nil {
		l.noSystem(os)
		return l.out
	}
	l.systemMTU(SystemOf(os), ports)
	l.portNames(s, ports)
	if slices.ContainsFunc(l.out, func(x Lack) bool { return x.LeftOut }) {
		return l.out // the rest of what it would not be told does not matter
	}
	q := p.QoS()
	switch os {
	case "routeros":
		l.routerOS(s, q, ports)
	case "onyx", "mlnx-os":
		l.onyx(s, q)
	case "cumulus":
		l.cumulus(s, q, ports)
	case "sonic":
		l.sonic(s, q, ports)
	case "eos":
		l.eos(s, q, ports)
	}
	return l.out
}

func (l *lacking) noSystem(os string) {
	if os == "" {
		l.add(record.Warning, "", "write os: routeros, onyx, mlnx-os, cumulus, sonic or eos", "neither the file nor the catalogue says its system").leftOut()
		return
	}
	l.add(record.Warning, "", "what it has to do stands in the plan", "there is no documented way to configure %s here", os).leftOut()
}

// tagBytes is what a VLAN's tag adds to a frame.
const tagBytes = 4

// model holds the plan against what the model itself can do, whatever it runs.
func (l *lacking) model(s *Switch, ports []SwitchPort) {
	if s.Part == nil || s.Part.Switch == nil {
		return
	}
	info := s.Part.Switch
	if limit, ok := info.L2MTU.Get(); ok {
		for _, x := range ports {
			need := x.MTU
			if x.VLAN != 0 {
				need += tagBytes
			}
			if need > limit {
				l.add(record.Error, "", "lower mtu", "packets of %d bytes are to go through it, and the largest that %s takes is %d", need, s.Part.Name, limit).by(ruleMTUID)
				break
			}
		}
	}
	q := l.p.QoS()
	if q == nil || len(ports) == 0 {
		return
	}
	name := s.Part.Name
	if info.Chip != "" {
		name += " (" + info.Chip + ")"
	}
	pfc, known := info.PFC.Get()
	if lossless := q.Lossless(); len(lossless) > 0 && known && !pfc {
		l.add(record.Error, "", "take a switch with PFC, or make the class lossless: false", "class %s asks for PFC, and %s has none", q.Class(lossless[0]).Name, name).by(ruleLosslessID)
		return
	}
	ecn, known := info.ECN.Get()
	for _, c := range q.Classes {
		if c.ECN && known && !ecn {
			l.add(record.Error, "", "take a switch with ECN, or write ecn: false", "class %s asks for ECN, and %s has none", c.Name, name).by(ruleLosslessID)
			return
		}
	}
}

// systemMTU holds the MTU of each port against the most that the system takes.
func (l *lacking) systemMTU(sys *SwitchSystem, ports []SwitchPort) {
	over := map[int]int{}
	for _, x := range ports {
		if sys.MTU > 0 && x.MTU > sys.MTU {
			over[x.MTU]++
		}
	}
	var sizes []int
	for mtu := range over {
		sizes = append(sizes, mtu)
	}
	slices.Sort(sizes)
	for _, mtu := range sizes {
		fix := fmt.Sprintf("write mtu: %d or less", sys.MTU)
		if sys.MTUMost {
			l.add(record.Error, "", fix, "the plan has MTU %d on %d of its ports, and the most that %s takes is %d (%s)", mtu, over[mtu], sys.Name, sys.MTU, sys.MTUFrom).by(ruleMTUID)
			continue
		}
		l.add(record.Warning, "", fix+", or raise it by hand if the switch takes it",
			"the plan has MTU %d on %d of its ports, and the most that is documented for %s is %d (%s): config leaves their MTU alone", mtu, over[mtu], sys.Name, sys.MTU, sys.MTUFrom).by(ruleMTUID)
	}
}

// many says whether a port of the switch leads to another switch.
func (l *lacking) many(ports []SwitchPort) bool {
	return slices.ContainsFunc(ports, func(x SwitchPort) bool {
		link := l.p.Link(x.Link)
		return link != nil && link.Ends[0].Switch != "" && link.Ends[1].Switch != ""
	})
}

// OffBlock are the code points of a class that a map by blocks of eight (0-7 to 0, 8-15 to 1, .. 56-63 to 7) sorts elsewhere.
func (c QoSClass) OffBlock() []int {
	var out []int
	for _, d := range c.DSCP {
		if d/8 != c.Priority {
			out = append(out, d)
		}
	}
	return out
}

// commas writes numbers with a comma between them.
func commas(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}
