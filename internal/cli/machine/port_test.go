package machine

import (
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/facts"
)

// The PCI id is that of the chip: an adapter of four ports is none of the parts with two.
func TestAdapterIdentity(t *testing.T) {
	const number = "8086:1572"
	part := func(id string, ports int) *catalog.Part {
		return &catalog.Part{ID: id, Kind: catalog.NIC, Vendor: "Intel", Name: id, Family: "X710", PCIIDs: []string{number},
			Ports: make([]catalog.Port, ports)}
	}
	two, four, same := part("x710-da2", 2), part("x710-da4", 4), part("x710-other", 2)
	for _, c := range []struct {
		functions   int
		parts       []*catalog.Part
		title, note string
	}{
		{2, []*catalog.Part{two}, "Intel Ethernet X710",
			"x710-da2, or another NIC with the same chip: the number on the bus is " + number},
		{4, []*catalog.Part{two}, "Intel Ethernet X710", "a NIC with the chip of x710-da2, " + number +
			", and with 4 functions in place of 2"},
		{4, []*catalog.Part{two, four}, "Intel Ethernet X710",
			"x710-da4, or another NIC with the same chip: the number on the bus is " + number},
		{2, []*catalog.Part{two, four}, "Intel X710", "one of x710-da2, x710-da4: all have the number " + number},
		{4, []*catalog.Part{two, same}, "Intel Ethernet X710", "a NIC with the chip of x710-da2, " + number +
			", and with 4 functions in place of 2"},
		{2, []*catalog.Part{two, same}, "Intel X710", "one of x710-da2, x710-other: all have the number " + number},
		{1, nil, "Ethernet X710", number + " is in no part of the catalogue"},
	} {
		a := &slotAdapter{}
		for range c.functions {
			a.devices = append(a.devices, &facts.PCIDevice{Name: "Ethernet X710", Vendor: "8086", Device: "1572"})
		}
		id := adapterIdentity(a, &catalog.Catalog{Parts: c.parts})
		if id.title != c.title || id.note != c.note {
			t.Errorf("%d functions, %d parts: %q, %q; want %q, %q", c.functions, len(c.parts), id.title, id.note, c.title,
				c.note)
		}
	}
}
