package picture

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/golden"
	"linerate/internal/report/summary"
	"linerate/internal/testenv"
)

func row(key string, goodput, ceiling float64) summary.Row {
	return summary.Row{Key: key, Measured: true, Goodput: &goodput, Ceiling: &ceiling, Share: new(goodput / ceiling)}
}

// slow is a summary of a link with a bottleneck.
func slow() *summary.Summary {
	return &summary.Summary{Version: summary.Version, Program: "1.2.3", Date: "2026-11-26", Run: "k3vq",
		Ends: []summary.End{{Host: "nas", NIC: "MCX354A-FCCT", Slot: "PCIe 3.0 x8"},
			{Host: "desk", NIC: "MCX354A-FCCT", Slot: "PCIe 3.0 x8"}},
		Link:       "40 Gb/s dac 3 m, MTU 1500",
		Rows:       []summary.Row{row("tcp-1-ab", 12.1e9, 37.7e9), row("tcp-1-ba", 37.5e9, 37.7e9)},
		Verdict:    "One core of desk is full.",
		Bottleneck: "nas -> desk: CPU, per packet of desk (likely)", Fix: "MTU 9000 on both ends"}
}

func fast() *summary.Summary {
	c := slow()
	c.Run, c.Bottleneck, c.Fix, c.Verdict = "m7tz", "", "", "Both directions run at line rate."
	c.Rows = []summary.Row{row("tcp-1-ab", 37.5e9, 39.6e9), row("tcp-1-ba", 39.5e9, 39.6e9)}
	return c
}

// long has texts that are far too long for their room.
func long() *summary.Summary {
	c := slow()
	many := strings.Repeat("a-very-long-name.", 30)
	for i := range c.Ends {
		c.Ends[i] = summary.End{Host: "host<" + many, NIC: many, Slot: "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"}
	}
	c.Link, c.Verdict, c.Bottleneck, c.Fix, c.Run, c.Lab = many, many, many+" of host<"+many, many, many, many
	return c
}

var pictures = map[string][]*summary.Summary{"slow": {slow()}, "fast": {fast()}, "change": {slow(), fast()},
	"long": {long()}}

// TestSVG: the picture is well-formed XML with a title, a description, and every text.
func TestSVG(t *testing.T) {
	for name, all := range pictures {
		for _, dark := range []bool{false, true} {
			b := testenv.Must(Draw(all, "svg", dark))(t)
			d := xml.NewDecoder(bytes.NewReader(b))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if !dark && name != "long" {
				golden.Compare(t, "testdata/"+name+".svg", string(b))
			}
		}
	}
	text := string(testenv.Must(Draw(pictures["change"], "svg", false))(t))
	for _, want := range []string{">12.1 -&gt; 37.5 Gb/s<", "<title id=\"t\">nas -&gt; desk: 12.1 -&gt; 37.5 Gb/s</title>",
		"run k3vq -&gt; m7tz"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// TestPNG: the picture has its size, and in every colour of the scene at least one pixel.
func TestPNG(t *testing.T) {
	for name, all := range pictures {
		b := testenv.Must(Draw(all, "png", true))(t)
		m := testenv.Must(png.Decode(bytes.NewReader(b)))(t)
		if m.Bounds().Dx() != Width || m.Bounds().Dy() != Height || len(b) > 200_000 {
			t.Errorf("%s: %v, %d bytes", name, m.Bounds(), len(b))
		}
	}
}

// TestNothingOverflows: every text is within its room, within the picture, and does not touch another text.
func TestNothingOverflows(t *testing.T) {
	f := testenv.Must(loadFonts())(t)
	for name, all := range pictures {
		s := testenv.Must(compose(all, false, f))(t)
		type place struct {
			left, right, top, bottom float64
			words                    string
		}
		var places []place
		for _, x := range s.texts {
			w := f.width(x.words, x.size, x.bold)
			left := x.left(w)
			if w > x.within+0.5 || left < 0 || left+w > Width || x.y > Height || x.y < x.size/2 {
				t.Errorf("%s: %q is %.0f wide, has %.0f, from %.0f", name, x.words, w, x.within, left)
			}
			places = append(places, place{left, left + w, x.y - 0.72*x.size, x.y + 0.2*x.size, x.words})
		}
		for i, a := range places {
			for _, b := range places[:i] {
				if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
					t.Errorf("%s: %q covers %q", name, a.words, b.words)
				}
			}
		}
		for _, b := range s.boxes {
			if b.x < 0 || b.y < 0 || b.x+b.w > Width || b.y+b.h > Height {
				t.Errorf("%s: a box is outside: %+v", name, b)
			}
		}
	}
}

// luminance is the relative luminance of a colour (WCAG 2.2).
func luminance(t *testing.T, hex string) float64 {
	v := testenv.Must(strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32))(t)
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(v>>(8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestContrast: texts have at least 4.5 to 1 against the ground, and the filled part of a lane 3 to 1 against its
// track.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		c := colours(dark)
		ratio := func(a, b tone) float64 {
			x, y := luminance(t, c[a]), luminance(t, c[b])
			return (max(x, y) + 0.05) / (min(x, y) + 0.05)
		}
		for _, text := range []tone{ink, faint, accent} {
			if r := ratio(text, background); r < 4.5 {
				t.Errorf("dark %t: tone %d has a contrast of %.2f", dark, text, r)
			}
		}
		if r := ratio(fill, track); r < 3 {
			t.Errorf("dark %t: a filled lane has a contrast of %.2f", dark, r)
		}
	}
}

// TestNothingToDraw: what a picture cannot show is said.
func TestNothingToDraw(t *testing.T) {
	alone := slow()
	alone.Ends = alone.Ends[:1]
	bare := slow()
	bare.Rows = nil
	other := slow()
	other.Rows = other.Rows[1:]
	for want, all := range map[string][]*summary.Summary{"one host": {alone}, "no throughput": {bare},
		"the first summary has no TCP 1 stream A -> B": {other, fast()}, "not 3": {slow(), slow(), slow()}} {
		if _, err := Draw(all, "svg", false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
