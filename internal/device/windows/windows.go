// Package windows describes hosts with Windows: names of adapters, settings, and the parts of a plan that linerate does
// not configure.
package windows

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/device"
)

// name is the value of os:, and the system of its drivers.
const name = "windows"

// System is Windows.
var System = &device.System{Name: name, Family: name, Title: "Windows",
	Synonyms: []string{"win", "win10", "win11", "windows10", "windows11"}, Host: &device.HostSystem{Gaps: gaps,
		Drivers:     func(string) string { return name },
		DriversOf:   func(string) ([]string, string) { return []string{name}, "Windows" },
		LosslessNIC: losslessNIC}, Traits: device.Traits{
		PowerShell: true, Script: true,
		NoTimestamps: true, // Microsoft's reference of Set-NetTCPSetting: Timestamps is Disabled by default
		Offloads: []device.Offload{
			{Feature: "tx-checksum-ip-generic", Flag: "ChecksumOffload", Side: "sending"},
			{Feature: "tx-tcp-segmentation", Flag: "Lso", Side: "sending"},
			{Feature: "rx-gro", Flag: "Rsc", Side: "receiving"},
		},
		SetMTU: func(nic string, mtu int) string {
			return fmt.Sprintf("Set-NetAdapterAdvancedProperty -Name %q -RegistryKeyword *JumboPacket -RegistryValue %d", nic,
				mtu+14)
		},
		SetWilling: func(nic string, on bool) string {
			return fmt.Sprintf(`Set-NetQosDcbxSetting -InterfaceAlias "%s" -Willing $%t -Confirm:$false`, nic, on)
		},
		SyncClock:    "w32tm /resync",
		ListFirewall: "Get-NetFirewallProfile | Format-Table Name,Enabled,DefaultInboundAction",
	}}

// setting is a value of settings: that is rendered for Windows.
type setting struct {
	want string // allowed values
	fits func(string) bool
}

func oneOf(list ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(list, s) }
}

var onOrOff = setting{"on or off", oneOf("on", "true", "yes", "off", "false", "no")}

var settings = map[string]setting{
	"smb-dialect":      {"2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1", oneOf("2.0.2", "2.1", "3.0", "3.0.2", "3.1.1")},
	"smb-multichannel": onOrOff,
	"ecn":              onOrOff,
	"smb-rdma-connections": {"a number from 1 to 16", func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n >= 1 && n <= 16
	}},
	"networkdirect-across-subnets": {"allow or block",
		oneOf("allow", "allowed", "on", "true", "block", "blocked", "off", "false")},
}

// matches are the values of match: for which Windows has a filter.
var matches = []string{"smb-direct", "iscsi"}

// UnfitAdapter returns the reason why PowerShell cannot use a name of an adapter, because * ? [ ] are patterns that
// could match another adapter; empty: it can.
func UnfitAdapter(adapter string) string {
	switch {
	case strings.ContainsAny(adapter, "*?[]`"):
		return "it takes * ? [ ] ` for a pattern"
	case strings.TrimSpace(adapter) == "":
		return "it is empty"
	}
	return ""
}

func gaps(c *device.Collector, h *device.Host) {
	for _, p := range h.Ports {
		if p.Plugged && p.Declared && p.NIC {
			if why := UnfitAdapter(p.Interface); why != "" {
				c.Error("", "rename the adapter (Rename-NetAdapter), and write the new name",
					"port %s: %q cannot be written into PowerShell as the name of a network adapter: %s", p.ID, p.Interface, why)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(h.Settings)) {
		value := h.Settings[key]
		s, ok := settings[key]
		switch {
		case !ok:
			c.Warn("", "set it by hand", "settings: %s: no documented command of Windows is known for it here", key)
		case !s.fits(value):
			c.Error("", "write "+s.want, "settings: %s: %s is not known here", key, value)
		}
	}
	bondGaps(c, h)
	classGaps(c, h)
}

func bondGaps(c *device.Collector, h *device.Host) {
	for _, p := range h.Ports {
		b := p.Bond
		if b == nil || !p.Plugged {
			continue
		}
		if p.VLAN > 0 {
			c.Warn("", "set it by hand (Set-VMNetworkAdapterVlan -ManagementOS), or take it out of the subnet (vlan:)",
				"bond %s: VLAN %d of its virtual adapter is not set", b.Name, p.VLAN).OfClass(b.Name)
		}
		if b.Mode != "set" {
			c.Warn("", "make it by hand (Server Manager, NIC Teaming), or write mode: set",
				"bond %s: mode %s is not made: apply.ps1 expects a team whose adapter is named vEthernet (%s)",
				b.Name, b.Mode, b.Name).OfClass(b.Name)
		}
	}
}

// classGaps adds the parts of the classes that Windows has no setting for. Its Ethernet ports carry them.
func classGaps(c *device.Collector, h *device.Host) {
	if h.QoS == nil || !h.CarriesClasses() {
		return
	}
	for _, x := range h.QoS.Classes {
		switch {
		case x.Default:
		case x.CNP || x.Strict:
			c.Note("", "",
				"class %s: the NIC's firmware sends congestion notifications by itself (NVIDIA's with priority 6 and DSCP 48 "+
					"by default); Windows has no setting for it, and its own class carries priority %d", x.Name,
				x.Priority).OfClass(x.Name)
		case !slices.Contains(matches, x.Match):
			match := "which traffic belongs to it is not written (match:)"
			if x.Match != "" {
				match = fmt.Sprintf("no documented filter of Windows is known for match: %s", x.Match)
			}
			c.Warn("", "write match: smb-direct or match: iscsi, or have its programs set the priority",
				"class %s: %s; its programs have to set priority %d themselves", x.Name, match, x.Priority).OfClass(x.Name)
		}
	}
	for i := range h.Ports {
		if p := &h.Ports[i]; p.Plugged && p.Classes && strings.Contains(p.Driver(name), "mlx4") {
			c.Warn("", "run apply.ps1 again after each start, for instance as a task at startup, or take a ConnectX-4 or newer",
				"with WinOF (ConnectX-3) the classes do not outlive a restart (NVIDIA's manual)").
				At(p.ID)
		}
	}
}

// losslessNIC adds the needs of a NIC with a lossless class.
func losslessNIC(c *device.Collector, nic device.NIC) {
	if nic.Old() {
		c.Warn("", "set it again at every start, or take a ConnectX-4 or newer",
			"the QoS settings of its driver WinOF do not outlive a reboot of Windows (its documentation)")
	}
}
