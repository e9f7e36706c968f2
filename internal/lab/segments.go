package lab

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
)

// Segment is a wire of a lab: the interfaces at its two ends.
type Segment struct {
	Link  string // of the plan; empty for an unplugged port and a virtual function
	Speed unit.BitRate
	MTU   int
	Ends  [2]SegmentEnd
}

// SegmentEnd is an interface in a host or a switch.
type SegmentEnd struct {
	Host      string // or switch
	Interface string
	Bridge    string // of a switch: what the interface is a port of
}

// Segments are the wires that the lab of a plan has.
func Segments(p *plan.Plan) []Segment {
	var out []Segment
	for _, w := range newLayout(p).Wires {
		s := Segment{Link: w.Link, Speed: w.Speed, MTU: w.MTU}
		for i, e := range w.Ends {
			s.Ends[i] = SegmentEnd{Host: e.Host, Interface: e.Interface, Bridge: e.Bridge}
		}
		out = append(out, s)
	}
	return out
}
