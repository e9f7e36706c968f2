package plan

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/families"
)

// System returns the operating system of a switch by its name in the file: that of the file, else of the catalogue;
// empty: not known.
func (s *Switch) System() string {
	if s.OS != "" || s.Part == nil || s.Part.Switch == nil {
		return s.OS
	}
	if system := families.OfCatalog(s.Part.Switch.OS); system != nil {
		return system.Name
	}
	return ""
}

// system returns the system of a switch; nil: not one that linerate configures.
func (s *Switch) system() *device.System { return families.OfSwitch(s.System()) }

// Release returns the release of a switch; empty: the file has none.
func (s *Switch) Release() string {
	if s.Decl == nil {
		return ""
	}
	return strings.TrimSpace(s.Decl.Version)
}

// PortName returns the name of a port in the switch's system; empty: not known.
func (s *Switch) PortName(x SwitchPort) string { return s.system().PortName(s.Part, x.Index, x.Lane) }

// Ethernet returns the used Ethernet ports of a switch in the order of their numbers, and the number of used InfiniBand
// ports.
func (p *Plan) Ethernet(s *Switch) (ports []SwitchPort, infiniBand int) {
	for _, x := range s.Ports {
		if l := p.Link(x.Link); l != nil && l.InfiniBand {
			infiniBand++
			continue
		}
		ports = append(ports, x)
	}
	slices.SortStableFunc(ports, func(a, b SwitchPort) int { return cmp.Or(a.Index-b.Index, a.Lane-b.Lane) })
	return ports, infiniBand
}
