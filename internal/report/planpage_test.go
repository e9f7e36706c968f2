package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// made is what write writes.
func made(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func planned(t testing.TB, file string) *plan.Plan {
	t.Helper()
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Load(file, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// The drawings of every topology, as they are.
func TestGoldenDrawings(t *testing.T) {
	lines := func(svg string) string { return strings.ReplaceAll(svg, "><", ">\n<") + "\n" }
	drawn, _ := planDrawing(planned(t, "../../examples/mesh-10g.yaml"))
	golden(t, "drawing-mesh-10g.svg", lines(string(drawn)))
	all := pictures()
	for name, file := range map[string]string{
		"two hosts, crossed cables": "pair", "mesh of 4": "mesh-4", "mesh of 5": "mesh-5", "1 switches, 4 hosts": "star", "two switches with trunks": "two-switches",
		"16 hosts, 4 leaves, 2 spines": "leaf-spine-16", "1000 hosts, 64 switches": "leaf-spine-1000", "bonds, functions, free ports": "rich",
	} {
		if all[name] == nil {
			t.Fatal(name)
		}
		text, _ := drawnAs(all[name], false)
		golden(t, "drawing-"+file+".svg", lines(text))
	}
}

func TestTogether(t *testing.T) {
	big := leafSpine(1000, 60, 4)
	_, d := drawnAs(big, false)
	if len(d.devices) > mostBoxes || !strings.Contains(d.note, "1,064") && !strings.Contains(d.note, "1064 boxes with 1240 cables") {
		t.Errorf("%d boxes, note %q", len(d.devices), d.note)
	}
	links := 0
	for _, c := range d.cables {
		links += len(c.links)
	}
	if links != len(big.Links) {
		t.Errorf("%d of %d cables are in the drawing", links, len(big.Links))
	}
	// Hosts that differ in what they are plugged into stay apart.
	odd := leafSpine(1000, 60, 4)
	odd.Hosts[7].OS = "windows"
	if _, d := drawnAs(odd, false); !strings.Contains(joinedTitles(d), "windows") {
		t.Errorf("the one host with Windows is drawn with the others: %s", joinedTitles(d))
	}
	chaos := meshPicture(40)
	if text, d := drawnAs(chaos, false); text != "" && len(d.devices) > mostBoxes || d.note == "" {
		t.Errorf("a mesh of 40: %d boxes, note %q", len(d.devices), d.note)
	}
}

func joinedTitles(d *diagram) string {
	var out []string
	for _, b := range d.devices {
		out = append(out, joined(b.title))
	}
	return strings.Join(out, "; ")
}

// Both pages of every example parse, are sealed and have every label, end and address.
func TestPlanPages(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*.yaml")
	for _, file := range append(files, "hostile") {
		p := hostilePlan()
		if file != "hostile" {
			p = planned(t, file)
		}
		page := made(t, func(w io.Writer) error { return PlanHTML(w, p, "1.0") })
		labels := made(t, func(w io.Writer) error { return LabelsHTML(w, p, "1.0") })
		if again := made(t, func(w io.Writer) error { return PlanHTML(w, p, "1.0") }); again != page {
			t.Errorf("%s: written twice, it differs", file)
		}
		for _, text := range []string{page, labels} {
			safe(t, text)
			outline(t, text)
			for _, no := range []string{"http://", "https://", "src=", "@import", "url(", "javascript:", " style=", " onclick", "<script", "NaN", "ZgotmplZ"} {
				if strings.Contains(text, no) {
					t.Errorf("%s: %q in the page", file, no)
				}
			}
		}
		if file == "hostile" {
			continue
		}
		for _, c := range cableViews(p) {
			for _, e := range c.Ends {
				if n, want := strings.Count(labels, "<b>"+e.ID+"</b>"), 2*len(labelSizes())+1; n != want {
					t.Errorf("%s: %d halves of a label for %s with its row of the machine's sheet, want %d", file, n, e.ID, want)
				}
				if !strings.Contains(page, "<td><b>"+e.ID+"</b>") || e.Address != "" && (!strings.Contains(labels, "<p>"+e.Address+"</p>") || !strings.Contains(page, e.Address)) {
					t.Errorf("%s: %s or its address %s is missing", file, e.ID, e.Address)
				}
			}
		}
	}
}

// What somebody who has only the folder has to find: what could not be checked with reason and remedy, slots and drivers of every
// card with their sources, what each part is for, sums, the way on to the devices' settings, labels in two sizes.
func TestPlanTellsBuilders(t *testing.T) {
	for _, file := range []string{"../../examples/mesh-10g.yaml", "../../examples/roce-100g.yaml", "../../examples/designs/all-families.yaml", "../../examples/designs/leaf-spine-16.yaml"} {
		p := planned(t, file)
		page := html.UnescapeString(made(t, func(w io.Writer) error { return PlanHTML(w, p, "1.0") }))
		for _, problem := range p.Problems {
			for _, text := range []string{problem.Message, problem.Why, problem.Fix} {
				if !strings.Contains(page, arrows(clean(text))) {
					t.Errorf("%s: the page lacks %q", file, text)
				}
			}
		}
		for _, c := range p.Cards() {
			if c.Driver == nil {
				continue
			}
			for _, s := range c.Driver.From {
				if !strings.Contains(page, s.Words()) {
					t.Errorf("%s: the page does not say that the driver of %s is known from %q", file, c.ID(), s.Words())
				}
			}
		}
		for _, no := range []string{"recall", "document of examples", "lab's", "the lab uses"} {
			if strings.Contains(page, no) {
				t.Errorf("%s: the page says %q, which its reader cannot know", file, no)
			}
		}
	}
	p := planned(t, "../../examples/mesh-10g.yaml")
	page := html.UnescapeString(made(t, func(w io.Writer) error { return PlanHTML(w, p, "1.0") }))
	for _, want := range []string{
		"The parts cost 120 USD (150 with spares). No check finds a fault, but 4 things could not be checked.",
		"PCIe 1.0 x8 or 2.0 x4, or more", "how many lanes the card has is not known; card and slot must both have PCIe 1.0 x16, 2.0 x8 or 3.0 x4",
		"Windows 10: an old one, not kept up: one report has it under Windows 10", "<code>linerate config mesh-10g.yaml -o config</code>", "labels.html",
		`<td class="part">desktop.a, desktop.b</td>`, `network card, together</th><td class="number">4</td><td></td><td></td><td></td><td class="number">90</td>`,
		`without spares</th><td></td><td></td><td></td><td></td><td class="number"><b>120</b>`, "cxgb0 *, 10.0.1.2/24",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, no := range []string{"t3p1", "dashed ones", "its dashes"} {
		if strings.Contains(page, no) {
			t.Errorf("the page says %q", no)
		}
	}
}

func hostilePlan() *plan.Plan {
	p := meshPlan()
	p.Name = bad
	for _, h := range p.Hosts {
		h.OS = bad
		for _, port := range h.Ports {
			port.Interface, port.Declared = bad, true
		}
		for i := range h.Names {
			h.Names[i].Names = []string{bad}
		}
	}
	for _, l := range p.Links {
		l.Label = bad
	}
	p.BOM.Items = append(p.BOM.Items, plan.BOMItem{Part: bad, Role: bad, Count: 1, Origin: fabric.PriceUnknown})
	p.Problems = append(p.Problems, record.Problem{ID: bad, Severity: record.Error, Subject: bad, Message: bad, Fix: bad})
	return p
}

func TestPlanMoney(t *testing.T) {
	p := planned(t, "../../examples/roce-100g.yaml")
	page := made(t, func(w io.Writer) error { return PlanHTML(w, p, "1.0") })
	for _, want := range []string{"<th class=\"number\">total, CNY</th>", "price not known: in no total", "6 items without a known price, in no total.", "The parts with a known price cost 4000 CNY, and"} {
		if !strings.Contains(page, strings.ReplaceAll(want, ", and", ", 6 items without one come on top")) {
			t.Errorf("the page lacks %q", want)
		}
	}
	p = planned(t, "../../examples/mesh-10g.yaml")
	other := *p.BOM.Items[0].Total
	other.Currency = "EUR"
	p.BOM.Items[0].Total, p.BOM.Items[0].Currency = &other, "EUR"
	p.BOM.Totals = append([]record.BOMTotal{{Currency: "EUR", Amount: other}}, p.BOM.Totals...)
	page = made(t, func(w io.Writer) error { return PlanHTML(w, p, "1.0") })
	for _, want := range []string{`total, EUR</th><th class="number">total, USD`, "The currencies are not converted.", ">spares<", "The parts cost 30 EUR and 120 USD (150 with spares)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPlanCSV(t *testing.T) {
	p := planned(t, "../../examples/mesh-10g.yaml")
	p.BOM.Items[0].Part = `=HYPERLINK("http://x","a,b")`
	p.BOM.Items[1].Part = "two\nlines, and a \"quote\""
	got := made(t, func(w io.Writer) error { return PlanCSV(w, p, BOMTable) })
	want := "role,part,count,unit_price,currency,total,price_from,for,part_numbers,price_note\r\n" +
		`nic,"'=HYPERLINK(""http://x"",""a,b"")",2,15,USD,30,written,desktop.a desktop.b,,` + "\r\n" +
		`nic,"two lines, and a ""quote""",2,30,USD,60,written,nas.t3 homelab.t3,S320E-CR,` + "\r\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	golden(t, "plan-cables.csv", strings.ReplaceAll(made(t, func(w io.Writer) error { return PlanCSV(w, p, CableTable) }), "\r\n", "\n"))
	golden(t, "plan-addresses.csv", strings.ReplaceAll(made(t, func(w io.Writer) error { return PlanCSV(w, p, AddressTable) }), "\r\n", "\n"))
	if err := PlanCSV(io.Discard, p, "links"); err == nil || err.Error() != `report: "links" is no table of a plan; those are bom, cables and addresses` {
		t.Errorf("%v", err)
	}
}

// FuzzDrawing holds the drawing, the pages and the tables to what they promise,
// whatever names are.
func FuzzDrawing(f *testing.F) {
	f.Add("nas", "a.1", "10.0.0.1/24", uint8(3))
	f.Add(bad, "=cmd|' /C calc'!A0", "</text></svg><script>", uint8(0))
	f.Add("ﷺ\u0301\u202e", strings.Repeat("x", 300), "-1+1", uint8(200))
	f.Fuzz(func(t *testing.T, name, text, address string, shape uint8) {
		for _, p := range []*record.Picture{renamed(rich(), strings.ReplaceAll(name, ".", "")), meshPicture(2 + int(shape%7)), switchedPicture(1+int(shape%3), 1+int(shape%5))} {
			for i := range p.Hosts {
				p.Hosts[i].OS = text
				for j := range p.Hosts[i].Ports {
					p.Hosts[i].Ports[j].Interface, p.Hosts[i].Ports[j].Address = text, address
				}
			}
			for i := range p.Links {
				p.Links[i].Label, p.Links[i].Cable = text, name
			}
			drawn, d := drawnAs(p, shape%2 == 0)
			if drawn == "" {
				t.Fatal("nothing is drawn")
			}
			safe(t, drawn)
			for _, fault := range faults(t, drawn, d) {
				t.Error(fault)
			}
		}
		p := meshPlan()
		p.Name, p.Links[0].Label, p.Hosts[0].Name, p.BOM.Items[0].Part = name, text, name, text
		p.Hosts[0].Names = []plan.Name{{Address: netip.MustParseAddr("10.0.0.1"), Names: []string{text}}}
		for _, write := range []func(io.Writer, *plan.Plan, string) error{PlanHTML, LabelsHTML} {
			page := made(t, func(w io.Writer) error { return write(w, p, name) })
			safe(t, page)
			outline(t, page)
		}
		for _, table := range PlanTables() {
			records, err := csv.NewReader(strings.NewReader(made(t, func(w io.Writer) error { return PlanCSV(w, p, table) }))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range records {
				for _, cell := range record {
					if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
						t.Errorf("%s: a spreadsheet runs %q", table, cell)
					}
				}
			}
		}
	})
}

func BenchmarkDrawing(b *testing.B) {
	for _, hosts := range []int{16, 100, 1000} {
		p := leafSpine(hosts, max(hosts/16, 1), 4)
		b.Run(fmt.Sprint(hosts), func(b *testing.B) {
			for b.Loop() {
				drawnAs(p, false)
			}
		})
	}
}
