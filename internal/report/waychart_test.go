package report

import (
	"linerate/internal/record"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func wayChain(rates ...float64) *record.Chain {
	c := &record.Chain{From: "a", To: "b", Direction: "out"}
	for i, r := range rates {
		h := record.Hop{Component: "hop " + strconv.Itoa(i), Kind: "port", Rate: unit.Unknown[unit.BitRate]("not read"), Why: "not read"}
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

var barWidth = regexp.MustCompile(`<rect class="(component|lowest)" x="0" y="[^"]*" width="([\d.]+)%"`)
var lineAt = regexp.MustCompile(`<line class="measured" x1="([\d.]+)%"`)

// Bars are in proportion, what is measured is one line at one place in every row, and only the lowest has the accent and its words.
func TestWay(t *testing.T) {
	v := wayOf(wayChain(10e9, 0, 5e9, 100e9), 4e9, false)
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
	if width[4] != 100 || !strings.Contains(string(v.Rows[4].Bar), `class="gap"`) || !strings.Contains(v.Note, "broken off") || strings.Contains(string(v.Rows[1].Bar), `class="gap"`) {
		t.Errorf("100 Gb/s beside 5 is not broken off: %s", v.Rows[4].Bar)
	}
	if !v.Rows[3].Lowest || v.Rows[1].Lowest || !v.Rows[2].Unknown || v.Rows[2].Why != "not read" || v.Rows[2].Rate != notKnown {
		t.Errorf("%+v", v.Rows)
	}
	c := wayChain(10e9)
	c.Direction = "in"
	if v := wayOf(c, 0, false); v.Rows[0].Name != "program on b" || strings.Contains(v.Note, "line") || strings.Contains(string(v.Rows[1].Bar), "measured") {
		t.Errorf("%+v", v)
	}
	c.Direction = "both"
	if v := wayOf(c, 1e9, false); v.Rows[0].Rate != "sends and receives" || !strings.Contains(v.Desc, "both directions together") {
		t.Errorf("%+v", v)
	}
	if v := wayOf(c, 1e9, true); len(v.Rows) != 1 {
		t.Errorf("a sum of links has programs at its ends: %+v", v.Rows)
	}
	for _, none := range []*record.Chain{nil, {}, wayChain(0)} {
		if v := wayOf(none, 0, false); v != nil {
			t.Errorf("%+v", v)
		}
	}
	for _, odd := range []float64{-1, 1e300, 20e9} {
		if v := wayOf(wayChain(10e9, 1), odd, false); v != nil && strings.Contains(string(v.Rows[1].Bar), "NaN") {
			t.Errorf("%g: %s", odd, v.Rows[1].Bar)
		}
	}
}

// The page has the picture and the verdict in their order: what is wrong, what it means, what to do, and only then the evidence.
func TestVerdictOnThePage(t *testing.T) {
	r := fixture(t, "mesh")
	for _, e := range r.Experiments {
		if e.Verdict != nil && e.Verdict.Limiter == "receive-window-cap" {
			r.Sentence = e.Verdict.Sentence
		}
	}
	text := page(t, r)
	at := -1
	for _, want := range []string{`<p class="answer">`, "What to do", "<section", `class="verdict cause"`, "tells the sender how much may be on its way", "What to do, on ", "sysctl -w net.ipv4.tcp_rmem", "After that the next limit is ",
		"How it is known", "Likely: two independent", "Evidence", "rwnd_limited", "To take it back", `<figure class="way">`, "program on ", "<b>lowest ceiling</b>", "receives"} {
		i := strings.Index(text[at+1:], want)
		if i < 0 {
			t.Fatalf("%q does not stand behind what goes before it", want)
		}
		at += 1 + i
	}
	if strings.Contains(text, " style=") {
		t.Error("a style of its own, which the page's policy forbids")
	}
}

// A sentence is not offered to be run, and a command says on which machine.
func TestFixes(t *testing.T) {
	for fix, want := range map[string]bool{"sysctl -w a=1": true, "ethtool -K x tso on": true, "Set-NetAdapterRss -Name x": true, "nothing is wrong; a faster link": false, "linerate lab down, and up again: ..": false, "": false, "leave pace out": false} {
		if record.IsCommand(fix) != want {
			t.Errorf("%q: %v", fix, !want)
		}
	}
}

// Steps of a fix stand each by itself: what is typed as it stands, with its host, and what is read as a sentence.
func TestSteps(t *testing.T) {
	v := &record.Verdict{Component: "nas: MTU of e0", Fix: "give both the same:\non desk: ip link set e1 mtu 9000\nip link set e0 mtu 9000\nthen measure again",
		Undo: "ip netns exec a ip link set e0 mtu 1500", NextExperiment: "linerate measure stream nas\nthe same at night"}
	c := cause{Verdict: v}
	want := []step{{"What to do", "give both the same:", false}, {"On desk", "ip link set e1 mtu 9000", true}, {"On nas", "ip link set e0 mtu 9000", true}, {"", "then measure again", false}}
	if got := c.Fix(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := c.Undo(); !slices.Equal(got, []step{{"To take it back", "ip netns exec a ip link set e0 mtu 1500", true}}) {
		t.Errorf("%+v", got)
	}
	if got := c.Next(); !slices.Equal(got, []step{{"To find out more", "linerate measure stream nas", true}, {"", "the same at night", false}}) {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]string{"give both the same:": "Give both the same:", "then measure again": "Then measure again.", "tcp_rmem is small": "tcp_rmem is small.", "nothing: no setting is changed": "Nothing: no setting is changed."} {
		if got := sentence(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
