package survey

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/facts"
)

// RDMA is there if the devices over both ends of a network speak the same.
func TestRDMA(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	device := func(on, layer, node, state string) []facts.RDMADevice {
		return []facts.RDMADevice{{Name: "rxe0", NodeType: unit.Known(node), Ports: []facts.RDMAPort{{Port: 1, State: unit.Known(state), LinkLayer: unit.Known(layer), Interface: unit.Known(on)}}}}
	}
	roce := device("e0", "Ethernet", "CA", "ACTIVE")
	for _, c := range []struct {
		a, b  []facts.RDMADevice
		says  string
		words string
	}{
		{roce, roce, "", "rdma: rocev2"},
		{device("e0", "Ethernet", "RNIC", "ACTIVE"), device("e0", "Ethernet", "RNIC", "ACTIVE"), "", "rdma: iwarp"},
		{device("e0", "InfiniBand", "CA", "ACTIVE"), device("e0", "InfiniBand", "CA", "ACTIVE"), "", "rdma: ib"},
		{roce, device("e0", "Ethernet", "RNIC", "ACTIVE"), "n1 speaks rocev2, and n2 iwarp", ""},
		{roce, device("other", "Ethernet", "CA", "ACTIVE"), "n2 has no RDMA device on e0", ""},
		{[]facts.RDMADevice{}, roce, "n1 has no RDMA device on e0", ""},
		{nil, roce, "whether n1 has an RDMA device is not known", ""},
		{roce, device("e0", "Ethernet", "CA", "DOWN"), "port 1 of rxe0 of n2 is down", ""},
	} {
		m := []Machine{machine("n1", "linux", card("e0", "", 10e9, 1500, "10.5.0.1/30")), machine("n2", "linux", card("e0", "", 10e9, 1500, "10.5.0.2/30"))}
		m[0].Facts.RDMA, m[1].Facts.RDMA = c.a, c.b
		d := Of("rdma", m, catalog)
		if why := d.RDMA(d.Nets[0]); why != c.says {
			t.Errorf("%q, want %q", why, c.says)
		}
		d.Hosts[0].Drive("/mnt/Tank 1").Path = "/mnt/Tank 1"
		d.Hosts[0].Drive(`D:\e0`).Mounts["n2"] = "/mnt/e0"
		text := string(d.Write(day, nil))
		if strings.Contains(text, "rdma:") != (c.words != "") || !strings.Contains(text, c.words) {
			t.Errorf("%s: the file is\n%s", c.words, text)
		}
		f, problems := fabric.Parse("rdma.yaml", []byte(text), fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if drives := f.Hosts[0].Drives; len(drives) != 2 || drives[0].Name != "tank-1" || drives[0].Path != "/mnt/Tank 1" || drives[1].Name != "e0-2" || drives[1].Mounts["n2"] != "/mnt/e0" {
			t.Errorf("drives: %+v in\n%s", drives, text)
		}
	}
}
