package linux

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The network managers whose files are rendered: the values of a host's settings: {network: ..}.
const (
	networkd = "networkd"
	netplan  = "netplan"
	keyfiles = "networkmanager"
	ifupdown = "ifupdown"
	noFiles  = "none"
)

var managers = []string{networkd, netplan, keyfiles, ifupdown, noFiles}

// systems says which manager a system is delivered with. The first word that its version begins with decides.
var systems = []struct{ word, manager, why string }{
	{"ubuntu", netplan, "Ubuntu comes with netplan"},
	{"debian", ifupdown, "a Debian server comes with ifupdown"},
	{"fedora", keyfiles, "Fedora comes with NetworkManager"},
	{"red hat", keyfiles, "Red Hat Enterprise Linux comes with NetworkManager"},
	{"rhel", keyfiles, "Red Hat Enterprise Linux comes with NetworkManager"},
	{"rocky", keyfiles, "Rocky Linux comes with NetworkManager"},
	{"alma", keyfiles, "AlmaLinux comes with NetworkManager"},
	{"centos", keyfiles, "CentOS comes with NetworkManager"},
}

var firstNumber = regexp.MustCompile(`[0-9]+`)

// manager is what reads the host's files, and why it was chosen.
func (c *context) manager() (name, why string) {
	if m, ok := c.host.Decl.Settings["network"]; ok {
		if !slices.Contains(managers, m) {
			c.fail(fmt.Errorf("settings: network: %q is none of %s", m, strings.Join(managers, ", ")))
		}
		return m, "the fabric file says network: " + m
	}
	if c.host.OS == "proxmox" {
		return ifupdown, "Proxmox VE comes with ifupdown2"
	}
	version := strings.ToLower(c.host.Decl.Version)
	for _, s := range systems {
		if !strings.HasPrefix(version, s.word) {
			continue
		}
		if n, err := strconv.Atoi(firstNumber.FindString(version)); err == nil && s.manager == keyfiles && s.word != "fedora" && n < 7 {
			return noFiles, "this release is older than the keyfiles of NetworkManager"
		}
		return s.manager, s.why
	}
	if version == "" {
		return networkd, "the file does not say which Linux it is"
	}
	return networkd, "no other one is known of this system"
}

// managerWords is what people call it.
func managerWords(m string) string {
	return map[string]string{networkd: "systemd-networkd", netplan: "netplan", keyfiles: "NetworkManager", ifupdown: "ifupdown"}[m]
}

// reload says how the manager takes its files without a reboot.
func (c *context) reload(m string) string {
	switch {
	case m == networkd:
		return "`networkctl reload`"
	case m == netplan:
		return "`netplan try`, which goes back by itself after two minutes unless you say that it is well"
	case m == keyfiles:
		return "`nmcli connection reload` and `nmcli connection up` of each connection that begins with linerate-"
	case c.host.OS == "proxmox":
		return "`ifreload -a`"
	}
	return "`ifdown` and `ifup` of each interface"
}
