package dcb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// Port is a used Ethernet port of a switch.
type Port struct {
	plan.SwitchPort
	Peer   string            // the port at the other end: n01.cx5.1
	Switch bool              // the other end is a switch
	Length unit.Opt[float64] // of the cable, in metres
}

// Ports are the used Ethernet ports of a switch in the order of their numbers, and how many more carry InfiniBand.
func Ports(p *plan.Plan, s *plan.Switch) (eth []Port, infiniBand int) {
	for _, sp := range s.Ports {
		x := Port{SwitchPort: sp, Length: unit.Unknown[float64]("the link is not in the plan")}
		if l := p.Link(sp.Link); l != nil {
			if l.InfiniBand {
				infiniBand++
				continue
			}
			x.Length = l.LengthM
			for i, end := range l.Ends {
				if end.ID == sp.ID {
					x.Peer, x.Switch = l.Ends[1-i].ID, l.Ends[1-i].Switch != ""
				}
			}
		}
		eth = append(eth, x)
	}
	slices.SortStableFunc(eth, func(a, b Port) int {
		return cmp.Or(a.Index-b.Index, a.Lane-b.Lane)
	})
	return eth, infiniBand
}

// InfiniBand says whether a switch carries nothing but InfiniBand.
func InfiniBand(p *plan.Plan, s *plan.Switch) bool {
	eth, ib := Ports(p, s)
	return ib > 0 && len(eth) == 0
}

// Title says what a switch is: "Mellanox SN2010, Onyx 3.10.4606".
func Title(s *plan.Switch, system string) string {
	name := "switch"
	if s.Part != nil && s.Part.Name != "" {
		name = s.Part.Name
	}
	if v := VersionText(s); v != "" {
		system += " " + v
	}
	return name + ", " + system
}

// Runs joins ports with neighbouring numbers, without lanes, to runs of first and last. same says which may stand together.
func Runs(ports []Port, same func(a, b Port) bool) [][2]Port {
	var out [][2]Port
	for _, x := range ports {
		if n := len(out); n > 0 && x.Lane == 0 && out[n-1][1].Lane == 0 && out[n-1][1].Index+1 == x.Index && same(out[n-1][1], x) {
			out[n-1][1] = x
			continue
		}
		out = append(out, [2]Port{x, x})
	}
	return out
}

// Cabling are lines that say what is plugged in where: "1/19  lin.cx5.1  2 m".
func Cabling(ports []Port, name func(Port) string) []string {
	var rows [][]string
	for _, x := range ports {
		length := "length not known"
		if m, ok := x.Length.Get(); ok {
			length = fmt.Sprintf("%g m", m)
		}
		rows = append(rows, []string{name(x), x.Peer, strings.TrimSpace(x.Speed.String()), length})
	}
	return device.Columns(rows)
}
