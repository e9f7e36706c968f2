package dcb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// Port is a used Ethernet port of a switch.
type Port struct {
	plan.SwitchPort
	Peer   string            // the port at the other end: n01.cx5.1
	Switch bool              // the other end is a switch
	Length unit.Opt[float64] // of the cable, in metres
}

// ethernet returns the used Ethernet ports of a switch in the order of their numbers, and the number of InfiniBand
// ports.
func ethernet(p *plan.Plan, s *plan.Switch) (eth []Port, infiniBand int) {
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
	slices.SortStableFunc(eth, func(a, b Port) int { return cmp.Or(a.Index-b.Index, a.Lane-b.Lane) })
	return eth, infiniBand
}

// InfiniBand reports whether a switch carries only InfiniBand.
func InfiniBand(p *plan.Plan, s *plan.Switch) bool {
	ports, infiniBand := ethernet(p, s)
	return infiniBand > 0 && len(ports) == 0
}

// Title describes a switch: "Mellanox SN2010, Onyx 3.10.4606".
func Title(s *plan.Switch, system string) string {
	name := "switch"
	if s.Part != nil && s.Part.Name != "" {
		name = s.Part.Name
	}
	if v := s.Release(); v != "" {
		system += " " + v
	}
	return name + ", " + system
}

// Runs joins ports with consecutive numbers, without lanes, into runs of first and last. same reports whether two ports
// may share a run.
func Runs(ports []Port, same func(a, b Port) bool) [][2]Port {
	var out [][2]Port
	for _, x := range ports {
		if n := len(out); n > 0 && x.Lane == 0 && out[n-1][1].Lane == 0 && out[n-1][1].Index+1 == x.Index &&
			same(out[n-1][1], x) {
			out[n-1][1] = x
			continue
		}
		out = append(out, [2]Port{x, x})
	}
	return out
}

// cabling returns the cables as lines: "1/19  lin.cx5.1  2 m".
func cabling(ports []Port, name func(Port) string) []string {
	var rows [][]string
	for _, x := range ports {
		length := "length not known"
		if m, ok := x.Length.Get(); ok {
			length = fmt.Sprintf("%g m", m)
		}
		rows = append(rows, []string{name(x), x.Peer, strings.TrimSpace(x.Speed.String()), length})
	}
	return config.Columns(rows)
}

// VersionOf reads the numbers at the start of the release in the fabric file.
func VersionOf(s *plan.Switch) device.Release { return device.ReadRelease(s.Release()) }

// Spectrum and SwitchX are the chips of NVIDIA's switches, as the catalogue names them.
const (
	Spectrum = "Spectrum"
	SwitchX  = "SwitchX"
)

// Chip returns the switch's chip from the catalogue, empty if unknown. "SwitchX-2" and "Spectrum-2" begin with their
// family's name.
func Chip(s *plan.Switch) string {
	if s.Part == nil || s.Part.Switch == nil {
		return ""
	}
	return s.Part.Switch.Chip
}

const ibstat config.Source = "ibstat(8)"

// Sources are the documents that all switches of data centres share.
var Sources = map[config.Source]string{ibstat: "infiniband-diags, ibstat(8)"}

// InfiniBandOnly renders a switch that carries only InfiniBand. It sets nothing for Ethernet.
func InfiniBandOnly(_ *plan.Plan, s *plan.Switch) (config.Device, error) {
	verify := config.File{Name: "verify.txt", Comment: "#"}
	verify.Note("Nothing is set on this switch. On each host behind it:")
	verify.Add(ibstat, "the link is up and a subnet manager has found it", "ibstat")
	verify.Note("  expect State: Active")
	verify.Note("  expect Physical state: LinkUp")
	return config.Device{What: Title(s, "InfiniBand"), Files: []config.File{verify},
		Steps: []config.Step{
			{Do: "Nothing has to be set on this switch for the plan: InfiniBand has its own flow control, and its classes, " +
				"PFC, ECN and MTU are not those of Ethernet."},
			{Do: "A subnet manager has to run once in the fabric: on this switch, if it has one, or as opensm on one host. " +
				"Without it no link becomes active."},
			{Do: "Compare what verify.txt says, on the hosts."},
		},
		Missing: []string{"no settings for this switch: all its used ports carry InfiniBand"}}, nil
}
