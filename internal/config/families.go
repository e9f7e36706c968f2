package config

import (
	"slices"

	"linerate/internal/config/cumulus"
	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/config/eos"
	"linerate/internal/config/freebsd"
	"linerate/internal/config/linux"
	"linerate/internal/config/onyx"
	"linerate/internal/config/routeros"
	"linerate/internal/config/sonic"
	"linerate/internal/config/windows"
	"linerate/internal/design/plan"
)

// family is a sort of device with one way to be configured.
type family struct {
	name string
	// systems are the values of os: that it is for: of hosts if it renders hosts, else of switches.
	systems []string
	host    func(*plan.Plan, *plan.Host) (device.Device, error)
	sw      func(*plan.Plan, *plan.Switch) (device.Device, error)
	// sources are the documents in which the forms of its commands are written, beside those of all families.
	sources map[device.Source]string
}

// families are all that can be rendered. A new one is a folder and a line here.
var families = []family{
	{name: "freebsd", systems: []string{"freebsd"}, host: freebsd.Host, sources: freebsd.Sources},
	{name: "truenas", systems: []string{"truenas"}, host: freebsd.TrueNAS, sources: freebsd.Sources},
	{name: "windows", systems: []string{"windows"}, host: windows.Host, sources: windows.Sources},
	{name: "routeros", systems: []string{"routeros"}, sw: routeros.Switch, sources: routeros.Sources},
	{name: "linux", systems: []string{"linux", "proxmox"}, host: linux.Render, sources: linux.Sources},
	{name: "onyx", systems: []string{"onyx", "mlnx-os"}, sw: onyx.Switch, sources: onyx.Sources},
	{name: "cumulus", systems: []string{"cumulus"}, sw: cumulus.Switch, sources: cumulus.Sources},
	{name: "sonic", systems: []string{"sonic"}, sw: sonic.Switch, sources: sonic.Sources},
	{name: "eos", systems: []string{"eos"}, sw: eos.Switch, sources: eos.Sources},
}

// infiniBand is the family of switches without a system in the file that carry nothing but InfiniBand.
var infiniBand = family{name: "infiniband", sw: dcb.InfiniBandOnly, sources: dcb.Sources}

// familyOfHost returns the family of a host's system; nil if there is none, and the plan says so.
func familyOfHost(h *plan.Host) *family {
	for i := range families {
		if f := &families[i]; f.host != nil && slices.Contains(f.systems, h.OS) {
			return f
		}
	}
	return nil
}

// familyOfSwitch returns the family of a switch's system; nil if there is none, and the plan says so.
func familyOfSwitch(p *plan.Plan, s *plan.Switch) *family {
	os := s.System()
	if os == "" && dcb.InfiniBand(p, s) {
		return &infiniBand
	}
	for i := range families {
		if f := &families[i]; f.sw != nil && slices.Contains(f.systems, os) {
			return f
		}
	}
	return nil
}

// document is the document behind an id, and whether it is known.
func document(source device.Source) (string, bool) {
	if text, ok := device.Sources[source]; ok {
		return text, true
	}
	for _, f := range families {
		if text, ok := f.sources[source]; ok {
			return text, true
		}
	}
	text, ok := infiniBand.sources[source]
	return text, ok
}
