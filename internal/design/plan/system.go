package plan

import (
	"cmp"
	"slices"
	"strings"
)

// SwitchSystem is what a switch's operating system takes, whatever the model. Rules and renderers read these figures from here.
type SwitchSystem struct {
	Name string // SONiC
	// MTU is the largest of hosts that its ports can be given room for; 0: it depends on the model, or is not known.
	MTU int
	// MTUFrom is who says so; MTUMost that it is documented as the most, else it is the most that was seen in a document.
	MTUFrom string
	MTUMost bool
}

// switchSystems are the systems that config can tell something, by the values of os:.
var switchSystems = map[string]*SwitchSystem{
	"routeros": {Name: "RouterOS"},
	// The module onyx_interface of Ansible's mellanox.onyx: "Ranges from 1500 to 9612".
	"onyx":    {Name: "Onyx", MTU: 9612, MTUFrom: "the module onyx_interface", MTUMost: true},
	"mlnx-os": {Name: "MLNX-OS", MTU: 9612, MTUFrom: "the module onyx_interface", MTUMost: true},
	// The guide has it as the default and in its examples.
	"cumulus": {Name: "Cumulus Linux", MTU: 9216, MTUFrom: "NVIDIA's guide"},
	// sonic-port.yang: range 68..9216.
	"sonic": {Name: "SONiC", MTU: 9216, MTUFrom: "sonic-port.yang", MTUMost: true},
	// Captured answers have it as the Ethernet MTU of a switched port.
	"eos": {Name: "EOS", MTU: 9214, MTUFrom: "a switch's own answers"},
}

// SystemOf returns what a system of switches takes, or nil if it is none that config can tell something.
func SystemOf(os string) *SwitchSystem { return switchSystems[os] }

// catalogueSystems are the systems of the catalogue's switches that run only one.
var catalogueSystems = map[string]string{"MLNX-OS": "mlnx-os", "EOS": "eos", "RouterOS": "routeros"}

// System is what a switch runs, as os: has it: as the file says, else as the catalogue does. Empty: neither says.
func (s *Switch) System() string {
	if s.OS == "" && s.Part != nil && s.Part.Switch != nil {
		return catalogueSystems[s.Part.Switch.OS]
	}
	return s.OS
}

// chip is the switch's chip as the catalogue has it, empty if that is not known.
func (s *Switch) chip() string {
	if s.Part == nil || s.Part.Switch == nil {
		return ""
	}
	return s.Part.Switch.Chip
}

// spectrum and switchX say what family of NVIDIA's chips a switch has: "SwitchX-2" and "Spectrum-2" begin with their family's name.
func (s *Switch) spectrum() bool { return strings.HasPrefix(s.chip(), "Spectrum") }
func (s *Switch) switchX() bool  { return strings.HasPrefix(s.chip(), "SwitchX") }

// Ethernet are the used ports of a switch that carry Ethernet, in the order of their numbers, and how many more carry InfiniBand.
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

// BareWord says whether a text may stand bare in every language that config writes: letters, digits, and - _ . : / within.
func BareWord(s string) bool {
	for i, r := range s {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') || i > 0 && strings.ContainsRune("-_.:/", r) {
			continue
		}
		return false
	}
	return s != ""
}
