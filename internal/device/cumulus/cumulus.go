// Package cumulus describes Cumulus Linux: its port names, and the traffic class settings that linerate does not
// configure.
package cumulus

import (
	"fmt"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/device"
)

// System is Cumulus Linux.
var System = &device.System{Name: "cumulus", Family: "cumulus", Title: "Cumulus Linux", Switch: &device.SwitchSystem{
	// The default in the guide and its examples.
	MTU: MTU, MTUFrom: "NVIDIA's guide",
	PortName: PortName, Gaps: gaps, Commands: commands, CounterCommands: counterCommands,
}, Traits: device.Traits{Save: "nv config apply, nv config save"}}

// MTU is the default MTU of a port.
const MTU = 9216

// Since is the first release of Cumulus Linux with NVUE.
var Since = []int{5, 0}

// PortName is the name of a port or of a lane of it on Cumulus Linux.
func PortName(_ *catalog.Part, index, lane int) string {
	if lane > 0 {
		return fmt.Sprintf("swp%ds%d", index, lane-1)
	}
	return fmt.Sprintf("swp%d", index)
}

func gaps(c *device.Collector, s *device.Switch) {
	if s.Release().Before(Since...) {
		c.Error("", "update the switch to 5.0 or later",
			"Cumulus Linux %s has no NVUE, and its older language (NCLU) is not rendered here", s.Version)
	}
	last := 0
	for _, x := range s.Ports {
		if x.Lane > 0 && x.Index != last && float64(x.Speed) != 25e9 {
			c.Warn(device.GapLanes, "divide it by hand before apply.sh",
				"swp%d is not divided into lanes of %s; how many there can be depends on the model, and on some models the "+
					"next port has to be given up for them (NVIDIA's guide, breakout ports)", x.Index,
				strings.TrimSpace(x.Speed.String())).At(x.ID)
		}
		last = x.Index
	}
	q := s.QoS
	if q == nil || len(s.Ports) == 0 {
		return
	}
	if chip := s.Chip(); chip != "" && !s.Spectrum() && len(q.Lossless()) > 0 {
		c.Warn(device.GapClasses, "take a switch with Spectrum, or set them by hand",
			"none of the fabric's classes is set: NVIDIA's guide describes them for Spectrum, and this switch has %s", chip)
	}
	if q.DCBX == "switch" && s.Release() == nil {
		c.Warn(
			device.GapDCBX,
			"write version: at the switch",
			"dcbx: switch: the word that turns the announcements on is `on` up to 5.14 and `enabled` from 5.15, and the "+
				"file does not say the switch's version",
		)
	}
}

var commands = []string{"net show system", "net show lldp json", "nv show interface -o json", "nv show qos roce",
	"nv config show -o commands"}

var counterCommands = []string{"nv show interface -o json"}
