// Package sonic describes community SONiC: its port names, and what its template of traffic classes supports.
package sonic

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device"
)

// System is SONiC.
var System = &device.System{Name: "sonic", Family: "sonic", Title: "SONiC", Switch: &device.SwitchSystem{
	// sonic-port.yang: range 68..9216.
	MTU: 9216, MTUFrom: "sonic-port.yang", MTUMost: true,
	PortName: PortName, PortNameGaps: portNameGaps, Gaps: gaps,
	Commands: commands, CounterCommands: counterCommands,
}, Traits: device.Traits{CableLengths: true,
	PFC:  [2]string{"sudo config interface pfc priority %s N on", "sudo config interface pfc priority %s N off"},
	Save: "sudo config save -y"}}

// Lossless are the priorities that SONiC's template makes lossless, and the only ones with buffers.
var Lossless = []int{3, 4}

// CableSince is the release of SONiC that introduced cable lengths.
var CableSince = []int{202006}

// layouts are SONiC's port names of a model (port_config.ini of its platform in sonic-buildimage), by the ids of the
// catalogue: Ethernet0 is port 1, and each further port is step higher. A lane of a breakout is one higher than the
// lane before.
var layouts = map[string]struct{ step, ports int }{
	"sn2010":           {4, 22}, // x86_64-mlnx_msn2010-r0/ACS-MSN2010
	"sn2100":           {4, 16}, // x86_64-mlnx_msn2100-r0/ACS-MSN2100
	"sn2700":           {4, 32}, // x86_64-mlnx_msn2700-r0/ACS-MSN2700
	"arista-7050qx-32": {4, 32}, // x86_64-arista_7050_qx32/Arista-7050-QX32
	"arista-7060cx-32": {4, 32}, // x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32
	"dell-z9100-on":    {4, 32}, // x86_64-dell_z9100_c2538-r0/Force10-Z9100-C32
}

// PortName returns SONiC's name of a port; empty if the model's layout is unknown or has no such port.
func PortName(part *catalog.Part, index, lane int) string {
	if part == nil {
		return ""
	}
	l, ok := layouts[part.ID]
	if !ok || index < 1 || index > l.ports || lane > l.step {
		return ""
	}
	return fmt.Sprintf("Ethernet%d", l.step*(index-1)+max(lane-1, 0))
}

func portNameGaps(c *device.Collector, s *device.Switch) {
	if s.Part == nil {
		c.Warn("", device.WritePart, device.NamedByModel, "SONiC", "Ethernet0, Ethernet4 ..").LeaveOut()
		return
	}
	layout, ok := layouts[s.Part.ID]
	if !ok {
		c.Warn("", device.ByHand, "SONiC names the ports of each model in its port_config.ini, and that of %s was not read",
			s.Part.Name).LeaveOut()
		return
	}
	for _, x := range s.Ports {
		if PortName(s.Part, x.Index, x.Lane) == "" {
			c.Error("", "take another port", "port %s: SONiC has %d ports of at most %d lanes on %s",
				x.ID, layout.ports, layout.step, s.Part.Name)
			return
		}
	}
}

func gaps(c *device.Collector, s *device.Switch) {
	q := s.QoS
	if q == nil || len(s.Ports) == 0 {
		return
	}
	for _, p := range q.Lossless() {
		if !slices.Contains(Lossless, p) {
			c.Error(device.GapClasses, "write priority: 3 or 4 at the class",
				"class %s is lossless with priority %d, and SONiC's template has buffers and maps for priorities 3 and 4 alone",
				q.Class(p).Name, p).By(device.RuleLossless)
		}
	}
	if q.Trust != "dscp" {
		c.Error(device.GapClasses, "write trust: dscp",
			"trust is %s, and SONiC's template sorts packets by DSCP (by anything else for storage back ends alone)", q.Trust)
	}
	for _, x := range q.Classes {
		if !x.ECN && slices.Contains(Lossless, x.Priority) {
			c.Warn(device.GapECN, "write ecn: true, or another priority",
				"class %s is not to be marked; SONiC's template marks the queues 3 and 4, and a fragment cannot take that out",
				x.Name).OfClass(x.Name)
		}
	}
	if q.DCBX == "switch" {
		c.Warn(device.GapDCBX, "write dcbx: none: hosts and switch have the same values without it",
			"dcbx: switch: community SONiC announces no classes by DCBX")
	}
	if len(q.Lossless()) > 0 {
		cableGaps(c, s)
	}
}

// cableGaps adds the ports whose buffers are not sized for their cables.
func cableGaps(c *device.Collector, s *device.Switch) {
	if s.Release().Before(CableSince...) {
		c.Warn(device.GapBuffers, "update the switch",
			"its buffers are not sized for the lengths of its cables: the command is there from 202006 on, and the file says %s",
			s.Version)
		return
	}
	unknown := 0
	for _, x := range s.Ports {
		m, ok := x.Cable.Get()
		if !ok {
			unknown++
		} else if _, fits := Cable(m); !fits {
			c.Warn(device.GapBuffers, "take a shorter cable, or set the buffers of the port by hand",
				"its buffers are not sized for its cable of %g m: SONiC has profiles up to 300 m", m).At(x.ID)
		}
	}
	if unknown > 0 {
		c.Note(device.GapBuffers+" of cables not known", "write the length of the cables",
			"cable lengths that the plan does not know stay what SONiC's template assumes (%s)", unit.Counted(unknown, "port"))
	}
}

// Cable returns the shortest length in metres with a buffer profile that is at least the cable's m metres.
func Cable(m float64) (profile int, ok bool) {
	return xslices.Find([]int{5, 40, 300}, func(c int) bool { return m <= float64(c) })
}

var commands = []string{"show version", "show interfaces status", "show interfaces counters",
	"show interfaces counters fec-stats", "show interfaces portchannel", "show interfaces flap", "show lldp table",
	"show lldp neighbors", "show pfc counters", "show pfc priority", "show pfcwd config", "show pfcwd stats",
	"show ecn", "show queue counters", "show platform psustatus", "show platform fan", "show platform temperature",
	"sonic-cfggen -d --print-data", "cat /etc/sonic/config_db.json"}

var counterCommands = []string{"show interfaces counters", "show interfaces counters fec-stats", "show pfc counters",
	"show pfcwd stats", "show queue counters"}
