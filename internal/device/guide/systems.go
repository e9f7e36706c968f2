package guide

import (
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/families"
)

// system has the commands that show a host's network on an operating system.
type system struct {
	name       string
	interfaces string // lists the interfaces
	carrier    string // shows which have a link
	speed      string // shows the speed
	addresses  string // shows the addresses that the host has
	route      string // shows the default route
	iperf      string // how to install iperf3
}

// systems are the operating systems of hosts, by their names in the catalogue. TrueNAS is separate as long as its
// kernel is unknown.
var systems = map[string]system{
	"linux": {"Linux", "`ip -br link`", "`ip link set dev NAME up`, then `ip -br link`: NO-CARRIER means no " +
		"link", "`cat /sys/class/net/NAME/speed` (in Mb/s)", "`ip -br address` and `ip route`",
		"`ip route show default`",
		"`apt install iperf3` (Debian, Ubuntu, Proxmox), or the package iperf3 of your system"},
	"freebsd": {
		"FreeBSD, TrueNAS CORE",
		"`ifconfig -l`",
		"`ifconfig NAME up`, then `ifconfig NAME`: `status: active` means a link",
		"`ifconfig NAME` (the line media)",
		"`ifconfig` and `netstat -rn`",
		"`netstat -rn`",
		"`pkg install iperf3`; TrueNAS CORE: included (FreeNAS manual), check with `iperf3 --version`",
	},
	"windows": {"Windows", "`Get-NetAdapter`", "`Get-NetAdapter`: Status Up means a link",
		"`Get-NetAdapter` (LinkSpeed)", "`ipconfig`", "`route print 0.0.0.0`",
		"builds from iperf.fr (unofficial)"},
	"truenas": {"TrueNAS", "`ifconfig -l` (CORE) or `ip -br link` (SCALE)", "`ifconfig NAME` (CORE) or `ip -br link` " +
		"(SCALE)", "`ifconfig NAME` (CORE) or `cat /sys/class/net/NAME/speed` (SCALE)", "`netstat -rn`", "`netstat -rn`",
		"check with `iperf3 --version` in its shell"},
}

// systemNames are the systems in the order of the page.
var systemNames = []string{"linux", "freebsd", "windows", "truenas"}

// systemOf returns the key of a host's system; empty if the file does not name it, or if it is unknown.
func systemOf(h *plan.Host) string {
	key := families.Drivers(h.OS, h.Decl.Version)
	if key == "" && h.OS == "truenas" {
		return "truenas"
	}
	if _, ok := systems[key]; !ok {
		return ""
	}
	return key
}

// used returns the systems of the plan's hosts, each once.
func (w *writer) used() []string {
	seen := xslices.SetOf(w.p.Hosts, systemOf)
	return xslices.Filter(systemNames, func(s string) bool { return seen[s] })
}

// by writes one command for each system of the fabric: "Linux: `..`; Windows: `..`".
func (w *writer) by(what func(system) string) string {
	out := xslices.Map(w.used(), func(key string) string { return systems[key].name + ": " + what(systems[key]) })
	return strings.Join(out, "; ")
}

func (w *writer) before() {
	w.next("Before you install a NIC, write down the interfaces of each host, and which one is in the LAN. %s.",
		w.by(func(s system) string { return s.interfaces }))
	w.under("Keep a monitor and a keyboard ready. A new NIC can rename existing interfaces, and then the host may lose " +
		"its LAN connection.")
}
