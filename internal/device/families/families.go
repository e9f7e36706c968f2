// Package families has the table of device systems. A new family is a folder below internal/device and a line in this
// table; a test of internal/architecture generates the tables of renderers and parsers from it.
package families

import (
	"cmp"
	"slices"

	"linerate/internal/device"
	"linerate/internal/device/cumulus"
	"linerate/internal/device/eos"
	"linerate/internal/device/freebsd"
	"linerate/internal/device/linux"
	"linerate/internal/device/macos"
	"linerate/internal/device/nxos"
	"linerate/internal/device/onyx"
	"linerate/internal/device/routeros"
	"linerate/internal/device/sonic"
	"linerate/internal/device/windows"
)

// systems are all systems, in the order of messages.
var systems = []*device.System{
	linux.System,
	freebsd.System,
	freebsd.TrueNAS,
	windows.System,
	linux.Proxmox,
	macos.System,
	routeros.System,
	onyx.System,
	onyx.MLNXOS,
	cumulus.System,
	sonic.System,
	eos.System,
	nxos.System,
}

// Of returns the system that os: in a fabric file names; nil if there is none.
func Of(os string) *device.System {
	i := slices.IndexFunc(systems, func(s *device.System) bool { return s.Name == os })
	if i < 0 {
		return nil
	}
	return systems[i]
}

// Traits returns the properties of a system that checks and advice depend on. program is the system in facts:
// runtime.GOOS of a host, or the family of a switch. The traits of an unknown system are zero.
func Traits(program string) device.Traits {
	if s := OfFacts(program); s != nil {
		return s.Traits
	}
	return device.Traits{}
}

// Meant returns the system that a word means which is not the name of one: "ubuntu". edition reports whether the word
// is that of one of its kinds. It returns nil if no system is meant.
func Meant(word string) (s *device.System, edition bool) {
	for _, s := range systems {
		if edition := slices.Contains(s.Editions, word); edition || slices.Contains(s.Synonyms, word) {
			return s, edition
		}
	}
	return nil, false
}

// OfFacts returns the system that facts name; nil if there is none.
func OfFacts(program string) *device.System {
	i := slices.IndexFunc(systems, func(s *device.System) bool { return cmp.Or(s.Program, s.Name) == program })
	if i < 0 {
		return nil
	}
	return systems[i]
}

// OfSwitch returns the system of switches that os: names; nil if there is none.
func OfSwitch(os string) *device.System {
	if s := Of(os); s != nil && s.Switch != nil {
		return s
	}
	return nil
}

// Commands are the commands that collect facts of a switch; nil: none are known.
func Commands(os string) []string {
	if s := OfSwitch(os); s != nil {
		return slices.Clone(s.Switch.Commands)
	}
	return nil
}

// CounterCommands are the commands that print values that change under load; nil: none are known.
func CounterCommands(os string) []string {
	if s := OfSwitch(os); s != nil {
		return slices.Clone(s.Switch.CounterCommands)
	}
	return nil
}

// OfHost returns the system of hosts that os: names; nil if there is none.
func OfHost(os string) *device.System {
	if s := Of(os); s != nil && s.Host != nil {
		return s
	}
	return nil
}

// OfCatalog returns the system that the catalogue names as the only one of a switch; nil if there is none.
func OfCatalog(name string) *device.System {
	i := slices.IndexFunc(systems, func(s *device.System) bool {
		return s.Switch != nil && name != "" && s.Switch.CatalogName == name
	})
	if i < 0 {
		return nil
	}
	return systems[i]
}

// Hosts are the values of os: for hosts.
func Hosts() []string { return names(func(s *device.System) bool { return s.Host != nil }) }

// ConfiguredHosts are the values of os: for hosts with a renderer.
func ConfiguredHosts() []string {
	return names(func(s *device.System) bool { return s.Host != nil && s.Host.Gaps != nil })
}

// Switches are the values of os: for switches.
func Switches() []string { return names(func(s *device.System) bool { return s.Switch != nil }) }

func names(of func(*device.System) bool) []string {
	var out []string
	for _, s := range systems {
		if of(s) {
			out = append(out, s.Name)
		}
	}
	return out
}

// Drivers returns the system whose drivers a host uses; empty if its release leaves it open.
func Drivers(os, version string) string {
	if s := OfHost(os); s != nil {
		return s.Host.Drivers(version)
	}
	return os
}
