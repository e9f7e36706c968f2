package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/device/config"
	"linerate/internal/device/linux"
)

// manager is a program that configures a host's network at boot, with rendered files.
type manager struct {
	name  string // the value of a host's settings: {network: ..}, and of MANAGER before install.sh
	words string // its display name
	files func(*context) []config.File
	now   string // the command that makes it read its files without a reboot
}

// managers are all managers with rendered files. install.sh recognizes them on a machine (chargeText).
var managers = []manager{
	{linux.Netplan, "netplan", (*context).netplan,
		"`netplan try`, which goes back by itself after two minutes unless you say that it is well"},
	{linux.Networkd, "systemd-networkd", (*context).networkd, "`networkctl reload`"},
	{linux.NetworkManager, "NetworkManager", (*context).keyfiles,
		"`nmcli connection reload` and `nmcli connection up` of each connection that begins with linerate-"},
	{linux.Ifupdown, "ifupdown", (*context).ifupdown1, "`ifdown` and `ifup` of each interface"},
	{linux.Ifupdown2, "ifupdown2", (*context).ifupdown2, "`ifreload -a`"},
}

func managerCalled(name string) []manager {
	return slices.DeleteFunc(slices.Clone(managers), func(m manager) bool { return m.name != name })
}

// inCharge returns the managers that the host's files are for, and why. Several: the plan does not name the host's
// manager, and install.sh finds out. None: no files.
func (c *context) inCharge() (list []manager, why string) {
	names, why, _ := linux.Managers(c.host.OS, c.host.Decl.Version, c.host.Decl.Settings)
	for _, n := range names {
		list = append(list, managerCalled(n)...)
	}
	return list, why
}

// folder returns the folder of a manager's files below files/: a separate one if there are several managers.
func folder(m manager, of []manager) string {
	if len(of) == 1 {
		return ""
	}
	return "/" + m.name
}

// installs describes what install.sh does about the manager.
func (c *context) installs(list []manager, why string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		m := list[0]
		return fmt.Sprintf("\n- They are for %s: %s. Where that would not read them, the script says so and changes "+
			"nothing; `MANAGER=%s sh install.sh` puts them in place all the same, `MANAGER=none` only those that no network "+
			"manager reads.\n- They take effect with the next boot, or now with %s.",
			m.words, why, m.name, m.now)
	}
	names := xslices.Map(list, func(m manager) string { return m.name })
	return fmt.Sprintf("\n- Which network manager this machine has, the plan does not say (%s); so the script finds "+
		"out, says which and why, and puts in place the files for that one alone.\n- Where it is not clear it changes "+
		"nothing: `MANAGER=NAME sh install.sh` chooses one of %s, or none for what no manager reads.\n- The files take "+
		"effect with the next boot, or with what the script names at its end.",
		why, strings.Join(names, ", "))
}
