package design

import (
	"encoding/csv"
	"html"
	"io"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/reporttest"
)

// A plan's drawing has the names that drivers give to ports.
func TestGoldenPlanDrawing(t *testing.T) {
	drawn, _ := planDrawing(reporttest.Planned(t, "../../../examples/mesh-10g.yaml"))
	golden.Compare(t, "testdata/drawing-mesh-10g.svg", reporttest.Elements(string(drawn)))
}

// Both pages of every example parse, are sealed and have every label, end and address.
func TestPlanPages(t *testing.T) {
	files, _ := filepath.Glob("../../../examples/*.yaml")
	for _, file := range append(files, "hostile") {
		p := hostilePlan()
		if file != "hostile" {
			p = reporttest.Planned(t, file)
		}
		page := reporttest.Written(t, func(w io.Writer) error { return HTML(w, p, "1.0") })
		labels := reporttest.Written(t, func(w io.Writer) error { return LabelsHTML(w, p, "1.0") })
		if again := reporttest.Written(t, func(w io.Writer) error { return HTML(w, p, "1.0") }); again != page {
			t.Errorf("%s: written twice, it differs", file)
		}
		for _, text := range []string{page, labels} {
			reporttest.Safe(t, text)
			reporttest.Outline(t, text)
			reporttest.HasNot(t, text, "http://", "https://", "src=", "@import", "url(", "javascript:", " style=", " onclick",
				"<script", "NaN", "ZgotmplZ")
		}
		if file == "hostile" {
			continue
		}
		for _, c := range cableViews(p) {
			for _, e := range c.Ends {
				if n, want := strings.Count(labels, "<b>"+e.ID+"</b>"), 2*len(labelSizes())+1; n != want {
					t.Errorf("%s: %d halves of a label for %s with its row of the machine's sheet, want %d", file, n, e.ID, want)
				}
				if !strings.Contains(page, "<td><b>"+e.ID+"</b>") || e.Address != "" &&
					(!strings.Contains(labels, "<p>"+e.Address+"</p>") || !strings.Contains(page, e.Address)) {
					t.Errorf("%s: %s or its address %s is missing", file, e.ID, e.Address)
				}
			}
		}
	}
}

// The folder has everything that a builder needs: unchecked items with reason and remedy, the slots and drivers of
// every NIC with their sources, the use of each part, sums, the next steps for configuring the devices, and labels in
// two sizes.
func TestPlanForBuilders(t *testing.T) {
	for _, file := range []string{"../../../examples/mesh-10g.yaml", "../../../examples/roce-100g.yaml",
		"../../../examples/designs/all-families.yaml", "../../../examples/designs/leaf-spine-16.yaml"} {
		p := reporttest.Planned(t, file)
		page := html.UnescapeString(reporttest.Written(t, func(w io.Writer) error { return HTML(w, p, "1.0") }))
		for _, problem := range p.Problems {
			for _, text := range []string{problem.Message, problem.Why, problem.Fix} {
				if !strings.Contains(page, format.Arrows(format.Clean(text))) {
					t.Errorf("%s: the page has no %q", file, text)
				}
			}
		}
		for _, c := range p.NICs() {
			if c.Driver == nil {
				continue
			}
			for _, s := range c.Driver.From {
				if !strings.Contains(page, s.Words()) {
					t.Errorf("%s: the page does not say that the driver of %s is known from %q", file, c.ID(), s.Words())
				}
			}
		}
		reporttest.HasNot(t, page, "recall", "document of examples", "lab's", "the lab uses")
	}
	p := reporttest.Planned(t, "../../../examples/mesh-10g.yaml")
	page := html.UnescapeString(reporttest.Written(t, func(w io.Writer) error { return HTML(w, p, "1.0") }))
	reporttest.Has(t, page,
		"The parts cost 120.00 USD (150.00 with spares). No check finds a fault, but 4 things could not be checked.",
		"PCIe 1.0 x8 or 2.0 x4, or more", "how many lanes the NIC has is not known; NIC and slot must both have PCIe "+
			"1.0 x16, 2.0 x8 or 3.0 x4",
		"Windows 10: an old one, not kept up: one report has it under Windows 10",
		"<code>linerate config mesh-10g.yaml -o config</code>", "labels.html", `<td class="part">desktop.a, desktop.b</td>`,
		`NIC, together</th><td class="number">4</td><td></td><td></td><td></td><td class="number">90.00</td>`,
		`without spares</th><td></td><td></td><td></td><td></td><td class="number"><b>120.00</b>`, "cxgb0 *, 10.0.1.2/24")
	reporttest.HasNot(t, page, "t3p1", "dashed ones", "its dashes")
}

func hostilePlan() *plan.Plan {
	p := meshPlan()
	p.Name = reporttest.Hostile
	for _, h := range p.Hosts {
		h.OS = reporttest.Hostile
		for _, port := range h.Ports {
			port.Interface, port.Declared = reporttest.Hostile, true
		}
		for i := range h.Names {
			h.Names[i].Names = []string{reporttest.Hostile}
		}
	}
	for _, l := range p.Links {
		l.Label = reporttest.Hostile
	}
	p.BOM.Items = append(p.BOM.Items,
		plan.BOMItem{Part: reporttest.Hostile, Role: reporttest.Hostile, Count: 1, Origin: fabric.PriceUnknown})
	p.Problems = append(p.Problems,
		record.Problem{ID: reporttest.Hostile, Severity: record.Error, Subject: reporttest.Hostile,
			Message: reporttest.Hostile, Fix: reporttest.Hostile})
	return p
}

func TestPlanMoney(t *testing.T) {
	p := reporttest.Planned(t, "../../../examples/roce-100g.yaml")
	page := reporttest.Written(t, func(w io.Writer) error { return HTML(w, p, "1.0") })
	for _, want := range []string{"<th class=\"number\">total, CNY</th>", "price not known: in no total",
		"6 items without a known price, in no total.", "The parts with a known price cost 4000.00 CNY, and"} {
		if !strings.Contains(page, strings.ReplaceAll(want, ", and", ", 6 items without one come on top")) {
			t.Errorf("the page has no %q", want)
		}
	}
	p = reporttest.Planned(t, "../../../examples/mesh-10g.yaml")
	other := *p.BOM.Items[0].Total
	other.Currency = "EUR"
	p.BOM.Items[0].Total, p.BOM.Items[0].Currency = &other, "EUR"
	p.BOM.Totals = append([]record.BOMTotal{{Currency: "EUR", Amount: other}}, p.BOM.Totals...)
	page = reporttest.Written(t, func(w io.Writer) error { return HTML(w, p, "1.0") })
	reporttest.Has(t, page, `total, EUR</th><th class="number">total, USD`, "The currencies are not converted.",
		">spares<", "The parts cost 30.00 EUR and 120.00 USD (150.00 with spares)")
}

func TestPlanCSV(t *testing.T) {
	p := reporttest.Planned(t, "../../../examples/mesh-10g.yaml")
	p.BOM.Items[0].Part = `=HYPERLINK("http://x","a,b")`
	p.BOM.Items[1].Part = "two\nlines, and a \"quote\""
	got := reporttest.Written(t, func(w io.Writer) error { return CSV(w, p, BOMTable) })
	want := "role,part,count,unit_price,currency,total,price_from,for,part_numbers,price_note\r\n" +
		`nic,"'=HYPERLINK(""http://x"",""a,b"")",2,15.00,USD,30.00,written,desktop.a desktop.b,,` + "\r\n" +
		`nic,"two lines, and a ""quote""",2,30.00,USD,60.00,written,nas.t3 homelab.t3,S320E-CR,` + "\r\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	golden.Compare(t, "testdata/plan-cables.csv",
		strings.ReplaceAll(reporttest.Written(t, func(w io.Writer) error { return CSV(w, p, CableTable) }), "\r\n", "\n"))
	golden.Compare(t, "testdata/plan-addresses.csv",
		strings.ReplaceAll(reporttest.Written(t, func(w io.Writer) error { return CSV(w, p, AddressTable) }), "\r\n", "\n"))
	if err := CSV(io.Discard, p, "links"); err == nil ||
		err.Error() != `report: "links" is not a table of a plan; those are bom, cables and addresses` {
		t.Errorf("%v", err)
	}
}

// FuzzPlanPages holds a plan's pages and tables to what they promise, whatever names are.
func FuzzPlanPages(f *testing.F) {
	reporttest.SeedNames(f)
	f.Fuzz(func(t *testing.T, name, text, _ string, _ uint8) {
		p := meshPlan()
		p.Name, p.Links[0].Label, p.Hosts[0].Name, p.BOM.Items[0].Part = name, text, name, text
		p.Hosts[0].Names = []plan.Name{{Address: netip.MustParseAddr("10.0.0.1"), Names: []string{text}}}
		for _, write := range []func(io.Writer, *plan.Plan, string) error{HTML, LabelsHTML} {
			page := reporttest.Written(t, func(w io.Writer) error { return write(w, p, name) })
			reporttest.Safe(t, page)
			reporttest.Outline(t, page)
		}
		for _, table := range Tables() {
			records, err := csv.NewReader(strings.NewReader(reporttest.Written(t,
				func(w io.Writer) error { return CSV(w, p, table) }))).
				ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range records {
				for _, value := range record {
					if value != "" && strings.ContainsAny(value[:1], "=+-@\t\r\n") {
						t.Errorf("%s: a spreadsheet runs %q", table, value)
					}
				}
			}
		}
	})
}
