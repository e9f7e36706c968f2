package chart

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

func wayChain(rates ...float64) *record.Chain {
	c := &record.Chain{From: "a", To: "b", Direction: "out"}
	for i, r := range rates {
		h := record.Hop{Component: "hop " + strconv.Itoa(i), Kind: "port",
			Rate: unit.Unknown[unit.BitRate]("not read"), Why: "not read"}
		if r > 0 {
			h.Rate, h.Why = unit.Known(unit.BitRate(r)), ""
			if c.Limit == 0 || r < float64(c.Limit) {
				c.Limit, c.Component = unit.BitRate(r), h.Component
			}
		}
		c.Hops = append(c.Hops, h)
	}
	return c
}

var barWidth = regexp.MustCompile(`<rect class="(component|lowest|full)" x="0" y="[^"]*" width="([\d.]+)%"`)
var lineAt = regexp.MustCompile(`<line class="measured" x1="([\d.]+)%"`)

// Bars are in proportion, the goodput is one line at the same place in every row, and only the bottleneck of a slow
// path has the accent.
func TestWay(t *testing.T) {
	v := WayOf(wayChain(10e9, 0, 5e9, 100e9), 4e9, false, "hop 2")
	if len(v.Rows) != 6 || v.Rows[0].Name != "program on a" || v.Rows[5].Name != "program on b" {
		t.Fatalf("%+v", v)
	}
	width := map[int]float64{}
	var at string
	for i, r := range v.Rows {
		if m := barWidth.FindStringSubmatch(string(r.Bar)); m != nil {
			width[i], _ = strconv.ParseFloat(m[2], 64)
			if (m[1] == "lowest") != r.Lowest {
				t.Errorf("row %d: %s", i, r.Bar)
			}
		}
		m := lineAt.FindStringSubmatch(string(r.Bar))
		if m == nil || at != "" && m[1] != at {
			t.Fatalf("row %d: the line is not where it was: %s", i, r.Bar)
		}
		at = m[1]
	}
	x, _ := strconv.ParseFloat(at, 64)
	if d := width[1] / width[3]; d < 1.99 || d > 2.01 {
		t.Errorf("10 Gb/s is %g times as long as 5", d)
	}
	if d := x / width[3]; d < 0.79 || d > 0.81 {
		t.Errorf("the line of 4 Gb/s is at %g of 5 Gb/s", d)
	}
	if width[4] != 100 || !strings.Contains(string(v.Rows[4].Bar), `class="gap"`) ||
		!strings.Contains(v.Note, "broken off") || strings.Contains(string(v.Rows[1].Bar), `class="gap"`) {
		t.Errorf("100 Gb/s next to 5 is not broken off: %s", v.Rows[4].Bar)
	}
	if !v.Rows[3].Lowest || v.Rows[1].Lowest || !v.Rows[2].Unknown || v.Rows[2].Why != "not read" ||
		v.Rows[2].Rate != format.NotKnown {
		t.Errorf("%+v", v.Rows)
	}
	for _, r := range WayOf(wayChain(10e9, 0, 5e9), 5e9, false, "").Rows {
		if strings.Contains(string(r.Bar), `"lowest"`) || r.Limiting {
			t.Errorf("a full link has the accent: %+v", r)
		}
	}
	c := wayChain(10e9)
	c.Direction = "in"
	if v := WayOf(c, 0, false, ""); v.Rows[0].Name != "program on b" || strings.Contains(v.Note, "line") ||
		strings.Contains(string(v.Rows[1].Bar), "measured") {
		t.Errorf("%+v", v)
	}
	c.Direction = "both"
	if v := WayOf(c, 1e9, false, ""); v.Rows[0].Rate != "sends and receives" ||
		!strings.Contains(v.Desc, "both directions together") {
		t.Errorf("%+v", v)
	}
	if v := WayOf(c, 1e9, true, ""); len(v.Rows) != 1 {
		t.Errorf("a sum of links has programs at its ends: %+v", v.Rows)
	}
	for _, none := range []*record.Chain{nil, {}, wayChain(0)} {
		if v := WayOf(none, 0, false, ""); v != nil {
			t.Errorf("%+v", v)
		}
	}
	for _, odd := range []float64{-1, 1e300, 20e9} {
		if v := WayOf(wayChain(10e9, 1), odd, false, ""); v != nil && strings.Contains(string(v.Rows[1].Bar), "NaN") {
			t.Errorf("%g: %s", odd, v.Rows[1].Bar)
		}
	}
}

// A sentence is not offered as a command, and a command names its machine.
func TestFixes(t *testing.T) {
	for fix, want := range map[string]bool{"sysctl -w a=1": true, "ethtool -K x tso on": true,
		"Set-NetAdapterRss -Name x": true, "nothing is wrong; a faster link": false,
		"linerate lab down, and up again: ..": false, "": false, "leave pace out": false} {
		if record.IsCommand(fix) != want {
			t.Errorf("%q: %v", fix, !want)
		}
	}
}
