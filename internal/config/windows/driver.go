package windows

import (
	"fmt"
	"strings"

	"linerate/internal/config/device"
	"linerate/internal/design/catalog"
)

// drivers says, once for each sort of card, what the catalogue knows of its driver for Windows, and how to look whether it is there.
func (r *render) drivers() {
	seen := map[*catalog.Part]bool{}
	for _, p := range r.ports {
		if p.Part == nil || seen[p.Part] || r.card(p.Port) == nil {
			continue
		}
		seen[p.Part] = true
		var ids []string
		for _, other := range r.ports {
			if other.Part == p.Part {
				ids = append(ids, other.ID)
			}
		}
		r.d.Manual = append(r.d.Manual, device.Line{Source: msDeviceManager, Why: known(p.Part),
			Text: fmt.Sprintf("See that the %s has its driver (%s): open Device Manager (devmgmt.msc). It has to stand under Network adapters without a mark, and `Get-NetAdapter` has to list it. "+
				"If it stands under Other devices or has a mark, Windows has no driver for it: right-click it, Update driver, Search automatically; or install the maker's. "+
				"`Get-NetAdapter | Format-List Name, InterfaceDescription, DriverProvider, DriverVersionString` says which one runs", p.Part.Name, strings.Join(ids, ", "))})
	}
}

// known is what the catalogue says of a card's driver for Windows, with where that comes from.
func known(part *catalog.Part) string {
	d, ok := part.Drivers["windows"]
	// The catalogue's word for what its maker has stopped working on.
	status := strings.Replace(d.Status, "legacy", "old", 1)
	var says string
	switch {
	case part.Confidence == catalog.Declared:
		return "the fabric file writes the card out itself, and says nothing of drivers"
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
	var from []string
	for _, s := range d.From {
		from = append(from, s.Ref)
	}
	switch {
	case len(from) == 0:
	case d.Sources["status"] == nil: // the sources stand with the part, for all systems together
		says += ". What it says of this card's drivers, on all systems, comes from: " + strings.Join(from, "; ")
	default:
		says += ". Known from: " + strings.Join(from, "; ")
	}
	return says
}
