// Package eos describes Arista EOS: its port names, and the traffic class settings that linerate does not configure.
package eos

import (
	"fmt"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/device"
)

// System is Arista EOS.
var System = &device.System{Name: "eos", Family: "eos", Title: "EOS", Synonyms: []string{"arista"},
	Switch: &device.SwitchSystem{
		CatalogName: "EOS",
		// The Ethernet MTU of a switched port in snapshots.
		MTU: MTU, MTUFrom: "a switch's own answers",
		PortName: PortName, PortNameGaps: portNameGaps, Gaps: gaps,
		Commands: commands, CounterCommands: counterCommands,
	}, Traits: device.Traits{
		PFC: [2]string{
			"interface %s, priority-flow-control on, priority-flow-control priority N no-drop; then at the other end the same",
			"interface %s, no priority-flow-control",
		},
		Save: "write",
	}}

// MTU is the MTU of a switched port.
const MTU = 9214

// ControlPriority is the priority and traffic class that EOS reserves for its control traffic.
const ControlPriority = 7

// laned has the models' ports with lanes in their names: Ethernet1/1 of a port with four, Ethernet25 of one without.
// The names are the aliases in port_config.ini of the models' platforms in sonic-buildimage.
var laned = map[string]struct{ to, ports int }{
	"arista-7050qx-32": {24, 32}, // x86_64-arista_7050_qx32/Arista-7050-QX32
	"arista-7060cx-32": {32, 32}, // x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32
}

// wholePort returns EOS's name of a whole port; empty if unknown.
func wholePort(part *catalog.Part, index int) string {
	if part == nil {
		return ""
	}
	if port, ok, known := part.Port(index); ok && known && port.Name != "" {
		return port.Name
	}
	l, ok := laned[part.ID]
	switch {
	case !ok || index < 1 || index > l.ports:
		return ""
	case index <= l.to:
		return fmt.Sprintf("Ethernet%d/1", index)
	}
	return fmt.Sprintf("Ethernet%d", index)
}

// PortName returns EOS's name of a port or its lane; empty if unknown, or if the lane does not exist.
func PortName(part *catalog.Part, index, lane int) string {
	name := wholePort(part, index)
	if lane == 0 || name == "" {
		return name
	}
	base, ok := strings.CutSuffix(name, "/1")
	if !ok || lane > 4 {
		return ""
	}
	return fmt.Sprintf("%s/%d", base, lane)
}

func portNameGaps(c *device.Collector, s *device.Switch) {
	if device.CatalogNameGaps(c, s) {
		return
	}
	if s.Part == nil {
		c.Warn("", device.WritePart, device.NamedByModel, "EOS", "Ethernet1, Ethernet1/1").LeaveOut()
		return
	}
	for _, x := range s.Ports {
		switch whole := wholePort(s.Part, x.Index); {
		case whole == "":
			c.Warn("", device.ByHand, "how EOS names port %d of %s is not known here", x.Index, s.Part.Name).LeaveOut()
			return
		case PortName(s.Part, x.Index, x.Lane) == "":
			c.Error("", "take another port", "port %s: %s has no lane %d", x.ID, whole, x.Lane)
			return
		}
	}
}

func gaps(c *device.Collector, s *device.Switch) {
	q := s.QoS
	if q == nil || len(s.Ports) == 0 {
		return
	}
	for _, x := range q.Classes {
		if x.Priority == ControlPriority && !x.Default {
			c.Error(device.GapClasses, "write another priority at the class",
				"class %s: priority 7 is EOS's own, for control traffic", x.Name).OfClass(x.Name).By(device.RuleLossless)
		}
	}
	if chip := s.Chip(); !strings.Contains(chip, "Trident") && !strings.Contains(chip, "Tomahawk") {
		c.Warn(device.GapShares, "set them by hand in a qos profile",
			"shares of the link and ECN are not set: a queue is called uc-tx-queue or tx-queue depending on the chip, and "+
				"this switch's is not known here")
	}
	if len(q.Lossless()) > 0 && s.JoinsSwitches() {
		c.Warn("", "set it by hand",
			"the PFC watchdog, which a fabric of several switches should have, is not set: EOS's watches only queues with "+
				"guaranteed bandwidth, and how much to guarantee is not documented here")
	}
}

var commands = []string{"show version", "show interfaces", "show interfaces status",
	"show interfaces status errdisabled", "show interfaces transceiver", "show interfaces transceiver detail",
	"show port-channel summary", "show lldp neighbors detail | json", "show mlag", "show environment power",
	"show environment cooling", "show environment temperature", "show priority-flow-control",
	"show priority-flow-control counters", "show qos interfaces trust", "show qos maps", "show running-config",
	"show startup-config"}

var counterCommands = []string{"show interfaces", "show priority-flow-control counters"}
