package linux

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/config/device"
)

// manager is a program that configures a host's network at boot, and whose files are rendered.
type manager struct {
	name  string // the value of a host's settings: {network: ..}, and of MANAGER before install.sh
	words string // what people call it
	files func(*context) []device.File
	now   string // how it takes its files without a reboot
}

// noFiles is the value of settings: {network: ..} with which no manager's files are rendered.
const noFiles = "none"

// managers are all whose files are rendered. What they are known by on a machine is in install.sh (chargeText).
var managers = []manager{
	{"netplan", "netplan", (*context).netplan, "`netplan try`, which goes back by itself after two minutes unless you say that it is well"},
	{"networkd", "systemd-networkd", (*context).networkd, "`networkctl reload`"},
	{"networkmanager", "NetworkManager", (*context).keyfiles, "`nmcli connection reload` and `nmcli connection up` of each connection that begins with linerate-"},
	{"ifupdown", "ifupdown", (*context).ifupdown1, "`ifdown` and `ifup` of each interface"},
	{"ifupdown2", "ifupdown2", (*context).ifupdown2, "`ifreload -a`"},
}

func managerCalled(name string) []manager {
	return slices.DeleteFunc(slices.Clone(managers), func(m manager) bool { return m.name != name })
}

// systems says which manager a system is delivered with, if it is one alone. The first word that its version begins with decides.
var systems = []struct{ word, manager, why string }{
	{"ubuntu", "netplan", "Ubuntu comes with netplan"},
	{"debian", "", "Debian comes with one or another, by how it was installed"},
	{"fedora", "networkmanager", "Fedora comes with NetworkManager"},
	{"red hat", "networkmanager", "Red Hat Enterprise Linux comes with NetworkManager"},
	{"rhel", "networkmanager", "Red Hat Enterprise Linux comes with NetworkManager"},
	{"rocky", "networkmanager", "Rocky Linux comes with NetworkManager"},
	{"alma", "networkmanager", "AlmaLinux comes with NetworkManager"},
	{"centos", "networkmanager", "CentOS comes with NetworkManager"},
}

var firstNumber = regexp.MustCompile(`[0-9]+`)

// inCharge are the managers that the host's files are for, and why. Several: the plan does not say which one the host has, and
// install.sh finds out. None: no files.
func (c *context) inCharge() (list []manager, why string) {
	if m, ok := c.host.Decl.Settings["network"]; ok {
		if m == "ifupdown" && c.host.OS == "proxmox" {
			m = "ifupdown2"
		}
		list = managerCalled(m)
		if len(list) == 0 && m != noFiles {
			var names []string
			for _, m := range managers {
				names = append(names, m.name)
			}
			c.fail(fmt.Errorf("settings: network: %q is none of %s, %s", m, strings.Join(names, ", "), noFiles))
		}
		return list, "the fabric file says network: " + m
	}
	if c.host.OS == "proxmox" {
		return managerCalled("ifupdown2"), "Proxmox VE comes with ifupdown2"
	}
	version := strings.ToLower(c.host.Decl.Version)
	for _, s := range systems {
		if !strings.HasPrefix(version, s.word) {
			continue
		}
		if s.manager == "" {
			return managers, s.why
		}
		if n, err := strconv.Atoi(firstNumber.FindString(version)); err == nil && s.manager == "networkmanager" && s.word != "fedora" && n < 7 {
			return nil, "this release is older than the keyfiles of NetworkManager"
		}
		return managerCalled(s.manager), s.why
	}
	if version == "" {
		return managers, "the fabric file says neither its Linux nor settings: {network: ..}"
	}
	return managers, "it is not known here what this system comes with"
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
		return fmt.Sprintf("They are for %s: %s. If that would not read them here, it says so and changes nothing; `MANAGER=%s sh install.sh` puts them in place all the same, `MANAGER=none` only those that no network manager reads. They take effect with the next boot, or now with %s.",
			m.words, why, m.name, m.now)
	}
	var names []string
	for _, m := range list {
		names = append(names, m.name)
	}
	return fmt.Sprintf("Which network manager this machine has, the plan does not say (%s); so the script finds out, says which and why, and puts in place the files for that one alone. Where it is not clear it changes nothing: `MANAGER=NAME sh install.sh` chooses one of %s, or none for what no manager reads. The files take effect with the next boot, or with what the script names at its end.",
		why, strings.Join(names, ", "))
}
