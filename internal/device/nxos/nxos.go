// Package nxos describes Cisco NX-OS on Nexus switches: its port names, and the traffic class settings that linerate
// does not configure.
package nxos

import (
	"fmt"

	"linerate/internal/design/catalog"
	"linerate/internal/device"
)

// System is Cisco NX-OS.
var System = &device.System{Name: "nxos", Family: "nxos", Title: "NX-OS", Synonyms: []string{"nx-os", "nexus", "cisco"},
	Switch: &device.SwitchSystem{
		CatalogName: "NX-OS",
		MTU:         MTU, MTUFrom: "Microsoft's guide",
		PortName:     PortName,
		PortNameGaps: func(c *device.Collector, s *device.Switch) { device.CatalogNameGaps(c, s) },
		Gaps:         gaps,
	}, Traits: device.Traits{
		PFC: [2]string{"interface %s, priority-flow-control mode on; then at the other end the same",
			"interface %s, no priority-flow-control mode on"},
		Save: "copy running-config startup-config",
	}}

// MTU is the MTU of ports for jumbo frames, and the largest in the documents.
const MTU = 9216

// The qos-groups with a special meaning: each is served by the queue of its number.
const (
	DefaultGroup = 0 // traffic of no other group
	StrictGroup  = 7 // served first, as in NX-OS's own policy
)

// PortName returns the name of a port or its lane: a switch of one module has the number 1 in front.
func PortName(part *catalog.Part, index, lane int) string {
	name := fmt.Sprintf("Ethernet1/%d", index)
	if part != nil {
		if port, ok, known := part.Port(index); ok && known && port.Name != "" {
			name = port.Name
		}
	}
	if lane > 0 {
		return fmt.Sprintf("%s/%d", name, lane)
	}
	return name
}

// Group returns the qos-group of a class.
func Group(c device.Class) int {
	switch {
	case c.Default:
		return DefaultGroup
	case c.Strict:
		return StrictGroup
	}
	return c.Priority
}

func gaps(c *device.Collector, s *device.Switch) {
	q := s.QoS
	if q == nil || len(s.Ports) == 0 {
		return
	}
	if q.Trust == "port" {
		c.Error(device.GapClasses, "write trust: dscp, or trust: pcp with VLANs",
			"trust: port does not say which port's traffic belongs to which class, and NX-OS sorts by DSCP or by the "+
				"priority of a tag")
	}
	taken := map[int]string{}
	for _, x := range q.Classes {
		group := Group(x)
		switch other, used := taken[group]; {
		case !x.Default && group == DefaultGroup:
			c.Error(device.GapClasses, "write another priority at the class",
				"class %s: NX-OS has the group 0 for all traffic of no class", x.Name).OfClass(x.Name).By(device.RuleLossless)
		case used:
			c.Error(device.GapClasses, "write another priority at one of them",
				"classes %s and %s: NX-OS serves its queue 7 first, which only one of them can have", other, x.Name).
				OfClass(x.Name).By(device.RuleLossless)
		case x.Default || x.CNP || len(x.DSCP) > 0 || q.PCP():
		default:
			c.Warn("", "write dscp: at the class", "class %s: NX-OS sorts nothing into it, because it has no DSCP", x.Name).
				OfClass(x.Name)
		}
		taken[group] = x.Name
	}
}
