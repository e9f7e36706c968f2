package dcbtest

import (
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// catalog is read once for all tests.
var testCatalog = sync.OnceValues(catalog.Load)

// Part is a part of the catalogue.
func Part(t testing.TB, id string) *catalog.Part {
	t.Helper()
	c, err := testCatalog()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// One is the plan of one host behind port 1 of a switch, with one lossless class that is what NVIDIA's RoCE mode sets up.
func One(t testing.TB, os, version string, part *catalog.Part, change func(*fabric.Fabric)) *plan.Plan {
	t.Helper()
	f := &fabric.Fabric{Name: "f", MTU: 9000, Trust: "dscp", DCBX: "switch",
		Classes:  []fabric.Class{{Name: "roce", Priority: 3, DSCP: 26, Lossless: true, ECN: true, Share: 0.5}},
		Subnets:  []fabric.Subnet{{Name: "a"}},
		Switches: []*fabric.Switch{{Name: "s", OS: os, Version: version, Part: part}},
		Hosts:    []*fabric.Host{{Name: "h", NICs: []*fabric.NIC{{Name: "c"}}}},
		Links:    []*fabric.Link{{Name: "l", Subnet: "a", Ends: [2]fabric.Port{{Host: "h", Card: "c", Index: 1}, {Switch: "s", Index: 1}}}}}
	change(f)
	return plan.Build(f)
}
