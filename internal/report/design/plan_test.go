package design

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
)

func meshPlan() *plan.Plan {
	dac := &catalog.Part{ID: "dac-sfp+-3m", Name: "dac-sfp+-3m", Kind: catalog.Cable,
		Cable: &catalog.CableInfo{Media: "dac", Length: unit.Known(3.0)}}
	money := func(s string) *unit.Money {
		m, err := unit.ParseMoney(s)
		if err != nil {
			panic(err)
		}
		return &m
	}
	port := func(host, nic, name, address, link string, declared bool) *plan.Port {
		return &plan.Port{ID: host + "." + nic, Host: host, NIC: nic, Interface: name,
			Declared: declared, MTU: 1500, Address: netip.MustParsePrefix(address), Link: link}
	}
	link := func(name, label, a, b string, cable *catalog.Part, length unit.Opt[float64], ha, hb string) *plan.Link {
		return &plan.Link{Name: name, Label: label, Ends: [2]plan.End{{ID: a, Host: ha}, {ID: b, Host: hb}},
			Speed: 10e9, MTU: 1500, Cable: cable, LengthM: length,
			EndLabel: [2]string{label + "\n" + a + "\nto " + b, label + "\n" + b + "\nto " + a}}
	}
	return &plan.Plan{Name: "mesh-10g", MTU: 1500,
		Hosts: []*plan.Host{
			{Name: "desktop", OS: "windows",
				Ports: []*plan.Port{port("desktop", "a", "Ethernet 2", "10.0.1.1/24", "L1", true),
					port("desktop", "b", "lr1", "10.0.2.1/24", "L2", false)},
				Names: []plan.Name{{Address: netip.MustParseAddr("10.0.1.2"), Names: []string{"nas", "nas-10g"}}}},
			{Name: "nas", OS: "truenas",
				Ports: []*plan.Port{port("nas", "a", "cxgb0", "10.0.1.2/24", "L1", true),
					port("nas", "b", "cxgb1", "10.0.3.1/24", "L3", true)}},
			{Name: "homelab", OS: "linux",
				Ports: []*plan.Port{port("homelab", "a", "lr0", "10.0.2.2/24", "L2", false),
					port("homelab", "b", "lr1", "10.0.3.2/24", "L3", false)}},
		},
		Links: []*plan.Link{link("L1", "L1", "desktop.a", "nas.a", dac, unit.Known(3.0), "desktop", "nas"),
			link("L2", "L2", "desktop.b", "homelab.a", dac, unit.Known(3.0), "desktop", "homelab"),
			link("L3", "L3", "nas.b", "homelab.b", nil, unit.Unknown[float64]("no cable is written"), "nas", "homelab")},
		BOM: plan.BOM{Items: []plan.BOMItem{
			{Part: "MNPA19-XTR", Role: "nic", Count: 2, UnitPrice: money("15 USD"), Currency: "USD",
				Total: money("30 USD"), Origin: fabric.PriceWritten},
			{Part: "dac-sfp+-3m", Role: "cable", Count: 3, UnitPrice: money("10 USD"), Currency: "USD",
				Total: money("30 USD"), Origin: fabric.PriceCatalogue},
			{Part: "S320E", Role: "spare", Count: 1, Origin: fabric.PriceOwned},
			{Part: "mystery", Role: "nic", Count: 1, Origin: fabric.PriceUnknown},
		},
			Totals: []record.BOMTotal{{Currency: "USD", Amount: *money("60 USD"), Unpriced: 1}}},
		Problems: []record.Problem{
			{ID: "cage-mismatch", Severity: record.Warning, Subject: "desktop.b", Message: "its cable is not known",
				Fix: "write cable: in the link"},
		}}
}

func TestPlan(t *testing.T) {
	for name, term := range map[string]terminal.Terminal{"plan-80.txt": {Width: 80},
		"plan-80-ascii.txt": {Width: 80, ASCII: true}} {
		var b bytes.Buffer
		term.Out = &b
		if err := PrintPlan(term, meshPlan()); err != nil {
			t.Fatal(err)
		}
		reporttest.Safe(t, b.String())
		golden.Compare(t, "testdata/"+name, b.String())
	}
	p := meshPlan()
	p.Name, p.Hosts[0].Name, p.Links[0].Label, p.BOM.Items[0].Part, p.Problems[0].Message = reporttest.Hostile,
		reporttest.Hostile, reporttest.Hostile, reporttest.Hostile, reporttest.Hostile
	p.Links[0].EndLabel[0], p.Hosts[0].Ports[0].Interface, p.Links[0].Ends[0].Host = reporttest.Hostile,
		reporttest.Hostile, reporttest.Hostile
	var b bytes.Buffer
	if err := PrintPlan((terminal.Terminal{Out: &b}), p); err != nil {
		t.Fatal(err)
	}
	reporttest.Safe(t, b.String())
	if err := PrintPlan((terminal.Terminal{Out: &b}), &plan.Plan{}); err != nil {
		t.Error(err)
	}
}

func TestPlanJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, meshPlan()); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/plan.json", b.String())
	b.Reset()
	if err := JSON(&b, &plan.Plan{}); err != nil {
		t.Fatal(err)
	}
	var v map[string]json.RawMessage
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"cables", "addresses", "problems"} {
		if string(v[key]) != "[]" {
			t.Errorf("%s of an empty plan is %s", key, v[key])
		}
	}
}

// A plan begins with its problems, and ends with the command that follows.
func TestPlanHasNextStep(t *testing.T) {
	p := meshPlan()
	p.Fabric = &fabric.Fabric{Path: "my home.yaml"}
	var b bytes.Buffer
	if err := PrintPlan(terminal.Terminal{Out: &b}, p); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.HasSuffix(text, "\nnext  linerate config 'my home.yaml' -o config\n") {
		t.Errorf("%s", text)
	}
	if at := strings.Index(text, "\nproblems\n"); at < 0 || at > strings.Index(text, "bill of materials") {
		t.Errorf("problems at %d: %s", at, text)
	}
}
