package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// pictures are fabrics of every form, and some that nobody would build.
func pictures() map[string]*record.Picture {
	out := map[string]*record.Picture{}
	for n := 2; n <= 12; n++ {
		out[fmt.Sprintf("mesh of %d", n)] = meshPicture(n)
	}
	ring := meshPicture(6)
	ring.Links = keep(ring.Links, func(l record.PictureLink) bool {
		a, b := ownerOf(l.Ends[0])[1]-'0', ownerOf(l.Ends[1])[1]-'0'
		return b-a == 1 || b-a == 5
	})
	out["ring"] = ring
	hub := meshPicture(6)
	hub.Links = keep(hub.Links, func(l record.PictureLink) bool { return ownerOf(l.Ends[0]) == "h0" })
	out["hub"] = hub
	two := meshPicture(2)
	for i := range 3 {
		l := two.Links[0]
		l.Name, l.Label = fmt.Sprint(i), fmt.Sprintf("C%d", i+2)
		l.Ends = [2]string{fmt.Sprintf("h0.b.%d", i+1), fmt.Sprintf("h1.b.%d", 3-i)}
		two.Hosts[0].Ports = append(two.Hosts[0].Ports, record.PicturePort{ID: l.Ends[0], Interface: "eth9"})
		two.Hosts[1].Ports = append(two.Hosts[1].Ports, record.PicturePort{ID: l.Ends[1], Interface: "eth9"})
		two.Links = append(two.Links, l)
	}
	out["two hosts, crossed cables"] = two
	apart := meshPicture(3)
	for i := range apart.Links {
		apart.Links[i].Cable, apart.Links[i].Media, apart.Links[i].Rate = "", "", 0
	}
	more := switchedPicture(1, 3)
	apart.Hosts = append(apart.Hosts, renamed(more, "x").Hosts...)
	apart.Links = append(apart.Links, renamed(more, "x").Links...)
	apart.Switches = []string{"xsw0"}
	out["two parts"] = apart
	for switches := 1; switches <= 4; switches++ {
		for _, hosts := range []int{1, 2, 4, 9, 20} {
			out[fmt.Sprintf("%d switches, %d hosts", switches, hosts)] = switchedPicture(switches, hosts)
		}
	}
	trunk := switchedPicture(2, 4)
	trunk.Links = append(trunk.Links, record.PictureLink{Name: "t1", Label: "T1", Ends: [2]string{"sw0.47", "sw1.47"}}, record.PictureLink{Name: "t2", Label: "T2", Ends: [2]string{"sw1.48", "sw0.48"}})
	out["two switches with trunks"] = trunk
	out["16 hosts, 4 leaves, 2 spines"] = leafSpine(16, 4, 2)
	out["64 hosts, 8 leaves, 4 spines"] = leafSpine(64, 8, 4)
	out["1000 hosts, 64 switches"] = leafSpine(1000, 60, 4)
	self := switchedPicture(1, 2)
	self.Links = append(self.Links, record.PictureLink{Name: "loop", Label: "loop", Ends: [2]string{"sw0.7", "sw0.8"}}, record.PictureLink{Name: "own", Ends: [2]string{"h0.z.1", "h0.z.2"}})
	out["cables back to where they come from"] = self
	out["direct cables beside a switch"] = withDirect()
	out["bonds, functions, free ports"] = rich()
	for name, bad := range map[string]string{
		"long":    strings.Repeat("W", 63),
		"words":   strings.Repeat("word ", 12),
		"unicode": "机器 Ж﷽\u0301é🙂—name",
		"hostile": `"><script>alert(1)</script><text x="&amp;'` + "\x1b[31m\u202e",
	} {
		p := rich()
		for i := range p.Hosts {
			h := &p.Hosts[i]
			h.OS = bad
			for j := range h.Ports {
				h.Ports[j].Interface, h.Ports[j].Address = bad, "fd00:1234:5678:9abc:def0:1234:5678:9abc/64"
			}
			for j := range h.Cards {
				h.Cards[j].Part, h.Cards[j].Slot = bad, bad
			}
		}
		for i := range p.Links {
			p.Links[i].Label, p.Links[i].Cable = bad, bad
		}
		p.Devices[0].Part = bad
		out[name+" texts"] = p
		out[name+" names"] = renamed(switchedPicture(2, 3), strings.ReplaceAll(bad, ".", ""))
	}
	return out
}

func meshPicture(n int) *record.Picture {
	p := &record.Picture{}
	for i := range n {
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprintf("h%d", i), OS: "linux"})
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, b := fmt.Sprintf("h%d.a.%d", i, j), fmt.Sprintf("h%d.a.%d", j, i+1)
			p.Hosts[i].Ports = append(p.Hosts[i].Ports, record.PicturePort{ID: a, Interface: "enp1s0f0", Address: fmt.Sprintf("10.%d.%d.1/24", i, j)})
			p.Hosts[j].Ports = append(p.Hosts[j].Ports, record.PicturePort{ID: b, Interface: "enp1s0f1", Address: fmt.Sprintf("10.%d.%d.2/24", i, j)})
			p.Links = append(p.Links, record.PictureLink{Name: a + "--" + b, Label: fmt.Sprintf("C%d", len(p.Links)+1), Ends: [2]string{a, b}, Rate: 10e9, Cable: "dac 3 m", Media: "dac", Length: to(3.0)})
		}
	}
	return p
}

func switchedPicture(switches, hosts int) *record.Picture {
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
			p.Links = append(p.Links, record.PictureLink{Name: a + "--" + b, Label: fmt.Sprintf("C%d", len(p.Links)+1), Ends: [2]string{a, b}, Rate: 25e9, Cable: "aoc 10 m", Media: "aoc", Length: to(10.0)})
		}
	}
	return p
}

func leafSpine(hosts, leaves, spines int) *record.Picture {
	p := &record.Picture{}
	link := func(a, b, media string) {
		p.Links = append(p.Links, record.PictureLink{Name: a + "--" + b, Label: fmt.Sprintf("C%d", len(p.Links)+1), Ends: [2]string{a, b}, Rate: 100e9, Cable: media + " 3 m", Media: media, Length: to(3.0)})
	}
	for i := range leaves + spines {
		p.Switches = append(p.Switches, fmt.Sprintf("s%d", i))
		p.Devices = append(p.Devices, record.PictureSwitch{Name: p.Switches[i], Part: "SN2700", Ports: 64})
	}
	for h := range hosts {
		a := fmt.Sprintf("h%d.c.1", h)
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprintf("h%d", h), OS: "linux", Ports: []record.PicturePort{{ID: a, Interface: "ens1f0np0", Address: "10.20.30.40/16"}},
			Unused: []record.PicturePort{{ID: fmt.Sprintf("h%d.c.2", h), Interface: "ens1f1np1"}}, Cards: []record.PictureCard{{Name: "c", Part: "NVIDIA MCX556A-EDAT", Slot: "pcie3x16"}}})
		link(a, fmt.Sprintf("s%d.%d", h*leaves/hosts, h%(hosts/leaves+1)+1), "dac")
	}
	for l := range leaves {
		for s := range spines {
			link(fmt.Sprintf("s%d.%d", l, 60+s), fmt.Sprintf("s%d.%d", leaves+s, l+1), "fiber")
		}
	}
	return p
}

// rich has what a host can have: a bond over two switches, one on one switch,
// functions in virtual machines, free ports, a breakout, a VLAN, names of ports.
func rich() *record.Picture {
	p := switchedPicture(2, 3)
	h := &p.Hosts[0]
	h.Cards = []record.PictureCard{{Name: "c", Part: "Mellanox MCX4121A-ACAT", Slot: "pcie3x8", Functions: 16}, {Name: "d", Part: "Intel X520-DA2"}, {Name: "e"}}
	h.Ports[0].Address, h.Ports[1].Address = "", ""
	h.Ports = append(h.Ports, record.PicturePort{ID: "h0.bond0", Of: []string{"h0.c.1", "h0.c.2"}, Mode: "lacp", Address: "10.0.0.9/24"},
		record.PicturePort{ID: "h0.d.1", Interface: "p1"}, record.PicturePort{ID: "h0.d.2", Interface: "p2"}, record.PicturePort{ID: "h0.team", Of: []string{"h0.d.1", "h0.d.2"}, Address: "10.0.1.9/24"})
	for i := range 6 {
		h.Unused = append(h.Unused, record.PicturePort{ID: fmt.Sprintf("h0.e.%d", i+1)})
	}
	p.Hosts[1].Unused = []record.PicturePort{{ID: "h1.c.3", Interface: "eth3"}}
	for i := range 2 {
		p.Links = append(p.Links, record.PictureLink{Name: fmt.Sprint("d", i), Label: fmt.Sprint("D", i), Ends: [2]string{fmt.Sprintf("h0.d.%d", i+1), fmt.Sprintf("sw0.20/%d", i+1)},
			Ports: []string{"", "qsfp28-1-1"}, Rate: 25e9, Media: "pair", VLAN: 711})
		p.Hosts = append(p.Hosts, record.PictureHost{Name: fmt.Sprint("vm", i), On: "h0", Ports: []record.PicturePort{{ID: fmt.Sprintf("vm%d.vf", i), Function: "h0.c.1", Address: "10.0.0.77/24"}}},
			record.PictureHost{Name: fmt.Sprint("guest", i), On: "h1"})
	}
	return p
}

func withDirect() *record.Picture {
	p := switchedPicture(1, 4)
	for i, ends := range [][2]string{{"h0.x.1", "h1.x.1"}, {"h0.x.2", "h3.x.1"}, {"h2.x.1", "h3.x.2"}} {
		p.Links = append(p.Links, record.PictureLink{Name: fmt.Sprint("x", i), Label: fmt.Sprint("X", i), Ends: ends, Rate: 40e9, IB: true})
	}
	return p
}

// renamed puts a text before every name.
func renamed(p *record.Picture, with string) *record.Picture {
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

// drawnAs draws a picture as a plan's page does, and as a run's.
func drawnAs(p *record.Picture, lanes bool) (string, *diagram) {
	d, ok := drawable(p)
	if !ok {
		return "", d
	}
	var paint func(*svg, *cable)
	for _, c := range d.cables {
		c.wide = lineWidth(c.link.Rate)
		if lanes {
			c.wide = 2*thickness(c.link.Rate) + 2.4
			c.flows = [2]string{"9.41 Gb/s, 97.1 %", "4.82 Gb/s, 51.2 %"}
		}
	}
	if lanes {
		paint = func(s *svg, c *cable) {
			f := flow{share: 0.5, ceiling: true, known: true}
			s.lanes(c, [2]flow{f, f})
		}
	}
	return string(d.draw("test", paint)), d
}

// In every drawing text stands free of other text, of cables and of the edges of
// boxes, cables meet no box but at their ends, and nothing is outside.
func TestDrawings(t *testing.T) {
	for name, p := range pictures() {
		for _, lanes := range []bool{false, true} {
			text, d := drawnAs(p, lanes)
			if text == "" {
				t.Errorf("%s: nothing is drawn: %s", name, d.note)
				continue
			}
			if again, _ := drawnAs(p, lanes); again != text {
				t.Errorf("%s: drawn twice, it differs", name)
			}
			for _, fault := range faults(t, text, d) {
				t.Errorf("%s, lanes %v: %s", name, lanes, fault)
			}
		}
	}
}

func TestExamplesDrawn(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../../examples/*.yaml")
	more, _ := filepath.Glob("../../examples/designs/*.yaml")
	if len(files) < 5 {
		t.Fatalf("%d examples", len(files))
	}
	for _, file := range append(files, more...) {
		f, problems := fabric.Load(file, fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			t.Error(problems)
			continue
		}
		picture := plan.Build(f).Picture()
		text, d := drawnAs(&picture, false)
		for _, fault := range faults(t, text, d) {
			t.Errorf("%s: %s", file, fault)
		}
		if !strings.HasPrefix(d.note, "No cable") && d.note != "" {
			continue // drawn together
		}
		for _, l := range picture.Links {
			if n := strings.Count(text, ">"+l.Label+"<"); n < 1 {
				t.Errorf("%s: label %s is not in the drawing", file, l.Label)
			}
		}
		for _, h := range picture.Hosts {
			for _, port := range h.Ports {
				if port.Address != "" && !strings.Contains(text, port.Address) {
					t.Errorf("%s: address %s of %s is not in the drawing", file, port.Address, port.ID)
				}
			}
		}
	}
}
