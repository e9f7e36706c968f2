package guide

import (
	"fmt"

	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
)

// system is how people look at a host's network on its operating system.
type system struct {
	name       string
	interfaces string // lists the interfaces
	carrier    string // says which have a link
	speed      string // says how fast it is
	addresses  string // shows the addresses that the host has
	route      string // shows the default route
	iperf      string // where iperf3 comes from
}

// systems are the operating systems of hosts, by the names that the catalogue has for them; TrueNAS stands by itself while nobody
// says which kernel it has.
var systems = map[string]system{
	"linux": {"Linux", "`ip -br link`", "`ip link set dev NAME up`, then `ip -br link`: NO-CARRIER means that there is no link", "`cat /sys/class/net/NAME/speed` (in Mb/s)", "`ip -br address` and `ip route`", "`ip route show default`",
		"its package is called iperf3 (Debian, Ubuntu, Proxmox: `apt install iperf3`)"},
	"freebsd": {"FreeBSD, TrueNAS CORE", "`ifconfig -l`", "`ifconfig NAME up`, then `ifconfig NAME`: `status: active` means that there is a link", "`ifconfig NAME` (the line media)", "`ifconfig` and `netstat -rn`", "`netstat -rn`",
		"`pkg install iperf3`; TrueNAS has iperf in its shell (the FreeNAS manual), look with `iperf3 --version`"},
	"windows": {"Windows", "`Get-NetAdapter`", "`Get-NetAdapter`: Status Up means that there is a link", "`Get-NetAdapter` (LinkSpeed)", "`ipconfig`", "`route print 0.0.0.0`",
		"iperf3's documentation names builds of others (iperf.fr); its makers support Linux, FreeBSD and macOS alone"},
	"truenas": {"TrueNAS", "`ifconfig -l` (CORE) or `ip -br link` (SCALE)", "`ifconfig NAME` (CORE) or `ip -br link` (SCALE)", "`ifconfig NAME` (CORE) or `cat /sys/class/net/NAME/speed` (SCALE)", "`netstat -rn`", "`netstat -rn`",
		"look with `iperf3 --version` in its shell"},
}

// order of the systems on the page.
var systemNames = []string{"linux", "freebsd", "windows", "truenas"}

// systemOf is the key of a host's system; empty if the file does not say it, or one that nothing is known of here.
func systemOf(h *plan.Host) string {
	key := catalog.SystemOf(h.OS, h.Decl.Version)
	if key == "" && h.OS == "truenas" {
		return "truenas"
	}
	if _, ok := systems[key]; !ok {
		return ""
	}
	return key
}

// used are the systems of the plan's hosts, each once.
func (w *writer) used() []string {
	seen := map[string]bool{}
	for _, h := range w.p.Hosts {
		seen[systemOf(h)] = true
	}
	var out []string
	for _, s := range systemNames {
		if seen[s] {
			out = append(out, s)
		}
	}
	return out
}

// by writes one thing of each system that the fabric has: "Linux: `..`; Windows: `..`".
func (w *writer) by(what func(system) string) string {
	out := ""
	for _, key := range w.used() {
		if out != "" {
			out += "; "
		}
		out += fmt.Sprintf("%s: %s", systems[key].name, what(systems[key]))
	}
	return out
}

func (w *writer) before() {
	w.next("Before a card goes in, note on each host which interfaces it has and which of them is the house's network. %s.", w.by(func(s system) string { return s.interfaces }))
	w.under("Have a monitor and a keyboard at hand: a new card can change the names of the interfaces that were there before, and a host whose network hangs on such a name is then cut off.")
}
