package diagram

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/svg"
)

// drawnAs draws a picture as a plan's page does, and as a run's.
func drawnAs(p *record.Picture, lanes bool) (string, *diagram) {
	d, ok := drawable(p)
	if !ok {
		return "", d
	}
	var paint func(*svg.Drawing, *cable)
	for _, c := range d.cables {
		c.wide = lineWidth(c.link.Rate)
		if lanes {
			c.wide = 2*thickness(c.link.Rate) + 2.4
			c.flows = [2]string{"9.41 Gb/s, 97.1 %", "4.82 Gb/s, 51.2 %"}
		}
	}
	if lanes {
		paint = func(s *svg.Drawing, c *cable) {
			f := Flow{Share: 0.5, Ceiling: true, Known: true}
			drawLanes(s, c, [2]Flow{f, f})
		}
	}
	return string(d.draw("test", paint)), d
}

// In every drawing, text overlaps no other text, no cable and no edge of a box, cables touch boxes only at their ends,
// and nothing is outside.
func TestDrawings(t *testing.T) {
	for name, p := range reporttest.Pictures() {
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
	files, _ := filepath.Glob("../../../examples/*.yaml")
	more, _ := filepath.Glob("../../../examples/designs/*.yaml")
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

// The drawings of every topology, as they are.
func TestGoldenDrawings(t *testing.T) {
	all := reporttest.Pictures()
	for name, file := range map[string]string{"two hosts, crossed cables": "pair", "mesh of 4": "mesh-4",
		"mesh of 5": "mesh-5", "1 switches, 4 hosts": "star", "two switches with trunks": "two-switches",
		"16 hosts, 4 leaves, 2 spines": "leaf-spine-16", "1000 hosts, 64 switches": "leaf-spine-1000",
		"bonds, functions, free ports": "rich"} {
		if all[name] == nil {
			t.Fatal(name)
		}
		text, _ := drawnAs(all[name], false)
		golden.Compare(t, "testdata/drawing-"+file+".svg", reporttest.Elements(text))
	}
}

func TestTogether(t *testing.T) {
	big := reporttest.LeafSpine(1000, 60, 4)
	_, d := drawnAs(big, false)
	if len(d.devices) > mostBoxes ||
		!strings.Contains(d.note, "1,064") && !strings.Contains(d.note, "1064 boxes with 1240 cables") {
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
	odd := reporttest.LeafSpine(1000, 60, 4)
	odd.Hosts[7].OS = "windows"
	if _, d := drawnAs(odd, false); !strings.Contains(joinedTitles(d), "windows") {
		t.Errorf("the one host with Windows is drawn with the others: %s", joinedTitles(d))
	}
	chaos := reporttest.MeshPicture(40)
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

// FuzzDrawing checks the rules of drawings for any names.
func FuzzDrawing(f *testing.F) {
	reporttest.SeedNames(f)
	f.Fuzz(func(t *testing.T, name, text, address string, shape uint8) {
		for _, p := range []*record.Picture{reporttest.Renamed(reporttest.Rich(), strings.ReplaceAll(name, ".", "")),
			reporttest.MeshPicture(2 + int(shape%7)), reporttest.SwitchedPicture(1+int(shape%3), 1+int(shape%5))} {
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
			reporttest.Safe(t, drawn)
			for _, fault := range faults(t, drawn, d) {
				t.Error(fault)
			}
		}
	})
}

func BenchmarkDrawing(b *testing.B) {
	for _, hosts := range []int{16, 100, 1000} {
		p := reporttest.LeafSpine(hosts, max(hosts/16, 1), 4)
		b.Run(fmt.Sprint(hosts), func(b *testing.B) {
			for b.Loop() {
				drawnAs(p, false)
			}
		})
	}
}
