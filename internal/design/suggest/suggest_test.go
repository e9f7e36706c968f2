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
		d.Plan.BOM.Totals[0].Amount.String() != "120.00 USD" {
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
	if pairs == nil || pairs.Unpriced != 7 || pairs.Unestimated != 0 || len(pairs.Estimates) != 3 {
		t.Errorf("10GBASE-T, whose prices are estimates: %+v", pairs)
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
	}{{3, 6, 3, "120.00 USD", "75.00 USD", "45.00 USD"}, {4, 12, 6, "240.00 USD", "100.00 USD", "140.00 USD"}} {
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
	if d := a.Designs[0]; d.Technology != Optics || d.Name != "SFP+ AOC 8 m, mesh" {
		t.Errorf("the first design is %s, %v", d.Name, d.Plan.BOM.Totals)
	}
	if n, less := a.Faster(); n == 0 || !less || a.Designs[n-1].Plan.BOM.Totals[0].Amount.String() != "133.64 USD" {
		t.Errorf("the faster design is %d", n)
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
			return strings.Contains(u, "at most 8000.00 CNY: 6 parts have no known price")
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
		"copper"); d == nil || !strings.Contains(strings.Join(d.Fails, "\n"), "8000.00 CNY already") ||
		!strings.Contains(strings.Join(d.Fails, "\n"), "50.0 W already") {
		t.Errorf("SN2010 beyond 5000.00 CNY and 45 W: %+v", d)
	}
	if find(a.Designs, "CRS504") == nil {
		t.Error("the CRS504 is not below 5000.00 CNY and 45 W")
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

// TestFirst has the first designs that somebody with such machines expects from the real catalogue.
func TestFirst(t *testing.T) {
	c := testCatalog(t)
	for _, x := range []struct {
		hosts     int
		rate      unit.BitRate
		first     string
		estimates string
	}{
		{2, 10e9, "SFP+ passive DAC 3 m, direct", ""},
		{2, 40e9, "QSFP+ DAC 3 m, direct", "1 x dac 40G, qsfp+, 3 m 20.00 USD"},
		{2, 100e9, "QSFP28 DAC 3 m, direct", "2 x Chelsio T62100-LP-CR 67.00 USD, 1 x dac 100G, qsfp28, 3 m 32.00 USD"},
		{3, 10e9, "SFP+ passive DAC 3 m, mesh", ""},
		{3, 40e9, "QSFP+ DAC 3 m, mesh", "3 x dac 40G, qsfp+, 3 m 20.00 USD"},
		{3, 100e9, "QSFP28 DAC 3 m, mesh", "3 x Chelsio T62100-LP-CR 67.00 USD, 3 x dac 100G, qsfp28, 3 m 32.00 USD"},
		{4, 10e9, "SFP+ passive DAC 3 m, mesh", ""},
		{4, 40e9, "QSFP+ DAC 3 m, mesh", "6 x dac 40G, qsfp+, 3 m 20.00 USD"},
		{4, 100e9, "QSFP28 DAC 3 m, MikroTik CRS504-4XQ-IN",
			"4 x Chelsio T62100-LP-CR 67.00 USD, 4 x dac 100G, qsfp28, 3 m 32.00 USD"},
		{8, 10e9, "SFP+ passive DAC 3 m, MikroTik CRS309-1G-8S+IN", ""},
		{8, 40e9, "QSFP+ DAC 3 m, Mellanox SX6012", "8 x dac 40G, qsfp+, 3 m 20.00 USD"},
		{8, 100e9, "QSFP28 DAC 3 m, Mellanox SN2700",
			"8 x Chelsio T62100-LP-CR 67.00 USD, 8 x dac 100G, qsfp28, 3 m 32.00 USD"},
	} {
		a := For(Requirements{Hosts: x.hosts, Rate: x.rate, Distance: 3, Slots: 4}, c)
		d := a.Designs[0]
		var estimates []string
		for _, e := range d.Estimates {
			estimates = append(estimates, fmt.Sprintf("%d x %s %s", e.Count, e.Part, e.Each))
		}
		if got := strings.Join(estimates, ", "); d.Name != x.first || got != x.estimates || d.Technology != Copper {
			t.Errorf("%d hosts, %s: %s, %s (%s)", x.hosts, x.rate, d.Technology, d.Name, got)
		}
		for i, d := range a.Designs {
			if d.Unestimated > 0 {
				t.Errorf("%d hosts, %s: %s has parts without an estimate", x.hosts, x.rate, d.Name)
			}
			if x.hosts == 2 && d.Switch == nil && i > 0 && a.Designs[i-1].Switch != nil {
				t.Errorf("%s: %s comes before %s", x.rate, a.Designs[i-1].Name, d.Name)
			}
		}
	}
}

// TestLength: a cable of the needed length comes before a longer one, even one with a known price; the longer one is
// mentioned.
func TestLength(t *testing.T) {
	c := testCatalog(t)
	d := find(For(Requirements{Hosts: 2, Rate: 40e9, Distance: 3, Slots: 1}, c).Designs, "optics", "direct")
	if d == nil || d.Name != "QSFP+ AOC 3 m, direct" ||
		!slices.Contains(d.Notes, "a longer cable of the catalogue would do, too: Arista AOC-Q-Q-40G-10M (31.88 USD)") {
		t.Errorf("3 m: %+v", d)
	}
	for distance, want := range map[float64]string{6: "Arista AOC-Q-Q-40G-10M (AOC), direct", 30: "Finisar " +
		"FCBG410QB1C50-FC (AOC), direct"} {
		d := For(Requirements{Hosts: 2, Rate: 40e9, Distance: distance, Slots: 1}, c).Designs[0]
		if d.Name != want || d.Unpriced != 0 {
			t.Errorf("%g m: %s", distance, d.Name)
		}
	}
}

// TestUnknownPrice: without a known price of any switch and any NIC there is nothing to estimate from, and designs stay
// in the order of what is known; a part without a price never comes after a switch that is far more expensive.
func TestUnknownPrice(t *testing.T) {
	c := testCatalog(t)
	bare := testenv.Must(catalog.Load())(t)
	for i, p := range bare.Parts {
		without := *p
		without.Price = nil
		bare.Parts[i] = &without
	}
	m := newMaker(Requirements{}, bare)
	for _, p := range bare.Parts {
		if each, _, ok := m.estimate(p); ok {
			t.Errorf("%s is estimated at %s without any known price", p.Name, each)
		}
	}
	m = newMaker(Requirements{}, c)
	for id, want := range map[string]string{"crs317-1g-16s": "2500.00 CNY", "mcx416a-ccat": "67.00 USD",
		"40gbase-sr4": "19.00 USD", "cat6a-10g": "16.00 USD", "samsung-pm9a3": "", "qsa": ""} {
		each, from, ok := m.estimate(testenv.Must(c.Find(id))(t))
		if ok != (want != "") || ok && (each.String() != want || from == "") {
			t.Errorf("%s: %s %q %t; want %q", id, each, from, ok, want)
		}
	}
	var names []string
	for _, d := range For(Requirements{Hosts: 16, Rate: 10e9, Distance: 3, Slots: 1}, c).Designs {
		if d.Technology == Copper && d.Switch != nil {
			names = append(names, d.Switch.ID)
		}
	}
	unpriced, expensive := slices.Index(names, "crs317-1g-16s"), slices.Index(names, "crs804-4ddq")
	if unpriced < 0 || expensive >= 0 && unpriced > expensive {
		t.Errorf("the order of switches for 16 hosts at 10G: %v", names)
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

// TestSameSpeedFirst: links of the needed speed come before faster ones, at every length. A faster design that costs
// less, or little more, is named next to them.
func TestSameSpeedFirst(t *testing.T) {
	c := testCatalog(t)
	named := 0
	for _, hosts := range []int{2, 3} {
		for _, distance := range []float64{1, 5, 8, 10, 20} {
			a := For(Requirements{Hosts: hosts, Rate: 10e9, Distance: distance, Slots: 2}, c)
			first := a.Designs[0]
			if first.Rate != 10e9 || first.Switch != nil && hosts == 2 {
				t.Errorf("%d hosts, %g m: %s with %v is first", hosts, distance, first.Name, first.Rate)
			}
			n, less := a.Faster()
			if n == 0 {
				continue
			}
			named++
			d := a.Designs[n-1]
			if d.Rate <= first.Rate || d.plain > littleMore*first.plain || less != (d.plain < first.plain) {
				t.Errorf("%d hosts, %g m: %s (%.2f) next to %s (%.2f)", hosts, distance, d.Name, d.plain, first.Name,
					first.plain)
			}
		}
	}
	if named == 0 {
		t.Error("no faster design is named at any length")
	}
	a := For(Requirements{Hosts: 2, Rate: 40e9, Distance: 3, Slots: 2}, c)
	if n, _ := a.Faster(); a.Designs[0].Name != "QSFP+ DAC 3 m, direct" || n > 0 && a.Designs[n-1].Rate <= 40e9 {
		t.Errorf("of 40G: %s, then design %d", a.Designs[0].Name, n)
	}
}

// TestRanking: every design that fulfils a requirement is a fabric without errors whose links are fast enough, and
// equal requirements have equal answers.
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
			if i > 0 && compare(a.Designs[i-1], d) > 0 {
				t.Errorf("%v: %s comes before %s", w, a.Designs[i-1].Name, d.Name)
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
		"--hosts 1 ":  {Hosts: 1, Rate: 10e9, Distance: 1, Slots: 1},
		"--hosts 65 ": {Hosts: 65, Rate: 10e9, Distance: 1, Slots: 1}, "missing --speed": {Hosts: 2, Distance: 1, Slots: 1},
		"missing --distance": {Hosts: 2, Rate: 10e9, Slots: 1},
		`--rdma "roce" `:     {Hosts: 2, Rate: 10e9, Distance: 1, Slots: 1, RDMA: "roce"},
		"--max-watts ":       {Hosts: 2, Rate: 10e9, Distance: 1, Slots: 1, Watts: -1},
		"--slots 9:":         {Hosts: 2, Rate: 10e9, Distance: 1, Slots: 9},
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
