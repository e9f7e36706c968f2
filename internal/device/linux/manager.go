package linux

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The network managers of Linux with a renderer: the values of a host's settings: {network: ..}.
const (
	Netplan        = "netplan"
	Networkd       = "networkd"
	NetworkManager = "networkmanager"
	Ifupdown       = "ifupdown"
	Ifupdown2      = "ifupdown2"
	NoManager      = "none" // no files
)

// managerNames are all of them.
var managerNames = []string{Netplan, Networkd, NetworkManager, Ifupdown, Ifupdown2}

// distributions are the default managers of distributions; empty: one of several. The first word that the fabric file's
// version begins with decides.
var distributions = []struct{ word, manager, why string }{
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

// Managers returns the programs that can read a Linux host's network files, and why. Several: the plan does not say
// which one the host has. None: the file requests none, or none is known; ok is false if the file names an unknown one.
// os and version are those of the fabric file, settings the host's own.
func Managers(os, version string, settings map[string]string) (list []string, why string, ok bool) {
	if m, given := settings["network"]; given {
		if m == Ifupdown && os == proxmox {
			m = Ifupdown2
		}
		why = "the fabric file says network: " + m
		if slices.Contains(managerNames, m) {
			return []string{m}, why, true
		}
		return nil, why, m == NoManager
	}
	if os == proxmox {
		return []string{Ifupdown2}, "Proxmox VE comes with ifupdown2", true
	}
	version = strings.ToLower(version)
	for _, s := range distributions {
		if !strings.HasPrefix(version, s.word) {
			continue
		}
		if s.manager == "" {
			return managerNames, s.why, true
		}
		if n, err := strconv.Atoi(
			firstNumber.FindString(version),
		); err == nil && s.manager == NetworkManager && s.word != "fedora" &&
			n < 7 {
			return nil, "this release is older than the keyfiles of NetworkManager", true
		}
		return []string{s.manager}, s.why, true
	}
	if version == "" {
		return managerNames, "the fabric file says neither its Linux nor settings: {network: ..}", true
	}
	return managerNames, "it is not known here what this system comes with", true
}
