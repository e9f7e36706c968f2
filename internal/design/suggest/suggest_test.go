package suggest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/testenv"
)

func testCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c := testenv.Must(catalog.Load())(t)
	return c
}

func systems(t testing.TB, texts ...string) []System {
	t.Helper()
	var all []System
	for _, text := range texts {
		s := testenv.Must(ParseSystem(text))(t)
		all = append(all, s)
	}
	return all
}

func find(list []*Design, words ...string) *Design {
	for _, d := range list {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(string(d.Technology)+" "+d.Name, w) }) {
			return d
		}
	}
	return nil
}

// TestMesh10G expects the choice of the document of examples/mesh-10g.yaml: three machines with Windows, FreeNAS and
// Linux, no switch, used NICs and direct copper for 120 USD. FreeNAS rules out InfiniBand, and the price 10GBASE-T.
func TestMesh10G(t *testing.T) {
	a := For(
		Requirements{Hosts: 3, Rate: 10e9, Distance: 3, Systems: systems(t, "windows", "truenas-core", "linux"), Slots: 4},
		testCatalog(t),
	)
	if len(a.Designs) == 0 {
		t.Fatal("no design")
	}
	d := a.Designs[0]
	if d.Technology != Copper || d.Topology() != "mesh" || d.Unpriced != 0 || len(d.Plan.BOM.Totals) != 1 ||
		d.Plan.BOM.Totals[0].Amount.String() != "120 USD" {
		t.Fatalf("the first design is %s, %v", d.Name, d.Plan.BOM.Totals)
	}
	if d.Ports != 6 || d.Cables != 3 || d.NICs != 4 || d.Rate != 10e9 {
		t.Errorf("%d ports, %d cables, %d NICs, %v", d.Ports, d.Cables, d.NICs, d.Rate)
	}
	var nics []string
	for _, h := range d.Hosts {
		nics = append(nics, fmt.Sprintf("%s %dx%s", h.System, h.Count, h.NIC.ID))
	}
	if got := strings.Join(nics, ", "); got != "windows 2xmnpa19-xtr, truenas-core 1xchelsio-s320e, linux "+
		"1xchelsio-s320e" {
		t.Errorf("NICs: %s", got)
	}
	ib := find(a.Designs, "InfiniBand", "mesh")
	if ib == nil || !slices.ContainsFunc(ib.Unknown, func(u string) bool { return strings.Contains(u, "truenas-core") }) {
		t.Errorf("InfiniBand with FreeNAS is not said to be unknown: %+v", ib)
	}
	pairs := find(a.Designs, "10GBASE-T", "mesh")
	if pairs == nil || pairs.Unpriced == 0 || slices.Index(a.Designs, pairs) < slices.Index(a.Designs, ib) {
		t.Errorf("10GBASE-T, of which nobody knows a price, comes before what has one: %+v", pairs)
	}

	// "A fourth computer would be even more expensive (.., 6 total cables), so at this point it probably starts to make
	// more sense to consider getting a switch."
	x := a.Crossing
	if x == nil || len(x.Rows) != 5 {
		t.Fatalf("%+v", x)
	}
	for _, want := range []struct {
		hosts, ports, cables int
		mesh, star, below    string
	}{{3, 6, 3, "120 USD", "75 USD", "45 USD"}, {4, 12, 6, "240 USD", "100 USD", "140 USD"}} {
		r := x.Rows[want.hosts-2]
		if r.Hosts != want.hosts || r.Mesh.Ports != want.ports || r.Mesh.Cables != want.cables ||
			r.Mesh.Cost.String() != want.mesh ||
			r.Star.Cost.String() != want.star ||
			r.Below == nil ||
			r.Below.String() != want.below {
			t.Errorf("%d hosts: %+v", want.hosts, r)
		}
	}
	if len(x.Others) == 0 || x.Switch != nil || x.From != 0 {
		t.Errorf("a switch of another currency is compared: %+v", x)
	}
	// With four NICs of n ports, a host reaches 4n others. The catalogue has NICs of two ports or more.
	if x.Ends < 10 || (x.Ends-2)%4 != 0 || x.EndsWhy == "" {
		t.Errorf("the mesh ends at %d hosts: %q", x.Ends, x.EndsWhy)
	}
}

// TestFartherThanCopper: at 8 m passive copper fails, although one source claims 10 m; the answer mentions the
// disagreement.
func TestFartherThanCopper(t *testing.T) {
	a := For(Requirements{Hosts: 3, Rate: 10e9, Distance: 8, Systems: systems(t, "freebsd", "windows"), Slots: 4},
		testCatalog(t))
	if d := a.Designs[0]; d.Technology != Optics || d.Plan.BOM.Totals[0].Amount.String() != "133.635 USD" {
		t.Errorf("the first design is %s, %v", d.Name, d.Plan.BOM.Totals)
	}
	if d := find(a.Failing, "direct copper SFP+ DAC"); d == nil || !strings.Contains(d.Fails[0],
		"too far for passive copper") || !strings.Contains(d.Fails[0], "mesh-10g says 10 m") {
		t.Errorf("copper: %v", d)
	}
	if find(a.Designs, "direct copper") != nil {
		t.Error("copper of 8 m fulfils the requirements")
	}
	sr := For(Requirements{Hosts: 2, Rate: 10e9, Distance: 200, Slots: 1}, testCatalog(t))
	if d := find(sr.Designs, "pairs of 10GBASE-SR", "direct"); d == nil || d.Unpriced < 1 ||
		!strings.Contains(strings.Join(d.Notes, "\n"), "OM3") {
		t.Errorf("200 m: %+v", d)
	}
}

// TestRoCE100G expects the choice of the document of examples/roce-100g.yaml: of the switches with a known price the
// CRS504 is the cheapest at 100G and draws less than the SN2010, and the 40G ones are out.
func TestRoCE100G(t *testing.T) {
	price := func(s string) unit.Money {
		m := testenv.Must(unit.ParseMoney(s))(t)
		return m
	}
	wanted := Requirements{Hosts: 3, Rate: 100e9, Distance: 3, RDMA: "rocev2", Slots: 1,
		Systems: systems(t, "windows", "windows", "linux"), Price: price("8000 CNY")}
	a := For(wanted, testCatalog(t))
	at := func(words ...string) int { return slices.Index(a.Designs, find(a.Designs, append(words, "copper")...)) }
	crs, sn2700, sn2010 := at("CRS504"), at("SN2700"), at("SN2010")
	if crs < 0 || crs > sn2700 || sn2700 > sn2010 {
		t.Errorf("CRS504 %d, SN2700 %d, SN2010 %d", crs, sn2700, sn2010)
	}
	if d := a.Designs[crs]; d.Power.High != 41 || d.Power.Missing != 3 ||
		!slices.ContainsFunc(d.Unknown, func(u string) bool {
			return strings.Contains(u, "at most 8000 CNY: 6 parts have no known price")
		}) {
		t.Errorf("CRS504: %+v, %q", d.Power, d.Unknown)
	}
	for _, name := range []string{"SX6012", "CRS305"} {
		if d := find(a.Failing, name); d == nil || !strings.Contains(d.Fails[0], "its fastest port does") {
			t.Errorf("%s: %+v", name, d)
		}
	}
	wanted.Price, wanted.Watts = price("5000 CNY"), 45
	a = For(wanted, testCatalog(t))
	if d := find(a.Failing, "SN2010",
		"copper"); d == nil || !strings.Contains(strings.Join(d.Fails, "\n"), "8000 CNY already") ||
		!strings.Contains(strings.Join(d.Fails, "\n"), "50.0 W already") {
		t.Errorf("SN2010 beyond 5000 CNY and 45 W: %+v", d)
	}
	if find(a.Designs, "CRS504") == nil {
		t.Error("the CRS504 is not below 5000 CNY and 45 W")
	}
}

// TestNoPFC: a switch without PFC does not fulfil a requirement for RoCE, but one for iWARP.
func TestNoPFC(t *testing.T) {
	for transport, want := range map[string]bool{"rocev2": false, "iwarp": true, "": true} {
		a := For(Requirements{Hosts: 3, Rate: 10e9, Distance: 3, RDMA: transport, Slots: 2}, testCatalog(t))
		if got := find(a.Designs, "CRS305") != nil; got != want {
			t.Errorf("%q through a CRS305: %t", transport, got)
		}
	}
}

var requirements = []Requirements{
	{Hosts: 2, Rate: 1e9, Distance: 1, Slots: 1},
	{Hosts: 3, Rate: 10e9, Distance: 8, Slots: 2, RDMA: "iwarp"},
	{Hosts: 5, Rate: 25e9, Distance: 20, Slots: 4, RDMA: "rocev2"},
	{Hosts: 4, Rate: 10e9, Distance: 5, Slots: 1, RDMA: "ib"},
	{Hosts: 12, Rate: 40e9, Distance: 2, Slots: 1},
	{Hosts: 64, Rate: 100e9, Distance: 3, Slots: 8},
	{Hosts: 2, Rate: 400e9, Distance: 80000, Slots: 1},
}

// TestRanking: an unknown value never comes before a known one; every design that fulfils a requirement is a fabric
// without errors whose links are fast enough; and equal requirements have equal answers.
func TestRanking(t *testing.T) {
	c := testCatalog(t)
	for _, w := range requirements {
		if wrong := w.Check(); len(wrong) > 0 {
			t.Fatal(wrong)
		}
		a, again := For(w, c), For(w, c)
		for i, d := range a.Designs {
			if d.Name != again.Designs[i].Name || string(d.YAML) != string(again.Designs[i].YAML) {
				t.Fatalf("%v: design %d is another the second time", w, i)
			}
			if i > 0 && a.Designs[i-1].Unpriced > d.Unpriced {
				t.Errorf("%v: %s has %d parts without a price and comes before %s with %d", w, a.Designs[i-1].Name,
					a.Designs[i-1].Unpriced, d.Name, d.Unpriced)
			}
			if i > 0 && a.Designs[i-1].Unpriced == d.Unpriced && compareCost(a.Designs[i-1], d) == 0 &&
				a.Designs[i-1].Power.Missing > d.Power.Missing {
				t.Errorf("%v: %s comes before %s, whose watts are better known", w, a.Designs[i-1].Name, d.Name)
			}
			f, problems := fabric.Parse("d.yaml", d.YAML, fabric.Options{Catalog: c})
			if len(problems) > 0 {
				t.Errorf("%v: %s: %v\n%s", w, d.Name, problems, d.YAML)
				continue
			}
			p := plan.Build(f)
			if len(p.Hosts) != w.Hosts || len(p.Links) != d.Cables || d.Rate != 0 && d.Rate < w.Rate {
				t.Errorf("%v: %s: %d hosts, %d links, %v", w, d.Name, len(p.Hosts), len(p.Links), d.Rate)
			}
		}
		for _, d := range a.Failing {
			if d.OK() {
				t.Errorf("%v: %s does not fail", w, d.Name)
			}
		}
	}
}

func TestRequirementsCheck(t *testing.T) {
	good := Requirements{Hosts: 2, Rate: 10e9, Distance: 1, Slots: 1}
	for want, w := range map[string]Requirements{
		"--hosts 1:":  {Hosts: 1, Rate: 10e9, Distance: 1, Slots: 1},
		"--hosts 65:": {Hosts: 65, Rate: 10e9, Distance: 1, Slots: 1}, "--rate:": {Hosts: 2, Distance: 1, Slots: 1},
		"--reach:":       {Hosts: 2, Rate: 10e9, Slots: 1},
		`--rdma "roce":`: {Hosts: 2, Rate: 10e9, Distance: 1, Slots: 1, RDMA: "roce"},
		"--max-watts:":   {Hosts: 2, Rate: 10e9, Distance: 1, Slots: 1, Watts: -1},
		"--slots 9:":     {Hosts: 2, Rate: 10e9, Distance: 1, Slots: 9},
	} {
		if wrong := w.Check(); len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), want) {
			t.Errorf("%+v: %v; want %s", w, wrong, want)
		}
	}
	if wrong := good.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

func FuzzParseSystem(f *testing.F) {
	for _, s := range []string{"linux", "truenas-core", "TrueNAS-SCALE", "windows-core", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSystem(text)
		if err == nil {
			if again, err := ParseSystem(s.String()); err != nil || again != s {
				t.Errorf("%q is %v, and that is %v, %v", text, s, again, err)
			}
		}
	})
}
