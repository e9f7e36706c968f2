// Package device describes what the planner and the checks need to know about the operating systems of hosts and
// switches: their names, their port names, their limits, and the parts of a plan that they do not support. Each family
// of systems has a folder below this one, and internal/device/families has their table.
package device

import (
	"slices"

	"linerate/internal/design/catalog"
)

// System is an operating system of devices: one value of os: in a fabric file.
type System struct {
	Name   string // the value of os: in a fabric file: "mlnx-os"
	Family string // the name in rendered files and snapshots; systems with the same commands share it: "onyx"
	Title  string // the display name: "MLNX-OS"

	// Synonyms are other words for the system, and Editions those for one of its kinds: a distribution, which belongs into
	// version. Errors suggest the system for them.
	Synonyms, Editions []string
	// Program is the name of the system in facts and programs if it differs from Name: runtime.GOOS.
	Program string
	Traits  Traits

	// Switch is nil for a system of hosts, and Host is nil for a system of switches.
	Switch *SwitchSystem
	Host   *HostSystem
}

// SwitchSystem is what a system of switches supports on any model.
type SwitchSystem struct {
	// CatalogName is the catalogue's name of the system, for switches that run only this one; empty: none.
	CatalogName string
	// MTU is the largest MTU of hosts that its ports can carry; 0: it depends on the model, or is unknown.
	MTU int
	// MTUFrom is the source of MTU. MTUMost reports whether the source gives it as the maximum; else it is the largest
	// value in any document.
	MTUFrom string
	MTUMost bool
	// PortName returns the system's name of a port; empty if unknown. Lane 0 is the whole port.
	PortName func(part *catalog.Part, index, lane int) string
	// Commands are the commands that linerate sends to a switch, in this order; nil: none are known. They are constants
	// that only print, in the forms of snapshots and the vendors' documents, and were not tested on a switch. The switch
	// answers an unknown command with an error, which becomes an unknown fact.
	Commands []string
	// CounterCommands are those of Commands whose output changes under load: counters of ports, queues and classes.
	CounterCommands []string
	// PortNameGaps adds ports without a name that a command can contain; nil: there are none.
	PortNameGaps func(c *Collector, s *Switch)
	// Gaps adds the parts of a plan that the system's configuration does not set.
	Gaps func(c *Collector, s *Switch)
	// Lossless adds the parts of a lossless class that the release of a switch does not support; nil: nothing is known.
	Lossless func(c *Collector, s *Switch)
}

// HostSystem is what a system of hosts supports.
type HostSystem struct {
	// Gaps adds the parts of a plan that the system's configuration does not set. nil: no document describes its
	// configuration.
	Gaps func(c *Collector, h *Host)
	// Editions are the words that can follow the system's name if no release is given: "core".
	Editions []string
	// DriversOf returns the systems whose drivers a release can have, and the system's title with these drivers.
	DriversOf func(version string) (systems []string, title string)
	// RefusesTeams reports whether the planner's rule on bonds refuses the teams of Windows (switch embedded teaming).
	RefusesTeams bool
	// RefusesSharedSubnet reports whether Gaps adds several ports in one subnet.
	RefusesSharedSubnet bool
	// LosslessNIC adds notes about a NIC that carries a lossless class; nil: nothing.
	LosslessNIC func(c *Collector, nic NIC)
	// Drivers returns the system whose drivers a release has: "linux" for a TrueNAS SCALE; empty if unknown.
	Drivers func(version string) string
}

// PortName returns a system's name of a switch's port; empty if unknown.
func (s *System) PortName(part *catalog.Part, index, lane int) string {
	if s == nil || s.Switch == nil {
		return ""
	}
	return s.Switch.PortName(part, index, lane)
}

// Texts that several systems of switches share.
const (
	NamedByModel = "%s names ports by the model (%s), and the file does not say the model"
	WritePart    = "write part: (linerate parts switch lists them)"
	ByHand       = "configure it by hand, what it has to do is in the plan"
)

// CatalogNameGaps adds the first port whose name in the catalogue a command cannot contain, and reports whether there
// is one.
func CatalogNameGaps(c *Collector, s *Switch) bool {
	if s.Part == nil {
		return false
	}
	return slices.ContainsFunc(s.Ports, func(x SwitchPort) bool {
		port, ok, known := s.Part.Port(x.Index)
		if !ok || !known || port.Name == "" || BareWord(port.Name) {
			return false
		}
		c.Error("", "write it with letters, digits, - and / into the part's entry",
			"port %s: %q cannot be written into a command as the name of an interface", x.ID, port.Name)
		return true
	})
}
