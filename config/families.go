package config

import (
	"fmt"

	"linerate/config/cumulus"
	"linerate/config/dcb"
	"linerate/config/device"
	"linerate/config/eos"
	"linerate/config/freebsd"
	"linerate/config/linux"
	"linerate/config/onyx"
	"linerate/config/routeros"
	"linerate/config/sonic"
	"linerate/config/windows"
	"linerate/plan"
)

// family is a sort of device with one way to be configured.
type family struct {
	name string
	// systems are the values of os: that it is for: of hosts if it renders hosts, else of switches.
	systems []string
	host    func(*plan.Plan, *plan.Host) (device.Device, error)
	sw      func(*plan.Plan, *plan.Switch) (device.Device, error)
}

// families are all that can be rendered. A new one is a folder and a line here.
var families = []family{
	{name: "freebsd", systems: []string{"freebsd"}, host: freebsd.Host},
	{name: "truenas", systems: []string{"truenas"}, host: freebsd.TrueNAS},
	{name: "windows", systems: []string{"windows"}, host: windows.Host},
	{name: "routeros", systems: []string{"routeros"}, sw: routeros.Switch},
	{name: "linux", systems: []string{"linux", "proxmox"}, host: linux.Render},
	{name: "onyx", systems: []string{"onyx", "mlnx-os"}, sw: onyx.Switch},
	{name: "cumulus", systems: []string{"cumulus"}, sw: cumulus.Switch},
	{name: "sonic", systems: []string{"sonic"}, sw: sonic.Switch},
	{name: "eos", systems: []string{"eos"}, sw: eos.Switch},
}

// infiniBand is the family of switches without a system in the file that carry nothing but InfiniBand.
var infiniBand = family{name: "infiniband", sw: dcb.InfiniBandOnly}

// familyOfHost returns the family of a host's system.
func familyOfHost(h *plan.Host) (*family, error) {
	for i := range families {
		f := &families[i]
		for _, s := range f.systems {
			if f.host != nil && s == h.OS {
				return f, nil
			}
		}
	}
	if h.OS == "" {
		return nil, fmt.Errorf("host %s: the file does not say its system; write os: linux, freebsd, truenas, windows or proxmox", h.Name)
	}
	return nil, fmt.Errorf("host %s: there is no documented way to configure %s here; set its addresses by hand, they stand in the plan", h.Name, h.OS)
}

// catalogueSystems are the systems of the catalogue's switches that run only one.
var catalogueSystems = map[string]string{"MLNX-OS": "mlnx-os", "EOS": "eos", "RouterOS": "routeros"}

// system is what a switch runs: as the file says, else as the catalogue does.
func system(s *plan.Switch) string {
	if s.OS == "" && s.Part != nil && s.Part.Switch != nil {
		return catalogueSystems[s.Part.Switch.OS]
	}
	return s.OS
}

// familyOfSwitch returns the family of a switch's system.
func familyOfSwitch(p *plan.Plan, s *plan.Switch) (*family, error) {
	os := system(s)
	if os == "" && dcb.InfiniBand(p, s) {
		return &infiniBand, nil
	}
	for i := range families {
		f := &families[i]
		for _, system := range f.systems {
			if f.sw != nil && system == os {
				return f, nil
			}
		}
	}
	if os == "" {
		return nil, fmt.Errorf("switch %s: neither the file nor the catalogue says its system; write os: routeros, onyx, mlnx-os, cumulus, sonic or eos", s.Name)
	}
	return nil, fmt.Errorf("switch %s: there is no documented way to configure %s here; what it has to do stands in the plan", s.Name, os)
}
