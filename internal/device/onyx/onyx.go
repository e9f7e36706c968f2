// Package onyx describes Onyx and its predecessor MLNX-OS: their port names, and the traffic class settings that
// linerate does not configure.
package onyx

import (
	"fmt"

	"linerate/internal/design/catalog"
	"linerate/internal/device"
)

// System is Onyx.
var System = &device.System{Name: "onyx", Family: "onyx", Title: "Onyx", Switch: system(""), Traits: traits}

// MLNXOS is MLNX-OS, the predecessor of Onyx.
var MLNXOS = &device.System{Name: "mlnx-os", Family: "onyx", Title: "MLNX-OS", Synonyms: []string{"mlnxos"},
	Switch:  system("MLNX-OS"),
	Program: "onyx", Traits: traits}

var traits = device.Traits{
	PFC: [2]string{
		"dcb priority-flow-control enable force; interface ethernet %s dcb priority-flow-control mode on force; " +
			"then at the other end the same",
		"interface ethernet %s no dcb priority-flow-control mode force",
	},
	PortPrefix: "Eth",
	Save:       "configuration write",
}

func system(catalogName string) *device.SwitchSystem {
	return &device.SwitchSystem{
		CatalogName: catalogName,
		// The module onyx_interface of Ansible's mellanox.onyx: "Ranges from 1500 to 9612".
		MTU: 9612, MTUFrom: "the module onyx_interface", MTUMost: true,
		Commands: commands, CounterCommands: counterCommands,
		PortName: func(_ *catalog.Part, index, lane int) string { return "Eth" + Port(index, lane) },
		Gaps:     gaps,
	}
}

// Pools is the release of Onyx that introduced traffic pools.
var Pools = []int{3, 6, 5000}

// Port returns the number of a port or its lane, which follows the word for its kind in Onyx.
func Port(index, lane int) string {
	if lane > 0 {
		return fmt.Sprintf("1/%d/%d", index, lane)
	}
	return fmt.Sprintf("1/%d", index)
}

func gaps(c *device.Collector, s *device.Switch) {
	q := s.QoS
	if q == nil {
		return
	}
	for _, x := range q.Classes {
		if off := x.OffBlock(); len(off) > 0 && q.Trust == "dscp" {
			c.Warn("", fmt.Sprintf("write a dscp from %d to %d at the class, or map it by hand", 8*x.Priority, 8*x.Priority+7),
				"class %s: DSCP %s is to have priority %d; Onyx gives it priority %d by itself, and the command that moves it "+
					"was not found in a manual",
				x.Name, device.Commas(off), x.Priority, off[0]/8).
				OfClass(x.Name)
		}
		if x.ECN && s.SwitchX() {
			c.Warn(device.GapECN, "look into its manual, or take a switch with Spectrum",
				"class %s is not marked (ECN): whether SwitchX marks packets is not known here, and the document of the "+
					"command is of Spectrum", x.Name).OfClass(x.Name)
		}
	}
	lossless := q.Lossless()
	switch {
	case len(lossless) == 0:
	case s.SwitchX():
		c.Note(device.GapBuffers, "",
			"buffers of the lossless class (priority %s): SwitchX has no traffic pools; PFC uses the buffers that the "+
				"switch gives each port. MLNX-OS 2 puts eight priorities into four buffers: several priorities may share one",
			device.Commas(lossless))
	case s.Release().Before(Pools...):
		c.Warn(device.GapBuffers, "update the switch, or set them as Mellanox DOC-2884 says",
			"buffers of the lossless class (priority %s): traffic pools are there from 3.6.5000 on, and the file says %s; "+
				"the older form takes sizes that depend on port, cable and model", device.Commas(lossless), s.Version)
	}
}

// commands request JSON where a parser reads the JSON of that command, else text. They are commands of the enable mode.
var commands = []string{"show version", "show interfaces ethernet", "show interfaces status", "show roce",
	"show dcb priority-flow-control | json-print", "show qos | json-print", "show dcb ets | json-print",
	"show interfaces ethernet congestion-control | json-print", "show traffic pool | json-print",
	"show interfaces port-channel summary | json-print", "show mlag | json-print", "show lldp interfaces | json-print",
	"show lldp remote | json-print", "show running-config"}

var counterCommands = []string{"show interfaces ethernet", "show interfaces ethernet congestion-control | json-print"}
