package parts

import (
	"strings"
	"testing"
)

// whole is a file without a mistake.
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
	for _, x := range []struct{ old, new, want string }{
		{"25G]", "25 furlongs]", `my.yaml:8:13: part "my-nic": speeds: "25 furlongs"`},
		{"pcie:", "pci:", `my.yaml:10:5: there is no key pci here`},
		{"count: 2", "count: two", `my.yaml:9:21:`},
		{"count: 2", "count: 0", `my.yaml:9:12: part "my-nic": ports: a group of 0 ports`},
		{"cage: sfp28", "cage: sfp82", `my.yaml:9:12: part "my-nic": ports: "sfp82" is no cage`},
		{"kind: nic", "kind: card", `my.yaml:6:11: part "my-nic": kind: a part needs an id, a name and a kind`},
		{"confidence: medium", "confidence: sure", `my.yaml:13:17: part "my-nic": confidence: it is high, medium or low, not "sure"`},
		{"id: my-nic", "id: My-NIC", `my.yaml:4:9: part "My-NIC": id: ids are lower case: my-nic`},
		{"MN-1", "MCX354A-FCCT", `my.yaml:5:11: part "my-nic": name: "MCX354A-FCCT" is already the catalogue's mcx354a-fcct`},
		{"speeds: [shop]", "speeds: [stop]", `sources: speeds comes from "stop"`},
		{"speeds: [shop]", "speeds: []", `speeds has an empty list`},
		{"speeds: [shop], ", "", `my.yaml:8:13: part "my-nic": speeds: it has no source`},
		{"rdma: [recall]}", "rdma: [recall], watts: [shop]}", `watts has a source, but the part does not have it`},
		{"rdma: [recall]}", "rdma: [recall], colour: [shop]}", `there is no property "colour"`},
		{"kind: document", "kind: rumour", `my.yaml:2:9: source "shop" needs a kind`},
		{"    confidence: medium\n", "    confidence: medium\n  - id: other\n    name: my  nic\n    kind: cable\n    confidence: low\n", `my.yaml:15:11: part "other": name: "my  nic" is already the name of my-nic`},
		{"    confidence: medium\n", "    confidence: medium\n  -\n", `an empty entry`},
		{"    confidence: medium\n", "    confidence: medium\n    confidence: low\n", `my.yaml:14:5: `},
		{whole, "", "begins with the key parts:"},
		{whole, "- 1\n", "begins with the key parts:"},
		{whole, "parts: []\n", "it has no parts"},
		{whole, "parts: {\n", "my.yaml:"},
		{whole, "parts: &a [*a]\n", "my.yaml:"},
		{whole, "\xff", "not UTF-8"},
		{whole, strings.Repeat("#", maxCheck+1), "at most 1048576"},
	} {
		var all []string
		for _, p := range c.Check("my.yaml", []byte(strings.Replace(whole, x.old, x.new, 1))) {
			all = append(all, p.Error())
		}
		if text := strings.Join(all, "\n"); !strings.Contains(text, x.want) || strings.Contains(text, "parts.entry") || strings.Contains(text, "construct") {
			t.Errorf("%.20q instead of %.20q: want %s, have\n%s", x.new, x.old, x.want, text)
		}
	}
}

func FuzzCheck(f *testing.F) {
	c := catalog(f)
	f.Add([]byte(whole))
	names, err := files.ReadDir("catalog")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range names {
		if text, err := files.ReadFile("catalog/" + e.Name()); err == nil && len(text) < 4000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range c.Check("my.yaml", text) {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}
