package plan

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The network managers of Linux whose files are rendered: the values of a host's settings: {network: ..}.
const (
	Netplan        = "netplan"
	Networkd       = "networkd"
	NetworkManager = "networkmanager"
	Ifupdown       = "ifupdown"
	Ifupdown2      = "ifupdown2"
	NoManager      = "none" // no files
)

// networkManagers are all whose files are rendered.
var networkManagers = []string{Netplan, Networkd, NetworkManager, Ifupdown, Ifupdown2}

// linuxSystems say which manager a system is delivered with, if it is one alone. The first word that its version begins with decides.
var linuxSystems = []struct{ word, manager, why string }{
	{"ubuntu", Netplan, "Ubuntu comes with netplan"},
	{"debian", "", "Debian comes with one or another, by how it was installed"},
	{"fedora", NetworkManager, "Fedora comes with NetworkManager"},
	{"red hat", NetworkManager, "Red Hat Enterprise Linux comes with NetworkManager"},
	{"rhel", NetworkManager, "Red Hat Enterprise Linux comes with NetworkManager"},
	{"rocky", NetworkManager, "Rocky Linux comes with NetworkManager"},
	{"alma", NetworkManager, "AlmaLinux comes with NetworkManager"},
	{"centos", NetworkManager, "CentOS comes with NetworkManager"},
}

var firstNumber = regexp.MustCompile(`[0-9]+`)

// Managers are what may read a Linux host's network files, and why. Several: the plan does not say which one the host has. None: the file
// asks for none, or none is known; ok is false if the file names one that is not known.
func (h *Host) Managers() (list []string, why string, ok bool) {
	if m, said := h.Decl.Settings["network"]; said {
		if m == Ifupdown && h.OS == "proxmox" {
			m = Ifupdown2
		}
		why = "the fabric file says network: " + m
		if slices.Contains(networkManagers, m) {
			return []string{m}, why, true
		}
		return nil, why, m == NoManager
	}
	if h.OS == "proxmox" {
		return []string{Ifupdown2}, "Proxmox VE comes with ifupdown2", true
	}
	version := strings.ToLower(h.Decl.Version)
	for _, s := range linuxSystems {
		if !strings.HasPrefix(version, s.word) {
			continue
		}
		if s.manager == "" {
			return networkManagers, s.why, true
		}
		if n, err := strconv.Atoi(firstNumber.FindString(version)); err == nil && s.manager == NetworkManager && s.word != "fedora" && n < 7 {
			return nil, "this release is older than the keyfiles of NetworkManager", true
		}
		return []string{s.manager}, s.why, true
	}
	if version == "" {
		return networkManagers, "the fabric file says neither its Linux nor settings: {network: ..}", true
	}
	return networkManagers, "it is not known here what this system comes with", true
}
