package linux

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// manager is a program that configures a host's network at boot, and whose files are rendered.
type manager struct {
	name  string // the value of a host's settings: {network: ..}, and of MANAGER before install.sh
	words string // what people call it
	files func(*context) []device.File
	now   string // how it takes its files without a reboot
}

// managers are all whose files are rendered. What they are known by on a machine is in install.sh (chargeText).
var managers = []manager{
	{plan.Netplan, "netplan", (*context).netplan, "`netplan try`, which goes back by itself after two minutes unless you say that it is well"},
	{plan.Networkd, "systemd-networkd", (*context).networkd, "`networkctl reload`"},
	{plan.NetworkManager, "NetworkManager", (*context).keyfiles, "`nmcli connection reload` and `nmcli connection up` of each connection that begins with linerate-"},
	{plan.Ifupdown, "ifupdown", (*context).ifupdown1, "`ifdown` and `ifup` of each interface"},
	{plan.Ifupdown2, "ifupdown2", (*context).ifupdown2, "`ifreload -a`"},
}

func managerCalled(name string) []manager {
	return slices.DeleteFunc(slices.Clone(managers), func(m manager) bool { return m.name != name })
}

// inCharge are the managers that the host's files are for, and why. Several: the plan does not say which one the host has, and
// install.sh finds out. None: no files.
func (c *context) inCharge() (list []manager, why string) {
	names, why, _ := c.host.Managers()
	for _, n := range names {
		list = append(list, managerCalled(n)...)
	}
	return list, why
}

// folder is where the files of a manager are below files/: in one of its own where there are several.
func folder(m manager, of []manager) string {
	if len(of) == 1 {
		return ""
	}
	return "/" + m.name
}

// installs says to a person what install.sh does about the manager.
func (c *context) installs(list []manager, why string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		m := list[0]
		return fmt.Sprintf("\n- They are for %s: %s. Where that would not read them, the script says so and changes nothing; `MANAGER=%s sh install.sh` puts them in place all the same, `MANAGER=none` only those that no network manager reads.\n- They take effect with the next boot, or now with %s.",
			m.words, why, m.name, m.now)
	}
	var names []string
	for _, m := range list {
		names = append(names, m.name)
	}
	return fmt.Sprintf("\n- Which network manager this machine has, the plan does not say (%s); so the script finds out, says which and why, and puts in place the files for that one alone.\n- Where it is not clear it changes nothing: `MANAGER=NAME sh install.sh` chooses one of %s, or none for what no manager reads.\n- The files take effect with the next boot, or with what the script names at its end.",
		why, strings.Join(names, ", "))
}
