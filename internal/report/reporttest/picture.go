package reporttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Pictures are fabrics of every form, and some extreme ones.
func Pictures() map[string]*record.Picture {
	out := map[string]*record.Picture{}
	for n := 2; n <= 12; n++ {
		out[fmt.Sprintf("mesh of %d", n)] = MeshPicture(n)
	}
	ring := MeshPicture(6)
	ring.Links = slices.DeleteFunc(ring.Links, func(l record.PictureLink) bool {
		a, b := l.Ends[0][1]-'0', l.Ends[1][1]-'0'
		return b-a != 1 && b-a != 5
	})
	out["ring"] = ring
	hub := MeshPicture(6)
	hub.Links = slices.DeleteFunc(hub.Links,
		func(l record.PictureLink) bool { return !strings.HasPrefix(l.Ends[0], "h0.") })
	out["hub"] = hub
	two := MeshPicture(2)
	for i := range 3 {
		l := two.Links[0]
		l.Name, l.Label = fmt.Sprint(i), fmt.Sprintf("C%d", i+2)
		l.Ends = [2]string{fmt.Sprintf("h0.b.%d", i+1), fmt.Sprintf("h1.b.%d", 3-i)}
		two.Hosts[0].Ports = append(two.Hosts[0].Ports, record.PicturePort{ID: l.Ends[0], Interface: "eth9"})
		two.Hosts[1].Ports = append(two.Hosts[1].Ports, record.PicturePort{ID: l.Ends[1], Interface: "eth9"})
		two.Links = append(two.Links, l)
	}
	out["two hosts, crossed cables"] = two
	apart := MeshPicture(3)
	for i := range apart.Links {
		apart.Links[i].Cable, apart.Links[i].Media, apart.Links[i].Rate = "", "", 0
	}
	more := SwitchedPicture(1, 3)
	apart.Hosts = append(apart.Hosts, Renamed(more, "x").Hosts...)
	apart.Links = append(apart.Links, Renamed(more, "x").Links...)
	apart.Switches = []string{"xsw0"}
	out["two parts"] = apart
	for switches := 1; switches <= 4; switches++ {
		for _, hosts := range []int{1, 2, 4, 9, 20} {
			out[fmt.Sprintf("%d switches, %d hosts", switches, hosts)] = SwitchedPicture(switches, hosts)
		}
	}
	trunk := SwitchedPicture(2, 4)
	trunk.Links = append(trunk.Links, record.PictureLink{Name: "t1", Label: "T1", Ends: [2]string{"sw0.47", "sw1.47"}},
		record.PictureLink{Name: "t2", Label: "T2", Ends: [2]string{"sw1.48", "sw0.48"}})
	out["two switches with trunks"] = trunk
	out["16 hosts, 4 leaves, 2 spines"] = LeafSpine(16, 4, 2)
	out["64 hosts, 8 leaves, 4 spines"] = LeafSpine(64, 8, 4)
	out["1000 hosts, 64 switches"] = LeafSpine(1000, 60, 4)
	self := SwitchedPicture(1, 2)
	self.Links = append(self.Links, record.PictureLink{Name: "loop", Label: "loop", Ends: [2]string{"sw0.7", "sw0.8"}},
		record.PictureLink{Name: "own", Ends: [2]string{"h0.z.1", "h0.z.2"}})
	out["cables back to where they come from"] = self
	out["direct cables next to a switch"] = withDirect()
	out["bonds, functions, free ports"] = Rich()
	for name, bad := range map[string]string{"long": strings.Repeat("W", 63), "words": strings.Repeat("word ", 12),
		"unicode": "机器 Ж﷽\u0301é🙂—name", "hostile": `"><script>alert(1)</script><text x="&amp;'` + "\x1b[31m\u202e"} {
		p := Rich()
		for i := range p.Hosts {
			h := &p.Hosts[i]
			h.OS = bad
			for j := range h.Ports {
				h.Ports[j].Interface, h.Ports[j].Address = bad, "fd00:1234:5678:9abc:def0:1234:5678:9abc/64"
			}
			for j := range h.NICs {
				h.NICs[j].Part, h.NICs[j].Slot = bad, bad
			}
		}
		for i := range p.Links {
			p.Links[i].Label, p.Links[i].Cable = bad, bad
		}
		p.Devices[0].Part = bad
		out[name+" texts"] = p
		out[name+" names"] = Renamed(SwitchedPicture(2, 3), strings.ReplaceAll(bad, ".", ""))
	}
	return out
}

// MeshPicture is n hosts, each joined with each.
func MeshPicture(n int) *record.Picture {
	p := &record.Picture{}
	for i := range n {
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprintf("h%d", i), OS: "linux"})
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, b := fmt.Sprintf("h%d.a.%d", i, j), fmt.Sprintf("h%d.a.%d", j, i+1)
			p.Hosts[i].Ports = append(p.Hosts[i].Ports,
				record.PicturePort{ID: a, Interface: "enp1s0f0", Address: fmt.Sprintf("10.%d.%d.1/24", i, j)})
			p.Hosts[j].Ports = append(p.Hosts[j].Ports,
				record.PicturePort{ID: b, Interface: "enp1s0f1", Address: fmt.Sprintf("10.%d.%d.2/24", i, j)})
			p.Links = append(p.Links,
				record.PictureLink{Name: a + "--" + b, Label: fmt.Sprintf("C%d", len(p.Links)+1), Ends: [2]string{a, b},
					Rate: 10e9, Cable: "dac 3 m", Media: "dac", Length: new(3.0)})
		}
	}
	return p
}

// SwitchedPicture is hosts that are each plugged into every switch.
func SwitchedPicture(switches, hosts int) *record.Picture {
	p := &record.Picture{}
	for i := range switches {
		p.Switches = append(p.Switches, fmt.Sprintf("sw%d", i))
		p.Devices = append(p.Devices, record.PictureSwitch{Name: p.Switches[i], Part: "switch 48 x 25G, sfp28", Ports: 48})
	}
	for j := range hosts {
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprintf("h%d", j), OS: "linux"})
		for i := range switches {
			a, b := fmt.Sprintf("h%d.c.%d", j, i+1), fmt.Sprintf("sw%d.%d", i, j+1)
			p.Hosts[j].Ports = append(p.Hosts[j].Ports, record.PicturePort{ID: a, Address: "10.0.0.1/24"})
			p.Links = append(p.Links,
				record.PictureLink{Name: a + "--" + b, Label: fmt.Sprintf("C%d", len(p.Links)+1), Ends: [2]string{a, b},
					Rate: 25e9, Cable: "aoc 10 m", Media: "aoc", Length: new(10.0)})
		}
	}
	return p
}

// LeafSpine is hosts below leaves, each of which is joined with every spine.
func LeafSpine(hosts, leaves, spines int) *record.Picture {
	p := &record.Picture{}
	link := func(a, b, media string) {
		p.Links = append(p.Links,
			record.PictureLink{Name: a + "--" + b, Label: fmt.Sprintf("C%d", len(p.Links)+1), Ends: [2]string{a, b},
				Rate: 100e9, Cable: media + " 3 m", Media: media, Length: new(3.0)})
	}
	for i := range leaves + spines {
		p.Switches = append(p.Switches, fmt.Sprintf("s%d", i))
		p.Devices = append(p.Devices, record.PictureSwitch{Name: p.Switches[i], Part: "SN2700", Ports: 64})
	}
	for h := range hosts {
		a := fmt.Sprintf("h%d.c.1", h)
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprintf("h%d", h), OS: "linux",
			Ports: []record.PicturePort{{ID: a, Interface: "ens1f0np0", Address: "10.20.30.40/16"}},
			Unused: []record.PicturePort{
				{ID: fmt.Sprintf("h%d.c.2", h), Interface: "ens1f1np1"},
			},
			NICs: []record.PictureNIC{{Name: "c", Part: "NVIDIA MCX556A-EDAT", Slot: "pcie3x16"}}})
		link(a, fmt.Sprintf("s%d.%d", h*leaves/hosts, h%(hosts/leaves+1)+1), "dac")
	}
	for l := range leaves {
		for s := range spines {
			link(fmt.Sprintf("s%d.%d", l, 60+s), fmt.Sprintf("s%d.%d", leaves+s, l+1), "fiber")
		}
	}
	return p
}

// Rich returns a picture with everything that a host can have: a bond over two switches, one on one switch, functions
// in virtual machines, free ports, a breakout, a VLAN, names of ports.
func Rich() *record.Picture {
	p := SwitchedPicture(2, 3)
	h := &p.Hosts[0]
	h.NICs = []record.PictureNIC{
		{Name: "c", Part: "Mellanox MCX4121A-ACAT", Slot: "pcie3x8", Functions: 16},
		{Name: "d", Part: "Intel X520-DA2"},
		{Name: "e"},
	}
	h.Ports[0].Address, h.Ports[1].Address = "", ""
	h.Ports = append(h.Ports,
		record.PicturePort{ID: "h0.bond0", Of: []string{"h0.c.1", "h0.c.2"}, Mode: "lacp", Address: "10.0.0.9/24"},
		record.PicturePort{ID: "h0.d.1", Interface: "p1"}, record.PicturePort{ID: "h0.d.2", Interface: "p2"},
		record.PicturePort{ID: "h0.team", Of: []string{"h0.d.1", "h0.d.2"}, Address: "10.0.1.9/24"})
	for i := range 6 {
		h.Unused = append(h.Unused, record.PicturePort{ID: fmt.Sprintf("h0.e.%d", i+1)})
	}
	p.Hosts[1].Unused = []record.PicturePort{{ID: "h1.c.3", Interface: "eth3"}}
	for i := range 2 {
		p.Links = append(p.Links, record.PictureLink{Name: fmt.Sprint("d", i), Label: fmt.Sprint("D", i),
			Ends: [2]string{fmt.Sprintf("h0.d.%d", i+1), fmt.Sprintf("sw0.20/%d", i+1)}, Ports: []string{"", "qsfp28-1-1"},
			Rate: 25e9, Media: "pair", VLAN: 711})
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprint("vm", i), On: "h0",
			Ports: []record.PicturePort{
				{ID: fmt.Sprintf("vm%d.vf", i), Function: "h0.c.1", Address: "10.0.0.77/24"},
			}}, record.PictureHost{Name: fmt.Sprint("guest", i), On: "h1"})
	}
	return p
}

func withDirect() *record.Picture {
	p := SwitchedPicture(1, 4)
	for i, ends := range [][2]string{{"h0.x.1", "h1.x.1"}, {"h0.x.2", "h3.x.1"}, {"h2.x.1", "h3.x.2"}} {
		p.Links = append(p.Links,
			record.PictureLink{Name: fmt.Sprint("x", i), Label: fmt.Sprint("X", i), Ends: ends, Rate: 40e9, IB: true})
	}
	return p
}

// Renamed puts a text before every name.
func Renamed(p *record.Picture, with string) *record.Picture {
	for i := range p.Hosts {
		p.Hosts[i].Name = with + p.Hosts[i].Name
		for j := range p.Hosts[i].Ports {
			p.Hosts[i].Ports[j].ID = with + p.Hosts[i].Ports[j].ID
		}
	}
	for i := range p.Switches {
		p.Switches[i] = with + p.Switches[i]
	}
	for i := range p.Links {
		p.Links[i].Ends = [2]string{with + p.Links[i].Ends[0], with + p.Links[i].Ends[1]}
	}
	return p
}

// Planned is the plan of a fabric file.
func Planned(t testing.TB, file string) *plan.Plan {
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

// SeedNames are names, texts and addresses that a drawing or a page may misinterpret.
func SeedNames(f *testing.F) {
	f.Add("nas", "a.1", "10.0.0.1/24", uint8(3))
	f.Add(Hostile, "=cmd|' /C calc'!A0", "</text></svg><script>", uint8(0))
	f.Add("ﷺ\u0301\u202e", strings.Repeat("x", 300), "-1+1", uint8(200))
}
