package plan

import (
	"slices"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

var ruleDriver = Rule{
	ID:    "driver",
	Title: "driver of that card on that operating system",
	Why:   "old cards lose their drivers with the next release, and new ones get them late",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, card := range c.cards {
			part := card.nic.Part
			if part == nil || part.Confidence == catalog.Declared || card.host.OS == "" {
				continue
			}
			d, system, ok := driverOf(card.host.Decl, part)
			subject, line := "part "+part.Name, card.nic.At.Line
			switch {
			case !ok:
				out = append(out, said(record.Info, subject, line, "look for its driver before buying",
					"whether %s has a driver for it is not known, because no source of the catalogue says so", system))
			case strings.HasPrefix(d.Status, "legacy"):
				out = append(out, said(record.Info, subject, line, "find its driver, and that it is for the release that you have, before buying; or take a newer card",
					"its driver for %s is an old one%s; on which releases it works is not known beyond that%s", system, legacy(d), from(d)))
			case card.nic.RDMA == "iwarp" && strings.Contains(d.Status, "iWARP userspace dropped"):
				out = append(out, said(record.Warning, subject, line, "do without RDMA, or take a newer card",
					"RDMA over iWARP is asked of it, and on %s that is gone: %s", system, d.Status))
			}
		}
		return out
	},
}

// legacy is what is known of a driver that is old.
func legacy(d catalog.Driver) string {
	text := ""
	if d.Driver != "" {
		text = ", " + d.Driver
	}
	if _, more, ok := strings.Cut(d.Status, ": "); ok {
		text += ": " + more
	}
	return text
}

// from names where it is known from.
func from(d catalog.Driver) string {
	var words []string
	for _, s := range d.From {
		words = append(words, s.Words())
	}
	if len(words) == 0 {
		return ""
	}
	return "; known from " + strings.Join(words, ", and ")
}

// driverOf finds the driver of a card on a host's system, and how that system is called.
func driverOf(h *fabric.Host, p *catalog.Part) (d catalog.Driver, system string, ok bool) {
	names := map[string]string{"linux": "Linux", "proxmox": "Proxmox (Linux)", "freebsd": "FreeBSD", "windows": "Windows", "macos": "macOS"}
	keys := []string{h.OS}
	system = names[h.OS]
	switch h.OS {
	case "proxmox":
		keys = []string{"linux"}
	case "truenas":
		keys, system = trueNAS(h.Version)
	}
	for _, k := range keys {
		if d, ok = p.Drivers[k]; ok && (d.Driver != "" || d.Status != "") {
			return d, system, true
		}
	}
	return catalog.Driver{}, system, false
}

// trueNAS says which kernel a release of TrueNAS has: FreeBSD up to CORE 13,
// Linux in SCALE and from 24 on. Without a release it may be either.
func trueNAS(version string) (keys []string, system string) {
	v := strings.ToLower(version)
	switch {
	case strings.Contains(v, "core") || strings.Contains(v, "freenas") || slices.ContainsFunc([]string{"9", "11", "12", "13"}, func(n string) bool { return v == n || strings.HasPrefix(v, n+".") }):
		return []string{"freebsd"}, "TrueNAS (FreeBSD)"
	case v != "":
		return []string{"linux"}, "TrueNAS (Linux)"
	}
	return []string{"linux", "freebsd"}, "TrueNAS"
}
