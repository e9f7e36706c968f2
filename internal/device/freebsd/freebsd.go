// Package freebsd describes hosts with FreeBSD and TrueNAS: interface names, and the parts of a plan that linerate does
// not configure.
package freebsd

import (
	"fmt"
	"regexp"
	"strings"

	"linerate/internal/device"
)

// name is the value of os:, and the system of its drivers.
const name = "freebsd"

// System is FreeBSD.
var System = &device.System{Name: name, Family: name, Title: "FreeBSD", Synonyms: []string{"bsd"},
	Editions: []string{"pfsense", "opnsense"}, Host: &device.HostSystem{
		Gaps: func(c *device.Collector, h *device.Host) {
			nameGaps(c, h)
			gaps(c, h)
		},
		Drivers:     func(string) string { return name },
		DriversOf:   func(string) ([]string, string) { return []string{name}, "FreeBSD" },
		LosslessNIC: losslessNIC,
	}, Traits: device.Traits{
		Ifconfig: true, ByHand: true,
		// FreeBSD has neither GSO nor GRO: the NIC's LRO does the work of Linux's GRO on receive.
		Offloads: []device.Offload{
			{Feature: "tx-checksum-ip-generic", Flag: "txcsum", Side: "sending"},
			{Feature: "tx-tcp-segmentation", Flag: "tso4", Side: "sending"},
			{Feature: "rx-lro", Flag: "lro", Side: "receiving"},
		},
		SetMTU: func(nic string, mtu int) string { return fmt.Sprintf("ifconfig %s mtu %d", nic, mtu) },
		SetWilling: func(_ string, on bool) string {
			bit := 0
			if on {
				bit = 1
			}
			return fmt.Sprintf("set it in the NIC's firmware: DCBX_WILLING_P1=%d (mlxconfig)", bit)
		},
		SyncClock: "ntpd -gq", ListFirewall: "pfctl -sr; ipfw list", AsRoot: true,
	}}

// interfaceName is the form of interface names, which become part of rc.conf variables and sysctls.
var interfaceName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,13}[a-z0-9]$`)

// IsInterface reports whether a text can be the name of an interface of FreeBSD.
func IsInterface(text string) bool { return interfaceName.MatchString(text) }

func nameGaps(c *device.Collector, h *device.Host) {
	for _, p := range h.Ports {
		if p.Plugged && p.Declared && p.Interface != "" && !IsInterface(p.Interface) {
			c.Error("", "write the interface's own name (ifconfig -l)",
				"port %s: %q cannot be written into rc.conf as an interface: a name has small letters, digits and _, such as "+
					"mlxen0", p.ID, p.Interface)
		}
	}
}

// gaps adds the gaps of a host's classes and bonds with FreeBSD's network.
func gaps(c *device.Collector, h *device.Host) {
	for i := range h.Ports {
		p := &h.Ports[i]
		if p.Bond != nil && p.Plugged && p.Bond.Mode == "set" {
			device.TeamOfWindows(c, h, p.Bond)
		}
		if h.QoS != nil && p.Plugged && p.Classes {
			classGaps(c, h, p)
		}
	}
}

// classGaps adds the settings of the fabric's classes that are not made on a port.
func classGaps(c *device.Collector, h *device.Host, p *device.Port) {
	driver := p.Driver(name)
	if driver != "mlx5en" {
		why := "no documented command of its driver sets them"
		if p.Part != nil {
			if has, known := p.Part.Drivers[name].PFC.Get(); known && !has {
				why = "its driver has no PFC"
			}
		}
		if driver != "" {
			why = driver + ": " + why
		}
		c.Warn(device.GapClasses, "take a NIC with mlx5en (ConnectX-4 or newer), or leave the host out of the classes",
			"the fabric's classes are not set (%s)", why).At(p.ID)
		return
	}
	if p.Declared && !strings.HasPrefix(p.Interface, "mce") {
		c.Warn(device.GapClasses, "write the driver's own name of it (mce0)",
			"the fabric's classes are not set: the number of its sysctls (dev.mce.N) is not known for an interface called %s",
			p.Interface).At(p.ID)
		return
	}
	c.Warn(device.GapShares, "set them by hand if the host's own direction needs them",
		"the shares of the classes (%s) are not set; dev.mce.N.conf.qos.tc_rate_share takes one value for each traffic "+
			"class of the NIC, and the driver has a rule of its own for their sum; the switch shares the link in its "+
			"direction", h.QoS.Shares()).At(p.ID)
	if h.QoS.Trust == "port" {
		c.Warn("", "write trust: dscp",
			"trust: port: the driver has no such setting; the classes of the port go by DSCP").At(p.ID)
	}
}

// losslessNIC adds a NIC for whose driver no source documents PFC.
func losslessNIC(c *device.Collector, nic device.NIC) {
	if _, known := nic.Driver.PFC.Get(); strings.HasPrefix(nic.RDMA, "roce") && !known &&
		nic.Driver.Driver != "mlx5en" {
		c.Note("", "look into the driver's manual page",
			"whether driver %s on %s has PFC is not known, because no source of the catalogue says so", nic.Driver.Driver,
			nic.System)
	}
}
