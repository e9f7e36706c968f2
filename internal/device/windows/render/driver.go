package render

import (
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device/config"
)

// drivers adds, once per model of NIC, the catalogue's properties of its driver for Windows, and how to see whether the
// driver is installed.
func (r *render) drivers() {
	seen := map[*catalog.Part]bool{}
	for _, p := range r.ports {
		if p.Part == nil || seen[p.Part] || r.nic(p.Port) == nil {
			continue
		}
		seen[p.Part] = true
		var ids []string
		for _, other := range r.ports {
			if other.Part == p.Part {
				ids = append(ids, other.ID)
			}
		}
		r.d.Manual = append(r.d.Manual, config.Line{Source: msDeviceManager, Why: known(p.Part),
			Text: fmt.Sprintf("See that the %s has its driver (%s): open Device Manager (devmgmt.msc). It has to be under "+
				"Network adapters without a mark, and `Get-NetAdapter` has to list it. "+
				"If it is under Other devices or has a mark, Windows has no driver for it: right-click it, Update driver, "+
				"Search automatically; or install the maker's. "+
				"`Get-NetAdapter | Format-List Name, InterfaceDescription, DriverProvider, DriverVersionString` says which "+
				"one runs", p.Part.Name, strings.Join(ids, ", "))})
	}
}

// known describes the catalogue's properties of a NIC's driver for Windows, with their sources.
func known(part *catalog.Part) string {
	d, ok := part.Drivers["windows"]
	// The catalogue calls a driver "legacy" that its vendor no longer develops.
	status := strings.Replace(d.Status, "legacy", "old", 1)
	var says string
	switch {
	case part.Confidence == catalog.Declared:
		return "the fabric file writes the NIC out itself, and says nothing of drivers"
	case !ok || d.Driver == "" && d.Status == "":
		says = "linerate's catalogue of parts has no source on a driver for Windows"
	case d.Driver == "":
		says = fmt.Sprintf("linerate's catalogue of parts: %s. The driver's name is not known", status)
	case d.Status == "":
		says = "linerate's catalogue of parts: " + d.Driver
	default:
		says = fmt.Sprintf("linerate's catalogue of parts: %s, %s", d.Driver, status)
	}
	if !strings.Contains(d.Status, "inbox") {
		says += ". Whether Windows brings one along is not known here"
	}
	from := xslices.Map(d.From, func(s catalog.Source) string { return s.Ref })
	switch {
	case len(from) == 0:
	case d.Sources["status"] == nil: // the sources are those of the part, for all systems together
		says += ". What it says of this NIC's drivers, on all systems, comes from: " + strings.Join(from, "; ")
	default:
		says += ". Known from: " + strings.Join(from, "; ")
	}
	return says
}
