// Package linux describes hosts with Linux and Proxmox VE: interface names, network managers, and the parts of a plan
// that linerate does not configure.
package linux

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/device"
)

// The values of os: for the two systems; Linux's is also the system of their drivers.
const (
	name    = "linux"
	proxmox = "proxmox"
)

// System is Linux.
var System = &device.System{Name: name, Family: name, Title: "Linux",
	Editions: []string{"ubuntu", "debian", "fedora", "rhel", "centos", "rocky", "almalinux", "arch", "suse", "opensuse",
		"mint", "nixos", "alpine", "raspbian", "unraid", "openmediavault"},
	Host: host("Linux"), Traits: device.Traits{
		Proc: true, ByHand: true, ApplySuggested: true,
		Offloads: []device.Offload{
			{Feature: "tx-tcp-segmentation", Flag: "tso", Side: "sending"},
			{Feature: "tx-generic-segmentation", Flag: "gso", Side: "sending"},
			{Feature: "rx-gro", Flag: "gro", Side: "receiving"},
		},
		SyncClock: "timedatectl set-ntp true", ListFirewall: "sudo nft list ruleset", AsRoot: true,
	}}

// Proxmox is Proxmox VE.
var Proxmox = &device.System{Name: proxmox, Family: name, Title: "Proxmox VE", Synonyms: []string{"pve", "proxmox-ve"},
	Host:    host("Proxmox (Linux)"),
	Program: name, Traits: device.Traits{ByHand: true}}

func host(drivers string) *device.HostSystem {
	return &device.HostSystem{
		Gaps:    gaps,
		Drivers: func(string) string { return name },
		DriversOf: func(string) ([]string, string) {
			return []string{name}, drivers
		},
		RefusesTeams: true,
		LosslessNIC:  losslessNIC,
	}
}

// losslessNIC adds the needs of a NIC with a lossless class.
func losslessNIC(c *device.Collector, nic device.NIC) {
	if nic.Old() {
		c.Note("", "expect a reload of the driver when the class changes",
			"its driver takes PFC as options of the module (mlx4_en pfctx and pfcrx), not through dcb")
	}
}

func gaps(c *device.Collector, h *device.Host) {
	nameGaps(c, h)
	managers, why, ok := Managers(h.OS, h.Version, h.Settings)
	all := strings.Join(managerNames, ", ") + ", " + NoManager
	switch {
	case !ok:
		c.Error("", "write one of "+all, "settings: network: %q is none of %s", h.Settings["network"], all)
	case len(managers) == 0 && h.Settings["network"] == "":
		c.Warn("", "write settings: {network: networkd, netplan, networkmanager, ifupdown or ifupdown2}",
			"its addresses and MTU are gone with a reboot: there are no files of a network manager, because %s", why)
	}
	for i := range h.Ports {
		p := &h.Ports[i]
		if p.Linked && p.InfiniBand && slices.Contains(managers, Netplan) {
			const reason = "it carries InfiniBand, of which the reference of netplan does not speak"
			if len(managers) == 1 {
				c.Warn("", "write settings: {network: networkd} or another manager",
					"it is gone with a reboot: %s", reason).At(p.ID)
			} else {
				c.Note("", "write the host's network manager (settings: {network: ..}) if it is another",
					"if netplan configures the host's network, it is gone with a reboot: %s", reason).At(p.ID)
			}
		}
		if p.Classed {
			classGaps(c, h, p)
		}
	}
}

// nameGaps adds invalid names of interfaces: those of the file, and those of bonds and VLANs.
func nameGaps(c *device.Collector, h *device.Host) {
	made := map[string]bool{}
	seen := map[string]bool{}
	look := func(text, of, fix string) {
		if why := UnfitInterface(text); why != "" && !seen[text] {
			seen[text] = true
			c.Error("", fix, "%s: %q is not a name of an interface: %s", of, text, why)
		}
	}
	for _, m := range h.Made {
		made[m.Name] = true
		switch {
		case m.Over == "":
			look(m.Name, "bond", "give the bond another name")
		case UnfitInterface(m.Over) == "": // otherwise the name that it is derived from is already refused
			look(m.Name, fmt.Sprintf("VLAN %d", m.VLAN), "write a shorter name for the interface under it (ports:)")
		}
	}
	for _, p := range h.Ports {
		if p.Declared && p.Used && !made[p.Interface] {
			look(p.Interface, "port "+p.ID, "write the interface's own name (ip link)")
		}
	}
}

// UnfitInterface returns the reason why a name cannot be that of an interface on Linux; empty: it can. The kernel
// accepts up to 15 bytes without / and spaces (dev_valid_name); every file format accepts letters, digits, - _ and
// dots.
func UnfitInterface(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > 15:
		return fmt.Sprintf("it has %d bytes, and Linux takes 15", len(name))
	case name == "lo" || name == "all" || name == "default":
		return "the kernel uses that name for something else"
	case !device.BareWord(name) || strings.ContainsAny(name, ":/"):
		return "it may have letters, digits, - _ and dots, and begins with a letter or digit"
	}
	return ""
}

// classGaps adds the settings of the fabric's classes that are not made on a port.
func classGaps(c *device.Collector, h *device.Host, p *device.Port) {
	q, driver := h.QoS, p.Driver(name)
	if mark := q.RoCEMark(); mark >= 0 && p.RoCEv2 && p.RDMA && !strings.Contains(driver, "mlx") {
		of := driver
		if of == "" {
			of = "not known"
		}
		c.Warn(device.GapClasses, "have its programs mark it, or take a NIC of NVIDIA's",
			"RoCE is not marked with DSCP %d: no document says how a NIC of the driver %s is configured; traffic that is not "+
				"marked is in no class", mark, of).At(p.ID)
	}
	if strings.Contains(driver, "mlx4") && q.Trust == "dscp" &&
		slices.ContainsFunc(q.Classes, func(c device.Class) bool { return len(c.DSCP) > 0 }) {
		c.Warn("", "write trust: pcp with a VLAN, or take a ConnectX-4 or newer",
			"a DSCP map is not set: no document gives one for the driver mlx4; a class goes by the priority of a VLAN tag "+
				"there").At(p.ID)
	}
	if q.Trust == "port" {
		c.Warn("", "write trust: dscp",
			"trust: port: Linux has no such setting; the classes of a port go by DSCP and tag").At(p.ID)
	}
}
