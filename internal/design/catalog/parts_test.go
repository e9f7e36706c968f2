package catalog

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"linerate/internal/testenv"
)

func catalog(t testing.TB) *Catalog {
	t.Helper()
	c := testenv.Must(Load())(t)
	return c
}

// TestCatalog checks what Load does not: that entries are complete and unique.
func TestCatalog(t *testing.T) {
	c := catalog(t)
	names := testenv.Must(files.ReadDir("parts"))(t)
	for _, f := range names {
		text := testenv.Must(files.ReadFile("parts/" + f.Name()))(t)
		for _, p := range c.Check(f.Name(), text) {
			t.Error(p)
		}
	}
	used := map[SourceID]bool{}
	for _, p := range c.Parts {
		for _, d := range p.Drivers {
			for _, ids := range d.Sources {
				for _, id := range ids {
					used[id] = true
				}
			}
		}
		for _, ids := range p.Sources {
			for _, id := range ids {
				used[id] = true
			}
		}
	}
	for id := range c.Sources {
		if !used[id] && id != "recall" {
			t.Errorf("source %q is used by no part", id)
		}
	}
	if len(c.Parts) < 85 {
		t.Errorf("%d parts; there were more", len(c.Parts))
	}
}

func TestEntry(t *testing.T) {
	p := testenv.Must(catalog(t).Find("mcx354a-fcct"))(t)
	if p.Kind != NIC || p.Fastest() != 56e9 || len(p.Ports) != 2 || p.Ports[1].Index != 2 || p.Ports[0].Cage != "qsfp+" {
		t.Errorf("%+v", p)
	}
	if *p.PCIe != (PCIe{3, 8}) || p.Drivers["freebsd"].Interface != "mlxenN" || !slices.Contains(p.PCIIDs, "15b3:1007") {
		t.Errorf("%+v", p)
	}
	if got := p.Price.Money.Times(2).String(); got != "25.33 USD" {
		t.Errorf("two cost %s", got)
	}
	if v, ok := p.HasRDMA("rocev2").Get(); !ok || !v {
		t.Errorf("rocev2: %v %v", v, ok)
	}
	sw := testenv.Must(catalog(t).Find("CRS504"))(t)
	if port, ok, known := sw.Port(4); !ok || !known || port.Name != "qsfp28-4-1" || port.Speeds[0] != 100e9 {
		t.Errorf("port 4 of the CRS504: %+v %t %t", port, ok, known)
	}
	if _, ok, known := sw.Port(5); ok || !known {
		t.Error("the CRS504 has a port 5")
	}
}

func TestJSON(t *testing.T) {
	p := testenv.Must(catalog(t).Find("mcx354a-fcct"))(t)
	b := testenv.Must(json.Marshal(p))(t)
	for _, want := range []string{`"speeds":[10000000000,40000000000,56000000000]`, `"watts":null`,
		`"price":{"amount":12.665,"currency":"USD"`, `"sriov":true`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
}

// TestUnknown: a property without a source must not look like a known one.
func TestUnknown(t *testing.T) {
	p := testenv.Must(catalog(t).Find("SP350"))(t)
	if p.Speeds != nil || p.Ports != nil || p.RDMA != nil || p.SRIOV.IsKnown() || p.Watts != nil || p.Price != nil {
		t.Errorf("%+v", p)
	}
	if port, ok, known := p.Port(2); !ok || known || port.Index != 2 {
		t.Errorf("port 2 of a NIC with unknown ports: %+v %t %t", port, ok, known)
	}
	if v := p.HasRDMA("rocev2"); v.IsKnown() || v.Why() == "" {
		t.Errorf("RDMA of the SP350: %v", v)
	}
}

func TestFind(t *testing.T) {
	c := catalog(t)
	for name, id := range map[string]string{"MCX354A-FCCT": "mcx354a-fcct", "mcx354afcct": "mcx354a-fcct",
		"FCBG410QB1C50-FC": "finisar-fcbg410qb1c50", "AOC-00002-02": "arista-aoc-q-q-40g-10m", "s320e": "chelsio-s320e",
		"  SN2010 ": "sn2010", "marvell-ql41262": "marvell-ql41262", "MNPA19-XTR": "mnpa19-xtr", "MT25218": "mt25218",
		"mts2400": "mts2400", "9a3": "samsung-pm9a3", "infinihost  iii ex": "mt25218"} {
		if p, err := c.Find(name); err != nil || p.ID != id {
			t.Errorf("Find(%q) = %v, %v; want %s", name, p, err, id)
		}
	}
	for _, x := range []struct {
		name    string
		several bool
		want    []string
	}{
		{"MCX354A", true, []string{"mcx354a-qcbt", "mcx354a-fcbt", "mcx354a-fcct"}},
		{"connectx-4 lx en", true, []string{"mcx4111a-acat", "mcx4121a-acat", "mcx4131a-bcat"}},
		{"MCX354A-FCCTX", false, []string{"mcx354a-fcct"}},
		{"sn2001", false, []string{"sn2010"}},
		{"", false, nil},
		{"a coffee machine", false, nil},
	} {
		p, err := c.Find(x.name)
		var e *NotFoundError
		if p != nil || !errors.As(err, &e) || e.Several != x.several {
			t.Errorf("Find(%q) = %v, %v", x.name, p, err)
			continue
		}
		for _, id := range x.want {
			if !slices.Contains(e.Names, id) || !strings.Contains(err.Error(), id) {
				t.Errorf("Find(%q): %v; want %s in it", x.name, err, id)
			}
		}
	}
}

// TestSearch has what people type, with the first parts that they mean in their order, and parts that they do not mean.
func TestSearch(t *testing.T) {
	c := catalog(t)
	for _, x := range []struct {
		text, first string
		more, not   string // somewhere among the found, and not among them
		count       int    // 0: any
	}{
		{text: "40g",
			first: "chelsio-t580-lp-cr mcx4131a-bcat intel-xl710-qda2 mcx314a-bcct mcx354a-fcbt mcx354a-fcct",
			more:  "sx6012 sx6036 arista-aoc-q-q-40g-10m qsfp+-to-4sfp+-dac 40gbase-sr4", not: "mcx354a-qcbt crs309-1g-8s"},
		{text: "40GbE", first: "chelsio-t580-lp-cr", more: "mcx354a-fcct", not: "mcx311a-xcat"},
		{text: "40 GbE switch", first: "sx6012 crs326-24s-2q", more: "sx6036 arista-7050qx-32", not: "mcx354a-fcct"},
		{text: "mellanox 40", first: "mcx314a-bcct mcx354a-fcbt mcx354a-fcct", more: "sx6012",
			not: "mt25408 mt25218"},
		{text: "connectx 3", first: "mcx311a-xcat mcx312a-xcbt", more: "mcx354a-fcct",
			not:   "mcx512a-acat mcx4121a-acat",
			count: 8},
		{text: "ConnectX-3", first: "mcx311a-xcat", not: "mcx512a-acat", count: 8},
		{text: "connectx3", first: "mcx311a-xcat", count: 8},
		{text: "connect x 3", first: "mcx311a-xcat", count: 8},
		{text: "cx3", first: "mcx311a-xcat", not: "mcx512a-acat", count: 8},
		{text: "connectx 3 pro", first: "mcx312b-xcct", more: "mcx354a-fcct", not: "mcx354a-fcbt", count: 4},
		{text: "connectx 3 40g", first: "mcx314a-bcct mcx354a-fcbt mcx354a-fcct", not: "mcx311a-xcat"},
		{text: "connectx-5 100", first: "mcx516a-ccat", more: "mcx556a-ecat", not: "mcx512a-acat mcx416a-ccat"},
		{text: "cx 4 lx", first: "mcx4121a-acat", not: "mcx416a-ccat", count: 3},
		{text: "intel 10g", first: "intel-x520-da2 intel-x540-t2 intel-x550-t2 intel-x710-da2", not: "mcx311a-xcat"},
		{text: "x520", first: "intel-x520-da2", count: 1},
		{text: "intel x 520", first: "intel-x520-da2", count: 1},
		{text: "25g nic", first: "chelsio-t6225-cr mcx4111a-acat mcx4121a-acat", more: "intel-xxv710-da2 mcx416a-ccat",
			not: "sn2010"},
		{text: "dual port 25g cards", first: "mcx4121a-acat", more: "intel-e810-xxvda2", not: "mcx4111a-acat"},
		{text: "100g switch", first: "sn2010", more: "crs504-4xq-in", not: "mcx416a-ccat sx6012"},
		{text: "mikrotik 100", first: "crs504-4xq-in", not: "crs309-1g-8s"},
		{text: "switch mikrotik 10g", first: "crs309-1g-8s", not: "sx6012"},
		{text: "sfp+ dac 3 m", first: "sfp+-dac-3m", count: 1},
		{text: "3m dac", first: "sfp+-dac-3m", count: 1},
		{text: "40g aoc", first: "arista-aoc-q-q-40g-10m finisar-fcbg410qb1c50", count: 2},
		{text: "copper cable", first: "sfp+-dac-1m", more: "cat6a-10g", not: "arista-aoc-q-q-40g-10m"},
		{text: "optics 100g", first: "100gbase-sr4 100g-cwdm4", not: "40gbase-sr4"},
		{text: "rj45 card", first: "intel-x540-t2", more: "asus-xg-c100c", not: "intel-x520-da2"},
		{text: "fdr", first: "hp-544flr mcx354a-fcbt", not: "mcx354a-qcbt"},
		{text: "roce 100g", first: "mcx416a-ccat", not: "mcx354a-fcct"},
		{text: "hp 40g", first: "hp-544flr", count: 1},
		{text: "15b3:1007", first: "mcx312b-xcct", more: "mcx354a-fcct", not: "mcx354a-qcbt"},
		{text: "mcx35", first: "mcx354a-qcbt mcx354a-fcbt mcx354a-fcct", count: 3},
		{text: "54a-f", first: "mcx354a-fcbt mcx354a-fcct", count: 2},
		{text: "40G-10M", first: "arista-aoc-q-q-40g-10m", count: 1},
		{text: "mlx5 25", first: "mcx4111a-acat mcx4121a-acat", not: "marvell-ql41262"},
		{text: "nvme", first: "intel-p4500-4tb"},
		{text: "Chelsio", first: "chelsio-s320e", more: "chelsio-t520-cr", not: "intel-x520-da2"},
		{text: "the used card with 56g", first: "mcx314a-bcct", more: "hp-544flr", not: "mcx354a-qcbt"},
	} {
		var ids []string
		for _, p := range c.Search(x.text) {
			ids = append(ids, p.ID)
		}
		got := strings.Join(ids, " ")
		if !strings.HasPrefix(got+" ", x.first+" ") || x.count > 0 && len(ids) != x.count {
			t.Errorf("Search(%q) finds %d: %s; want %s first", x.text, len(ids), got, x.first)
		}
		for _, id := range strings.Fields(x.more) {
			if !slices.Contains(ids, id) {
				t.Errorf("Search(%q) misses %s", x.text, id)
			}
		}
		for _, id := range strings.Fields(x.not) {
			if slices.Contains(ids, id) {
				t.Errorf("Search(%q) finds %s", x.text, id)
			}
		}
	}
	if n := len(c.Search("")); n != len(c.Parts) {
		t.Errorf("an empty search finds %d of %d", n, len(c.Parts))
	}
	for _, text := range []string{"chelsio mikrotik", "a coffee machine", "connectx 9", "40g drive"} {
		if found := c.Search(text); len(found) != 0 {
			t.Errorf("Search(%q) finds %s", text, found[0].ID)
		}
	}
}

// TestSearchFindsAll: every part is found by each of its names, and first by its id.
func TestSearchFindsAll(t *testing.T) {
	c := catalog(t)
	for _, p := range c.Parts {
		for i, name := range p.names() {
			found := c.Search(name)
			if !slices.Contains(found, p) || i == 0 && found[0] != p {
				t.Errorf("Search(%q) does not find %s, or not first", name, p.ID)
			}
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"40g", "connectx 3", "sfp+ dac 3 m", "40 gb/s", "\"x\"", "İ 3", "", "  ,"} {
		f.Add(s)
	}
	c := catalog(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		for _, p := range c.Search(text) {
			if p == nil {
				t.Error("a nil part")
			}
		}
	})
}

func TestLoadRefuses(t *testing.T) {
	const good = "sources: {x: {kind: recall, ref: r}}\nparts:\n"
	for name, text := range map[string]string{
		"field nick not found": "parts:\n  - {id: a, name: A, kind: nic, nick: 1, confidence: low}\n",
		"already that of": good + "  - {id: a, name: A, kind: drive, bus: sas, confidence: low}\n  - {id: b, name: " +
			"B, aliases: [a], kind: drive, bus: sas, confidence: low}\n",
		"not a source": good + "  - {id: a, name: A, kind: drive, bus: sas, sources: {bus: [y]}, confidence: low}\n",
		"confidence":   good + "  - {id: a, name: A, kind: drive, bus: sas}\n",
		"not a kind":   good + "  - {id: a, name: A, kind: NIC, confidence: low}\n",
		"not a rate":   good + "  - {id: a, name: A, kind: nic, speeds: [10], confidence: low}\n",
		"not a cage":   good + "  - {id: a, name: A, kind: cable, ends: [sfpp, sfp+], confidence: low}\n",
		"not a bus":    good + "  - {id: a, name: A, kind: drive, bus: isa, confidence: low}\n",
	} {
		_, err := load(fstest.MapFS{"parts/x.yaml": {Data: []byte(text)}}, "parts")
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPortSummary(t *testing.T) {
	c := catalog(t)
	for name, want := range map[string]string{"sn2010": "1-18: sfp28 25G, 19-22: qsfp28 100G", "mnpa19-xtr": "1: sfp+ 10G",
		"mts2400": "1-24: cx4", "sp350": ""} {
		p, err := c.Find(name)
		if err != nil || p.PortSummary() != want {
			t.Errorf("%s: %q, %v; want %q", name, p.PortSummary(), err, want)
		}
	}
}

func TestInfiniBand(t *testing.T) {
	if d := IBRate("ddr"); d.Signalling() != 20e9 || d.Data() != 16e9 {
		t.Errorf("DDR: %v %v", d.Signalling(), d.Data())
	}
	if IBRate("xdr").Known() {
		t.Error("xdr is known")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		testenv.Must(Load())(b)
	}
}

// TestTraps expects the traps at the part itself, under the name that users search for.
func TestTraps(t *testing.T) {
	c := catalog(t)
	for name, want := range map[string]string{"MCX354A-QCBT": "only 10G of Ethernet",
		"MCX354A-FCCT": "MCX354A-QCBT looks the same", "MCX354A-FCBT": "RoCE v1 only", "MCX311A-XCAT": "RoCE v1 only",
		"MNPA19-XTR": "RoCE v1 only", "CRS305": "no PFC", "CRS326-24G-2S": "no PFC", "SP350": "SP380", "SP380": "SP350",
		"MCX556M-ECAT-S25": "Socket Direct", "MCX556A-EDAT": "OEM versions", "SX6012": "not for this one"} {
		p, err := c.Find(name)
		if err != nil || !strings.Contains(strings.Join(p.Traps, "\n"), want) {
			t.Errorf("%s: %v; its traps do not say %q", name, err, want)
		}
	}
}

func TestRDMAOn(t *testing.T) {
	c := catalog(t)
	for _, x := range []struct{ part, system, transport, want string }{
		{"MCX354A-FCCT", "linux", "rocev2", "yes"}, {"MCX354A-FCBT", "linux", "rocev2", "no"},
		{"MCX354A-FCCT", "freebsd", "rocev2", "mlx4en"},
		{"MCX556A-EDAT", "windows", "rocev2", "yes"}, {"MCX556A-EDAT", "windows", "iwarp", "no"},
		{"MCX556A-EDAT", "windows", "rocev1", "mlx5.sys"},
		{"S320E", "linux", "iwarp", "no"}, {"S320E", "windows", "iwarp", "no source says which driver"},
		{"SP350", "linux", "rocev2", "no source says which RDMA"},
		{"intel-x710-da2", "linux", "rocev2", "no"}, {"intel-e810-xxvda2", "freebsd", "rocev2", "yes"},
	} {
		p := testenv.Must(c.Find(x.part))(t)
		v := p.RDMAOn(x.system, x.transport)
		have := map[bool]string{true: "yes", false: "no"}[v.Or(false)]
		if !v.IsKnown() {
			have = v.Why()
		}
		if !strings.HasPrefix(have, x.want) && !(len(x.want) > 3 && strings.Contains(have, x.want)) {
			t.Errorf("%s on %s, %s: %s; want %s", x.part, x.system, x.transport, have, x.want)
		}
	}
}
