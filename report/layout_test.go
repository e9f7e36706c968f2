package report

import (
	"fmt"
	"math"
	"testing"

	"linerate/result"
)

func meshPicture(n int) result.Picture {
	var p result.Picture
	for i := range n {
		p.Hosts = append(p.Hosts, result.PictureHost{Name: fmt.Sprintf("h%d", i)})
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, b := fmt.Sprintf("h%d.a.%d", i, j), fmt.Sprintf("h%d.a.%d", j, i+1)
			p.Hosts[i].Ports = append(p.Hosts[i].Ports, result.PicturePort{ID: a, Address: fmt.Sprintf("10.%d.%d.1/24", i, j)})
			p.Hosts[j].Ports = append(p.Hosts[j].Ports, result.PicturePort{ID: b, Address: fmt.Sprintf("10.%d.%d.2/24", i, j)})
			p.Links = append(p.Links, result.PictureLink{Name: a + "--" + b, Ends: [2]string{a, b}, Rate: 10e9})
		}
	}
	return p
}

func switchedPicture(switches, hosts int) result.Picture {
	var p result.Picture
	for i := range switches {
		p.Switches = append(p.Switches, fmt.Sprintf("sw%d", i))
	}
	for j := range hosts {
		p.Hosts = append(p.Hosts, result.PictureHost{Name: fmt.Sprintf("h%d", j)})
		for i := range switches {
			a, b := fmt.Sprintf("h%d.c.%d", j, i+1), fmt.Sprintf("sw%d.%d", i, j+1)
			p.Hosts[j].Ports = append(p.Hosts[j].Ports, result.PicturePort{ID: a, Address: "10.0.0.1/24"})
			p.Links = append(p.Links, result.PictureLink{Name: a + "--" + b, Ends: [2]string{a, b}, Rate: 25e9})
		}
	}
	return p
}

// In every layout boxes are inside the drawing and apart, and cables go from
// edge to edge.
func TestLayout(t *testing.T) {
	pictures := map[string]result.Picture{"two with four cables": meshPicture(2)}
	four := meshPicture(2)
	for i := range 3 {
		l := four.Links[0]
		l.Name = fmt.Sprint(i)
		four.Links = append(four.Links, l)
	}
	pictures["two with four cables"] = four
	for n := 2; n <= 8; n++ {
		pictures[fmt.Sprintf("mesh of %d", n)] = meshPicture(n)
	}
	for switches := 1; switches <= 3; switches++ {
		for _, hosts := range []int{1, 2, 4, 9} {
			pictures[fmt.Sprintf("%d switches, %d hosts", switches, hosts)] = switchedPicture(switches, hosts)
		}
	}
	for name, p := range pictures {
		s := layout(&p)
		if len(s.wires) != len(p.Links) {
			t.Errorf("%s: %d of %d cables", name, len(s.wires), len(p.Links))
		}
		for i, a := range s.boxes {
			if a.x-a.w/2 < 0 || a.x+a.w/2 > s.w || a.y-a.h/2 < 0 || a.y+a.h/2 > s.h {
				t.Errorf("%s: %s at %.0f,%.0f is outside %.0f x %.0f", name, a.name, a.x, a.y, s.w, s.h)
			}
			for _, b := range s.boxes[:i] {
				if math.Abs(a.x-b.x) < (a.w+b.w)/2 && math.Abs(a.y-b.y) < (a.h+b.h)/2 {
					t.Errorf("%s: %s and %s overlap", name, a.name, b.name)
				}
			}
		}
		for _, w := range s.wires {
			for _, e := range []struct {
				b    *box
				x, y float64
			}{{w.a, w.ax, w.ay}, {w.b, w.bx, w.by}} {
				dx, dy := math.Abs(e.x-e.b.x)-e.b.w/2, math.Abs(e.y-e.b.y)-e.b.h/2
				if math.Abs(max(dx, dy)) > 0.01 {
					t.Errorf("%s: a cable ends %.1f, %.1f off the edge of %s", name, dx, dy, e.b.name)
				}
			}
		}
	}
	var nothing result.Picture
	if s := layout(&nothing); len(s.boxes) != 0 {
		t.Error("boxes out of nothing")
	}
}

func TestAxis(t *testing.T) {
	a := axis{low: 0, high: 941e6, from: 0, to: 100}
	if got := fmt.Sprint(a.ticks(5)); got != "[0 2e+08 4e+08 6e+08 8e+08]" {
		t.Errorf("ticks %s", got)
	}
	l := axis{low: 20e-6, high: 2e-3, from: 100, to: 0, log: true}
	if got := len(l.ticks(7)); got != 7 {
		t.Errorf("%d ticks: %v", got, l.ticks(7))
	}
	for _, bad := range []axis{{}, {low: 1, high: 1}, {log: true}, {low: 1, high: 0, log: true}} {
		if v := bad.at(5); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%+v gives %v", bad, v)
		}
		bad.ticks(5)
	}
	for v, want := range map[float64]string{50e-6: "50 us", 1e-3: "1 ms", 2: "2 s", 500e-9: "500 ns"} {
		if got := shortSeconds(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
