package plan

import (
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/device/families"
	"linerate/internal/record"
)

var ruleDriver = Rule{
	ID:    "driver",
	Title: "driver of that NIC on that operating system",
	Why:   "old NICs lose their drivers with the next release, and new ones get them late",
	Worst: record.Warning,
	check: func(c *checkup) {
		for _, n := range c.nics {
			part := n.Part
			if part == nil || part.Confidence == catalog.Declared || n.host.OS == "" {
				continue
			}
			d, _, system, ok := driverOf(n.host.Decl, part)
			subject, line := "part "+part.Name, n.At.Line
			switch {
			case !ok:
				c.info(subject, line, "look for its driver before buying",
					"whether %s has a driver for it is not known, because no source of the catalogue says so", system)
			case strings.HasPrefix(d.Status, "legacy"):
				c.info(subject, line,
					"find its driver, and that it is for the release that you have, before buying; or take a newer NIC",
					"its driver for %s is an old one%s; on which releases it works is not known beyond that%s", system, legacy(d),
					from(d))
			case n.RDMA == "iwarp" && strings.Contains(d.Status, "iWARP userspace dropped"):
				c.warn(subject, line, "do without RDMA, or take a newer NIC",
					"RDMA over iWARP is asked of it, and on %s that is gone: %s", system, d.Status)
			}
		}
	},
}

// legacy returns what is known of an old driver.
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

// from names the sources of a driver.
func from(d catalog.Driver) string {
	words := xslices.Map(d.From, catalog.Source.Words)
	if len(words) == 0 {
		return ""
	}
	return "; known from " + strings.Join(words, ", and ")
}

// driverOf returns the driver of a NIC on a host's system, the system whose drivers the host has (empty: one of
// several), and the title of the host's system.
func driverOf(h *fabric.Host, p *catalog.Part) (d catalog.Driver, drivers, title string, ok bool) {
	var of []string
	if system := families.OfHost(h.OS); system != nil {
		of, title = system.Host.DriversOf(h.Version)
	}
	if len(of) == 1 {
		drivers = of[0]
	}
	for _, name := range of {
		if d, ok = p.Drivers[name]; ok && (d.Driver != "" || d.Status != "") {
			return d, drivers, title, true
		}
	}
	return catalog.Driver{}, drivers, title, false
}
