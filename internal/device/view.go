package device

import (
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Switch is a switch of a plan as its system sees it.
type Switch struct {
	Part    *catalog.Part // nil: the file does not name the model
	Version string        // the release in the file; empty: none
	Ports   []SwitchPort  // the used Ethernet ports, by their numbers
	QoS     *QoS          // nil: the fabric has no classes
}

// SwitchPort is a used port of a switch.
type SwitchPort struct {
	ID       string // sw1.19
	Index    int
	Lane     int          // of a breakout cable; 0: the whole port
	Speed    unit.BitRate // 0: unknown
	Link     string
	Cable    unit.Opt[float64] // length in metres
	ToSwitch bool              // the other end is also a switch
}

// Release returns the release of the switch as numbers; nil if unknown.
func (s *Switch) Release() Release { return ReadRelease(s.Version) }

// Chip returns the switch's chip from the catalogue; empty if unknown.
func (s *Switch) Chip() string {
	if s.Part == nil || s.Part.Switch == nil {
		return ""
	}
	return s.Part.Switch.Chip
}

// Spectrum reports whether the chip is of that family of NVIDIA's: "Spectrum-2" begins with the family's name.
func (s *Switch) Spectrum() bool { return strings.HasPrefix(s.Chip(), "Spectrum") }

// SwitchX reports whether the chip is of the family SwitchX, such as "SwitchX-2".
func (s *Switch) SwitchX() bool { return strings.HasPrefix(s.Chip(), "SwitchX") }

// JoinsSwitches reports whether a port of the switch connects to another switch.
func (s *Switch) JoinsSwitches() bool {
	return slices.ContainsFunc(s.Ports, func(x SwitchPort) bool { return x.ToSwitch })
}

// Host is a host of a plan as its system sees it.
type Host struct {
	Name     string
	OS       string            // the name of its system
	Version  string            // the release in the file; empty: none
	Settings map[string]string // settings: of the file
	Ports    []Port
	Bonds    []*Bond
	// Made are the interfaces that the plan creates, bonds and VLANs, in the order of creation.
	Made []MadeInterface
	QoS  *QoS // nil: the fabric has no classes
}

// Port is one port of a host's NIC or bond.
type Port struct {
	ID         string // nas.cx3.2
	Interface  string
	Declared   bool // Interface was written in the file
	Plugged    bool // it has a cable, or the address of a function
	NIC        bool // it is a port of a NIC, not of a bond
	Used       bool // the plan sets something on it, or makes it a member of a bond
	Linked     bool // the plan brings it up
	Classed    bool // the plan sets the fabric's classes on it
	Classes    bool // a port that should carry the fabric's classes: a NIC's own port on Ethernet
	InfiniBand bool
	RoCEv2     bool // it should send RoCE version 2, whose packets carry a DSCP
	RDMA       bool // the file requires RDMA on it
	Address    netip.Prefix
	VLAN       int
	Part       *catalog.Part // nil: unknown
	Bond       *Bond         // the bond that it is, or nil
}

// Driver returns the port's driver on a system from the catalogue; empty if it has none.
func (p *Port) Driver(system string) string {
	if p.Part == nil {
		return ""
	}
	return p.Part.Drivers[system].Driver
}

// CarriesClasses reports whether a port with a cable should carry the fabric's classes.
func (h *Host) CarriesClasses() bool {
	return slices.ContainsFunc(h.Ports, func(p Port) bool { return p.Plugged && p.Classes })
}

// Bond is a bond of a host's ports.
type Bond struct {
	Name string
	Mode string
	Line int // of the fabric file
}

// MadeInterface is an interface that the plan creates: a bond, or a VLAN over another interface.
type MadeInterface struct {
	Name string
	Over string // the interface under a VLAN; empty: it is a bond
	VLAN int
}

// TeamOfWindows adds a bond in a mode that only Windows has.
func TeamOfWindows(c *Collector, h *Host, b *Bond) {
	x := c.Error("", "write mode: lacp or mode: backup", "mode set is Windows' own (switch embedded teaming), and the "+
		"host runs %s", h.OS).By(RuleBond)
	x.Subject, x.Line = "bond "+h.Name+"."+b.Name, b.Line
}

// NIC is a NIC of a host that carries a lossless class.
type NIC struct {
	Part   *catalog.Part
	Driver catalog.Driver
	System string // the title of the host's system with these drivers
	RDMA   string // as in the fabric file
}

// Old reports whether the NIC is of the generations of ConnectX whose drivers differ from today's.
func (n NIC) Old() bool {
	return strings.HasPrefix(n.Part.Family, "ConnectX-2") || strings.HasPrefix(n.Part.Family, "ConnectX-3")
}
