package plan

import (
	"fmt"
	"linerate/internal/record"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// windowsSetting is a value of settings: that config renders for Windows.
type windowsSetting struct {
	want string // what may be written
	fits func(string) bool
}

func oneOf(list ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(list, s) }
}

var onOrOff = windowsSetting{"on or off", oneOf("on", "true", "yes", "off", "false", "no")}

var windowsSettings = map[string]windowsSetting{
	"smb-dialect":      {"2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1", oneOf("2.0.2", "2.1", "3.0", "3.0.2", "3.1.1")},
	"smb-multichannel": onOrOff,
	"ecn":              onOrOff,
	"smb-rdma-connections": {"a number from 1 to 16", func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n >= 1 && n <= 16
	}},
	"networkdirect-across-subnets": {"allow or block", oneOf("allow", "allowed", "on", "true", "block", "blocked", "off", "false")},
}

// WindowsMatches are the values of match: that Windows has a filter for.
var WindowsMatches = []string{"smb-direct", "iscsi"}

// UnfitAdapter says why a name cannot be an adapter's in PowerShell, which takes * ? [ ] for patterns that could fit another adapter.
func UnfitAdapter(name string) string {
	switch {
	case strings.ContainsAny(name, "*?[]`"):
		return "it takes * ? [ ] ` for a pattern"
	case strings.TrimSpace(name) == "":
		return "it is empty"
	}
	return ""
}

func (l *lacking) windows(h *Host) {
	for _, p := range h.Ports {
		if p.plugged() && p.Declared && nic(h, p.Card) != nil {
			if why := UnfitAdapter(p.Interface); why != "" {
				l.add(record.Error, "", "rename the adapter (Rename-NetAdapter), and write the new name", "port %s: %q cannot be written into PowerShell as the name of a network adapter: %s", p.ID, p.Interface, why)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(h.Decl.Settings)) {
		value := h.Decl.Settings[key]
		if slices.Contains(forwardingKeys, key) {
			continue // it says what the host does, and asks nothing of it
		}
		s, ok := windowsSettings[key]
		switch {
		case !ok:
			l.add(record.Warning, "", "set it by hand", "settings: %s: no documented command of Windows is known for it here", key)
		case !s.fits(value):
			l.add(record.Error, "", "write "+s.want, "settings: %s: %s is not known here", key, value)
		}
	}
	l.windowsBonds(h)
	l.windowsClasses(h)
}

func (l *lacking) windowsBonds(h *Host) {
	for _, p := range h.Ports {
		b := h.bondOf(p)
		if b == nil || !p.plugged() {
			continue
		}
		if p.VLAN > 0 {
			l.add(record.Warning, "", "set it by hand (Set-VMNetworkAdapterVlan -ManagementOS), or take it out of the subnet (vlan:)", "bond %s: VLAN %d of its virtual adapter is not set", b.Name, p.VLAN).of(b.Name)
		}
		if b.Mode != "set" {
			l.add(record.Warning, "", "make it by hand (Server Manager, NIC Teaming), or write mode: set",
				"bond %s: mode %s is not made: apply.ps1 expects a team whose adapter is named vEthernet (%s)", b.Name, b.Mode, b.Name).of(b.Name)
		}
	}
}

// windowsClasses says what of the classes Windows has no setting for. Its ports on Ethernet carry them.
func (l *lacking) windowsClasses(h *Host) {
	q := l.p.QoS()
	if q == nil || !slices.ContainsFunc(h.Ports, func(p *Port) bool { return p.plugged() && h.carriesClasses(p) }) {
		return
	}
	for _, c := range q.Classes {
		switch {
		case c.Default:
		case c.CNP || c.Strict:
			l.add(record.Info, "", "", "class %s: the card's firmware sends congestion notifications by itself (NVIDIA's with priority 6 and DSCP 48 by default); Windows has no setting for it, and its own class carries priority %d", c.Name, c.Priority).of(c.Name)
		case !slices.Contains(WindowsMatches, c.Match):
			match := "which traffic belongs to it is not written (match:)"
			if c.Match != "" {
				match = fmt.Sprintf("no documented filter of Windows is known for match: %s", c.Match)
			}
			l.add(record.Warning, "", "write match: smb-direct or match: iscsi, or have its programs set the priority", "class %s: %s; its programs have to set priority %d themselves", c.Name, match, c.Priority).of(c.Name)
		}
	}
	for _, p := range h.Ports {
		if p.plugged() && h.carriesClasses(p) && strings.Contains(p.driver("windows"), "mlx4") {
			l.add(record.Warning, "", "run apply.ps1 again after each start, for instance as a task at startup, or take a ConnectX-4 or newer", "with WinOF (ConnectX-3) the classes do not outlive a restart (NVIDIA's manual)").at(p.ID)
		}
	}
}
