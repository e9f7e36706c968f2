package freebsd

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/device"
)

// TrueNAS is TrueNAS, whose releases have the kernel of FreeBSD or of Linux.
var TrueNAS = &device.System{Name: "truenas", Family: "truenas", Title: "TrueNAS",
	Synonyms: []string{"freenas", "truenas-scale", "truenas-core"}, Host: &device.HostSystem{
		Editions:  []string{"core", "scale"},
		Gaps:      trueNASGaps,
		Drivers:   trueNASDrivers,
		DriversOf: trueNASDriversOf,

		RefusesSharedSubnet: true,
	}, Traits: device.Traits{ByHand: true}}

// trueNASDrivers returns the system whose drivers a release has: TrueNAS CORE and FreeNAS are FreeBSD, SCALE is Linux;
// the number of a release also decides. Empty: the release leaves it open.
func trueNASDrivers(version string) string {
	v := strings.ToLower(version)
	switch {
	case strings.Contains(v, "core") || strings.Contains(v, "freenas"):
		return "freebsd"
	case strings.Contains(v, "scale") || strings.Contains(v, "community"):
		return "linux"
	}
	// FreeNAS and CORE have releases 9 to 13; SCALE's begin with the year.
	number, _, _ := strings.Cut(strings.TrimSpace(v), ".")
	switch n, err := strconv.Atoi(number); {
	case err == nil && n >= 9 && n <= 13:
		return "freebsd"
	case err == nil && n >= 20 && n <= 99:
		return "linux"
	}
	return ""
}

// trueNASDriversOf returns the systems whose drivers a release can have, and its title: FreeBSD up to CORE 13, Linux in
// SCALE and from 24 on. Without a release it can be either.
func trueNASDriversOf(version string) (systems []string, title string) {
	v := strings.ToLower(version)
	ofCore := func(n string) bool { return v == n || strings.HasPrefix(v, n+".") }
	switch {
	case strings.Contains(v, "core") || strings.Contains(v, "freenas"),
		slices.ContainsFunc([]string{"9", "11", "12", "13"}, ofCore):
		return []string{"freebsd"}, "TrueNAS (FreeBSD)"
	case v != "":
		return []string{"linux"}, "TrueNAS (Linux)"
	}
	return []string{"linux", "freebsd"}, "TrueNAS"
}

func trueNASGaps(c *device.Collector, h *device.Host) {
	seen := map[string]bool{}
	for _, p := range h.Ports {
		if !p.Address.IsValid() {
			continue
		}
		subnet := p.Address.Masked().String()
		if seen[subnet] {
			c.Error("", "give each link a subnet of its own, or join the ports in a bond",
				"several ports in %s, and TrueNAS allows one interface a subnet (its manual)", subnet).By(device.RuleSameSubnet)
			break
		}
		seen[subnet] = true
	}
	switch trueNASDrivers(h.Version) {
	case name:
		nameGaps(c, h)
		gaps(c, h)
		return
	case "":
		nameGaps(c, h)
	}
	for _, b := range h.Bonds {
		if b.Mode == "set" {
			device.TeamOfWindows(c, h, b)
		}
	}
	if h.QoS != nil && h.CarriesClasses() {
		c.Warn(device.GapClasses, "run FreeBSD or Linux there, or leave the host out of the classes",
			"the fabric's classes are not set: no documented place of TrueNAS for them outlives an update")
	}
}
