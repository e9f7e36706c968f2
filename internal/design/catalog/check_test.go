package catalog

import (
	"fmt"
	"linerate/internal/golden"
	"linerate/internal/testenv"
	"strings"
	"testing"
)

// whole is a file without errors.
const whole = `sources:
  shop: {kind: document, ref: an invoice of 2024}
parts:
  - id: my-nic
    name: My NIC
    kind: nic
    aliases: [MN-1]
    speeds: [10G, 25G]
    ports: [{count: 2, cage: sfp28}]
    pcie: {gen: 3, lanes: 8}
    rdma: [rocev2]
    sources: {speeds: [shop], ports: [shop], pcie: [recall], rdma: [recall]}
    confidence: medium
`

func TestCheck(t *testing.T) {
	c := catalog(t)
	if got := c.Check("my.yaml", []byte(whole)); len(got) > 0 {
		t.Fatalf("a whole file: %v", got)
	}
	var all strings.Builder
	for _, x := range []struct{ old, new, want string }{
		{"25G]", "25 furlongs]", `my.yaml:8:19: part "my-nic": speeds: "25 furlongs"`},
		{"pcie:", "pci:", `my.yaml:10:5: part "my-nic": "pci" is not a key of a part; write pcie`},
		{"count: 2", "count: two", `my.yaml:9:21:`},
		{"count: 2", "count: 0", `my.yaml:9:12: part "my-nic": ports: a group of 0 ports`},
		{"cage: sfp28", "cage: sfp82", `my.yaml:9:30: part "my-nic": ports: "sfp82" is not a cage`},
		{"kind: nic", "kind: card", `my.yaml:6:11: part "my-nic": kind: "card" is not a kind of part`},
		{"confidence: medium", "confidence: sure", `my.yaml:13:17: part "my-nic": confidence: "sure" is not a confidence`},
		{"id: my-nic", "id: My-NIC", `my.yaml:4:9: part "My-NIC": id: ids are lower case: my-nic`},
		{"MN-1", "MCX354A-FCCT", `my.yaml:5:11: part "my-nic": name: "MCX354A-FCCT" is already the catalogue's mcx354a-fcct`},
		{"speeds: [shop]", "speeds: [stop]", `sources: speeds comes from "stop"`},
		{"speeds: [shop]", "speeds: []", `speeds has an empty list`},
		{"speeds: [shop], ", "", `my.yaml:8:13: part "my-nic": speeds: it has no source`},
		{"rdma: [recall]}", "rdma: [recall], watts: [shop]}", `watts has a source, but the part does not have it`},
		{"rdma: [recall]}", "rdma: [recall], colour: [shop]}", `"colour" is not a property that has sources`},
		{"kind: document", "kind: rumour", `my.yaml:2:9: the file: source "shop" needs a kind`},
		{"    confidence: medium\n", "    confidence: medium\n  - id: other\n    name: my  nic\n    kind: cable\n    " +
			"confidence: low\n", `my.yaml:15:11: part "other": name: "my  nic" is already the name of my-nic`},
		{"    confidence: medium\n", "    confidence: medium\n  -\n", `an empty entry`},
		{"    confidence: medium\n", "    confidence: medium\n    confidence: low\n", `my.yaml:14:5: `},
		{"pcie: {gen: 3, lanes: 8}", "pcie: {gen: 3, lanes: 7}", `pcie: "pcie3x7": there is no x7`},
		{"rdma: [rocev2]", "rdma: [roce]", `my.yaml:11:12: part "my-nic": rdma: "roce" is not an RDMA transport`},
		{"rdma: [rocev2]", "rdma: rocev2", `my.yaml:11:11: part "my-nic": rdma takes a list, not "rocev2"; write [rocev2]`},
		{"pcie:", "pci_ids: [\"15B3:1007\"]\n    pcie:", `"15B3:1007" is not a PCI id`},
		{"pcie:", "watts: {low: 5W, high: 9W}\n    pcie:", `low: "5W" is not a number without a unit`},
		{"pcie:", "watts: {low: 9, high: 5}\n    pcie:", `low 9 and high 5`},
		{"pcie:", "price: {amount: 9 dollars}\n    pcie:", `"9 dollars" is not a price`},
		{"pcie:", "length: 3m\n    pcie:", `my.yaml:10:5: part "my-nic": length is not a key of a nic`},
		{"pcie:", "sriov: perhaps\n    pcie:", `sriov: "perhaps" is not true or false`},
		{"pcie:", "drivers: {linux: {driver: x, pfcs: true}}\n    pcie:", `"pfcs" is not a key of`},
		{"pcie:", "drivers: {beos: {driver: x}}\n    pcie:", `"beos" is not a system`},
		{"pcie:", "drivers: {linux: {driver: x, rdma: [ib], no_rdma: [ib]}}\n    pcie:", `ib is under rdma and no_rdma`},
		{"name: My NIC", "name: [My, NIC]", `name takes one value, not a list`},
		{"    kind: nic", "\tkind: nic", `a tab is at the start`},
		{"name: My NIC", "name: My: NIC", `a second key is on this line`},
		{"    confidence: medium\n", "    confidence: medium\n  - {id: my-nic, name: Other, kind: cable, ends: [sfp+, " +
			"sfp+], confidence: low}\n", `the part is written twice, first in line 4`},
		{"    confidence: medium\n", "    confidence: medium\n---\nparts: []\n", `the file has a second document`},
		{whole, "", "begins with the key parts:"},
		{whole, "- 1\n", "begins with the key parts:"},
		{whole, "parts: []\n", "the file has no parts"},
		{whole, "parts: {\n", "my.yaml:"},
		{whole, "parts: &a [*a]\n", "my.yaml:"},
		{whole, "\xff", "not UTF-8"},
		{whole, strings.Repeat("#", maxCheck+1), "of up to 1048576"},
	} {
		problems := c.Check("my.yaml", []byte(strings.Replace(whole, x.old, x.new, 1)))
		fmt.Fprintf(&all, "%.60q instead of %.60q\n%s\n\n", x.new, x.old, problems.Error())
		text := ""
		for _, p := range problems {
			text += fmt.Sprintf("%s:%d:%d: %s: %s\n", p.File, p.Line, p.Col, p.Subject, p.Words())
		}
		if !strings.Contains(text, x.want) || strings.Contains(text, "parts.entry") || strings.Contains(text, "construct") {
			t.Errorf("%.20q instead of %.20q: want %s, have\n%s", x.new, x.old, x.want, text)
		}
	}
	golden.Compare(t, "testdata/mistakes.txt", all.String())
}

func FuzzCheck(f *testing.F) {
	c := catalog(f)
	f.Add([]byte(whole))
	names := testenv.Must(files.ReadDir("parts"))(f)
	for _, e := range names {
		if text, err := files.ReadFile("parts/" + e.Name()); err == nil && len(text) < 4000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range c.Check("my.yaml", text) {
			if p.Line < 1 || p.Col < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}
