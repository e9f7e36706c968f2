package plan

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

var ruleHeadroom = Rule{
	ID:    "pfc-headroom",
	Title: "headroom of the lossless ports against the switch's buffer",
	Why:   "between a pause frame and the sender's stop packets keep coming; what has no room is dropped in a class that may not drop",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		classes := len(c.lossless())
		if classes == 0 {
			return nil
		}
		var out []record.Problem
		for _, s := range c.p.Switches {
			if p, ok := c.headroom(s, classes); ok {
				out = append(out, p)
			}
		}
		return out
	},
}

// assumedMetres is how long a cable is taken to be that the file gives no length.
const assumedMetres = 10

// headroom adds up what the lossless ports of a switch need. A switch whose PFC is
// not known, or known to be missing, has a greater trouble, which lossless-ability tells.
func (c *checkup) headroom(s *Switch, classes int) (record.Problem, bool) {
	if s.Part == nil || s.Part.Switch == nil || infiniBandOnly(side{part: s.Part}) || !s.Part.Switch.PFC.Or(false) {
		return record.Problem{}, false
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
		return record.Problem{}, false
	}
	text := fmt.Sprintf("%s with a lossless class take about %s of buffer to stop a sender without loss (estimate, +-30 %%)", counted(ports, "port"), sum)
	if assumed > 0 {
		text += fmt.Sprintf("; %d of the cables are taken to be %d m long, because the file does not say", assumed, assumedMetres)
	}
	line := s.Decl.At.Line
	buffer, known := s.Part.Switch.Buffer.Get()
	switch {
	case !known:
		return said(record.Info, "part "+s.Part.Name, line, "look for its buffer in the data sheet", "%s; what it has is not known, %s", text, because(s.Part)), true
	case float64(sum) > 0.7*float64(buffer):
		return said(record.Warning, "switch "+s.Name, line, "use fewer lossless ports, shorter cables, or a switch with more buffer",
			"%s, and it has %s for everything", text, buffer), true
	}
	return said(record.Info, "switch "+s.Name, line, "", "%s; it has %s for everything", text, buffer), true
}
