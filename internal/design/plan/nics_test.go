package plan_test

import (
	"fmt"
	"testing"
)

// TestNICs compares what each NIC needs of its slot, and its driver. The least slots follow from the rates of PCI
// Express: 10 Gb/s need 4 lanes of PCIe 2.0 (16 Gb/s before headers), 8 of 1.0.
func TestNICs(t *testing.T) {
	p := build(t, "mesh-10g")
	var got []string
	for _, c := range p.NICs() {
		driver := "none known"
		if c.Driver != nil {
			driver = c.Driver.Status[:6]
		}
		got = append(got, fmt.Sprintf("%s %d %s [%s] %v %s: %s", c.ID(), c.Need.Ports, c.Need.Sum, c.Need.Slots(),
			c.Need.Edge != nil, c.System, driver))
	}
	want := []string{"desktop.a 1 10.0 Gb/s [PCIe 1.0 x8 or 2.0 x4] true Windows: legacy",
		"desktop.b 1 10.0 Gb/s [PCIe 1.0 x8 or 2.0 x4] true Windows: legacy",
		"nas.t3 2 20.0 Gb/s [PCIe 1.0 x16, 2.0 x8 or 3.0 x4] false TrueNAS (FreeBSD): inbox ",
		"homelab.t3 2 20.0 Gb/s [PCIe 1.0 x16, 2.0 x8 or 3.0 x4] false Linux: inbox "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	for _, h := range p.Hosts {
		want := map[string]string{"nas": "map[nas.t3.1:cxgb0 nas.t3.2:cxgb1]"}[h.Name]
		if want == "" {
			want = "map[]"
		}
		if got := fmt.Sprint(h.Expected()); got != want {
			t.Errorf("%s: interfaces %s, want %s", h.Name, got, want)
		}
	}
	for _, i := range p.BOM.Items {
		want := map[string]string{"nic Mellanox MNPA19-XTR": "[desktop.a desktop.b]",
			"nic Chelsio S320E (T3 dual SFP+)": "[nas.t3 homelab.t3]", "spare Chelsio S320E (T3 dual SFP+)": "[]",
			"cable SFP+ passive DAC 3 m": "[C1 C2]", "cable SFP+ passive DAC 1 m": "[C3]"}[i.Role+" "+i.Part]
		if got := fmt.Sprint(i.For); got != want {
			t.Errorf("%s %s is for %s, want %s", i.Role, i.Part, got, want)
		}
	}
}
