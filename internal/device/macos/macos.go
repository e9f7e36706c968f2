// Package macos describes hosts with macOS, which have no renderer.
package macos

import (
	"fmt"

	"linerate/internal/device"
)

// System is macOS.
var System = &device.System{Name: "macos", Family: "macos", Title: "macOS", Synonyms: []string{"osx", "mac", "darwin"},
	Host: &device.HostSystem{
		Drivers:      func(string) string { return "macos" },
		DriversOf:    func(string) ([]string, string) { return []string{"macos"}, "macOS" },
		RefusesTeams: true,
	}, Program: "darwin", Traits: device.Traits{
		SetMTU: func(nic string, mtu int) string { return fmt.Sprintf("networksetup -setMTU %s %d", nic, mtu) },
	}}
