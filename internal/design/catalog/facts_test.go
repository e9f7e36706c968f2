package catalog

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
)

// TestRuleFacts checks the properties that the rules of the plan use, besides speeds and cages.
func TestRuleFacts(t *testing.T) {
	c := catalog(t)
	part := func(name string) *Part {
		t.Helper()
		p := testenv.Must(c.Find(name))(t)
		return p
	}
	if v, ok := part("MCX556A-EDAT").VFs.Get(); !ok || v != 127 {
		t.Errorf("functions of a ConnectX-5: %d %t", v, ok)
	}
	if v := part("marvell-ql41262").VFs; v.IsKnown() || v.Why() == "" {
		t.Errorf("functions of a QL41262: %v", v)
	}
	if d := part("S320E").Drivers["freebsd"]; d.MTU != 9000 || d.PFC.IsKnown() {
		t.Errorf("cxgb: %+v", d)
	}
	if v, ok := part("E810-CQDA2").Drivers["freebsd"].PFC.Get(); !ok || v {
		t.Errorf("PFC of ice under FreeBSD: %t %t", v, ok)
	}
	if v, ok := part("CRS309").Switch.L2MTU.Get(); !ok || v != 10218 {
		t.Errorf("L2MTU of the CRS309: %d %t", v, ok)
	}
	if v := part("CRS520").Switch.L2MTU; v.IsKnown() {
		t.Errorf("L2MTU of the CRS520: %v, which no source says", v)
	}
	if port, _, _ := part("SN2100").Port(3); port.Lanes != 4 {
		t.Errorf("lanes of the SN2100: %d", port.Lanes)
	}
	for _, x := range []struct{ entry, want string }{
		{"kind: nic, vfs: -1", "vfs: -1"},
		{"kind: switch, l2mtu: -1", "l2mtu: -1"},
		{"kind: switch, ports: [{count: 1, cage: qsfp28, lanes: 9}]", "ports: 9 lanes"},
		{"kind: nic, vfs: many", "many"},
	} {
		text := "parts: [{id: x, name: x, confidence: low, " + x.entry + "}]"
		var all []string
		for _, p := range c.Check("x.yaml", []byte(text)) {
			all = append(all, p.Error())
		}
		if got := strings.Join(all, "\n"); !strings.Contains(got, x.want) {
			t.Errorf("%s: %s", x.entry, got)
		}
	}
}

func TestCopperAt(t *testing.T) {
	for _, x := range []struct {
		plug Cage
		rate float64
		far  float64
	}{{"sfp28", 25e9, 5}, {"sfp28", 10e9, 7}, {"sfp+", 10e9, 7}, {"qsfp28", 100e9, 5}, {"qsfp28", 40e9, 7},
		{"qsfp+", 10e9, 7}, {"sfp+", 0, 7}} {
		if c, ok := CopperAt(x.plug, unit.BitRate(x.rate)); !ok || c.Far != x.far || c.Why == "" {
			t.Errorf("%s at %g: %+v %t, want %g m", x.plug, x.rate, c, ok, x.far)
		}
	}
	if _, ok := CopperAt("cx4", unit.BitRate(10e9)); ok {
		t.Error("there is a limit for CX4")
	}
	c, _ := CopperAt("sfp+", unit.BitRate(10e9))
	if len(c.Claims) != 3 || c.Claims[1].Source != "mesh-10g" || c.Claims[1].Metres != 10 {
		t.Errorf("claims for SFP+: %+v", c.Claims)
	}
}

// TestDriverSources expects that every driver of the catalogue has a source that a reader can look up, and that no text
// names an example of this repository, which would look like the reader's own fabric.
func TestDriverSources(t *testing.T) {
	c := testenv.Must(Load())(t)
	for _, p := range c.Parts {
		texts := slices.Concat(p.Notes, p.Traps)
		for os, d := range p.Drivers {
			if d.Sources["status"] == nil {
				t.Errorf("%s on %s: no source of its status", p.Name, os)
			}
			if len(d.From) != len(d.Sources["status"]) {
				t.Errorf("%s on %s: %d sources of %d", p.Name, os, len(d.From), len(d.Sources["status"]))
			}
			for _, s := range d.From {
				if w := s.Words(); w == "" || strings.Contains(w, "recall") || strings.Contains(w, "examples/") {
					t.Errorf("%s on %s: source %q", p.Name, os, w)
				}
			}
			texts = append(append(texts, d.Status, d.How), d.Notes...)
		}
		for _, text := range texts {
			for _, no := range []string{"mesh-10g", "nas-40g", "roce-100g", "eval-25g", "pairs-ib", "recall"} {
				if strings.Contains(text, no) {
					t.Errorf("%s: %q in %q", p.Name, no, text)
				}
			}
		}
	}
}
