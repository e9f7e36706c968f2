package report

import (
	"bytes"
	"encoding/json"
	"linerate/internal/record"
	"strings"
	"testing"
	"time"
)

// measured is an experiment with repeats of 2 s; begin is its first one's place in turns, step from one to the next.
func measured(variant, streams string, begin, step int, goodput ...float64) *record.Experiment {
	e := &record.Experiment{ID: variant + streams, Name: "raw", Method: "stream", From: "a", To: "b", Direction: "out", Variant: variant,
		Settings: map[string]string{"streams": streams}}
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, g := range goodput {
		e.Repeats = append(e.Repeats, record.Repeat{Index: i, Start: zero.Add(time.Duration(begin+i*step) * 2 * time.Second), Seconds: 1, Goodput: g,
			CPU: []record.CPU{{Host: "a+b", Core: -1, System: g / 1e9}}})
	}
	return e
}

func near(v *float64, want float64) bool { return v != nil && *v > want*0.999 && *v < want*1.001 }

func TestVariants(t *testing.T) {
	base := measured("", "1", 0, 2, 1e9, 1.01e9, 0.99e9, 1e9, 1.02e9, 0.98e9)
	twice := measured("fast", "1", 1, 2, 2e9, 2.02e9, 1.98e9, 2e9, 2.04e9, 1.96e9)
	alone := measured("fast", "8", 20, 1, 1, 2, 3)
	r := &record.Run{FabricText: "f", Variants: []string{"fast"}, Experiments: []*record.Experiment{base, twice, alone}}
	all := Variants(r)
	if len(all) != 2 {
		t.Fatalf("%d comparisons, want goodput and processor time of one cell: %+v", len(all), all)
	}
	c := all[0]
	if c.Metric != "goodput" || !near(c.Ratio, 2) || !c.Turns || !c.Paired || c.Different == nil || !*c.Different || c.Base.Label != asWritten || c.Other.Label != "fast" || c.Cell != "a -> b, streams 1" {
		t.Errorf("%+v", c)
	}
	// The cost of a gigabit is the same on both sides.
	if c := all[1]; c.Metric != "cpu/goodput" || !near(c.Ratio, 1) || c.Different == nil || *c.Different {
		t.Errorf("%+v", c)
	}
	if Variants(&record.Run{Experiments: r.Experiments[:1]}) != nil {
		t.Error("a run of one variant compares nothing")
	}
}

func TestInterleaved(t *testing.T) {
	a, b := measured("", "1", 0, 2, 1, 1, 1, 1), measured("", "1", 1, 2, 1, 1, 1)
	for _, c := range []struct {
		name string
		a, b *record.Experiment
		want bool
	}{
		{"A B A B A B A", a, b, true},
		{"B A B A", measured("", "1", 1, 2, 1, 1), measured("", "1", 0, 2, 1, 1), true},
		{"A B B A", measured("", "1", 0, 3, 1, 1), measured("", "1", 1, 1, 1, 1), true},
		{"A A B B", measured("", "1", 0, 1, 1, 1), measured("", "1", 2, 1, 1, 1), false},
		{"one each", measured("", "1", 0, 1, 1), measured("", "1", 1, 1, 1), false},
	} {
		if got := interleaved(c.a.Repeats, c.b.Repeats); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestCompareRuns(t *testing.T) {
	x := &record.Run{ID: "aaaa", FabricText: "f", Experiments: []*record.Experiment{measured("", "1", 0, 1, 1e9, 1.1e9, 0.9e9, 1.05e9)}}
	y := &record.Run{ID: "bbbb", FabricText: "f", Variant: "ten", Experiments: []*record.Experiment{measured("ten", "1", 50, 1, 1.02e9, 1.12e9, 0.9e9, 1.06e9), measured("ten", "4", 60, 1, 1)}}
	s := NewComparisonSet([]*record.Run{x, y}, CompareRuns([]*record.Run{x, y}))
	if len(s.Comparisons) != 2 || s.Comparisons[0].Turns || s.Comparisons[0].Paired || s.Comparisons[0].Different == nil || *s.Comparisons[0].Different {
		t.Fatalf("%+v", s.Comparisons)
	}
	var b bytes.Buffer
	if err := (Terminal{Width: 120, Out: &b}).Compare(s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"run aaaa", "run bbbb ten", "no difference shown", "not interleaved", "raw: a -> b, streams 1", "processor time"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &b)
		}
	}
	b.Reset()
	if err := CompareJSON(&b, s); err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(b.Bytes(), &o); err != nil || o["schema"] != "linerate/compare/1" || len(o["comparisons"].([]any)) != 2 || len(o["notes"].([]any)) == 0 {
		t.Errorf("%v\n%s", err, &b)
	}
	y.Lab = &record.Lab{Scale: 0.1}
	if s := NewComparisonSet([]*record.Run{x, y}, nil); !strings.Contains(strings.Join(s.Notes, "\n"), "nothing in common") {
		t.Errorf("a lab beside real hosts: %q", s.Notes)
	}
}

func TestCompareBy(t *testing.T) {
	r := &record.Run{Experiments: []*record.Experiment{measured("", "1", 0, 1, 1e9, 1e9, 1e9), measured("", "4", 3, 1, 3e9, 3e9, 3e9), measured("", "8", 6, 1, 4e9, 4e9, 4e9)}}
	all, err := CompareBy(r, "streams")
	if err != nil || len(all) != 4 {
		t.Fatalf("%v %+v", err, all)
	}
	if c := all[2]; !near(c.Ratio, 4) || c.Different != nil || !strings.Contains(c.Why, "carry no 95 % interval") || strings.Contains(intervalWords(c), c.Why) || !strings.Contains(intervalWords(c), "repeats)") || !strings.Contains(strings.Join(comparisonNotes(all), "\n"), "carry no 95 % interval") || c.Base.Label != "streams 1" || c.Other.Label != "streams 8" || c.Cell != "a -> b" {
		t.Errorf("%+v %s", c, intervalWords(c))
	}
	if _, err := CompareBy(r, "size"); err == nil || !strings.Contains(err.Error(), "it varies streams") {
		t.Errorf("an axis that the run does not have: %v", err)
	}
}

func TestNoisy(t *testing.T) {
	e := measured("", "1", 0, 1, 1, 1, 1)
	r := &record.Run{Complete: true, Experiments: []*record.Experiment{e}}
	e.Repeats[0].Noisy, e.Repeats[0].Foreign = true, 0.7
	if s := noisy(r); s != "" {
		t.Errorf("one of three repeats is no noisy machine: %s", s)
	}
	e.Repeats[1].Noisy, e.Repeats[1].Foreign = true, 1.4
	if s := strings.Join(incomplete(r), "\n"); !strings.Contains(s, "2 of 3 repeats, other work up to 1.4 cores") {
		t.Errorf("%q", s)
	}
	e.Repeats[0].Foreign, e.Repeats[1].Foreign = 0, 0 // a hypervisor's doing is not called other work
	if s := noisy(r); !strings.Contains(s, "a hypervisor took") || strings.Contains(s, "cores") {
		t.Errorf("%q", s)
	}
}

// The two command lines of measure --against have other settings, and are one pair.
func TestAgainst(t *testing.T) {
	r := &record.Run{Variants: []string{"--streams 4"}, Experiments: []*record.Experiment{measured("", "1", 0, 2, 1, 1, 1), measured("--streams 4", "4", 1, 2, 3, 3, 3)}}
	all := Variants(r)
	if len(all) != 2 || !near(all[0].Ratio, 3) || all[0].Base.Label != asGiven || all[0].Other.Label != "--streams 4" || all[0].Cell != "a -> b" || !all[0].Turns {
		t.Errorf("%+v", all)
	}
}

// What is compared, and the instrument, stand on the page and in the terminal's text.
func TestComparisonOnPage(t *testing.T) {
	r := &record.Run{Complete: true, Variants: []string{"fast"}, Experiments: []*record.Experiment{
		measured("", "1", 0, 2, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9), measured("fast", "1", 1, 2, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9)},
		Instrument: &record.Instrument{ClockResolution: 4e-8, CopyCached: 1e10, Unknown: []record.Unknown{{Subject: "loopback", Reason: "not part of a run"}}}}
	r.Comparisons = Variants(r)
	var page, text bytes.Buffer
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	if err := (Terminal{Width: 120, Out: &text}).Run(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h2>Compared</h2>", "<h2>The instrument</h2>", "2.00", "not part of a run"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, want := range []string{"2.00 .. 2.00", "instrument"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, &text)
		}
	}
}

// Figures of emulated machines are none of speed: beside others they have no ratio, among themselves no claim.
func TestCompareEmulated(t *testing.T) {
	run := func(id string, begin int, emulated bool, goodput ...float64) *record.Run {
		e := measured("", "1", begin, 1, goodput...)
		e.Emulated = emulated
		return &record.Run{ID: id, FabricText: "f", Lab: &record.Lab{Scale: 1}, Experiments: []*record.Experiment{e}}
	}
	hard := run("aaaa", 0, false, 9e9, 9.1e9, 9.2e9, 9e9, 9.1e9, 9.2e9)
	slow := run("bbbb", 50, true, 1e9, 1.01e9, 1.02e9, 1e9, 1.01e9, 1.02e9)
	fast := run("cccc", 90, true, 2e9, 2.01e9, 2.02e9, 2e9, 2.01e9, 2.02e9)
	for _, c := range []struct {
		runs     []*record.Run
		emulated string
		want     []string
		never    []string
	}{
		{[]*record.Run{hard, slow}, "other", []string{"no ratio: run bbbb is of an emulated machine", "in all comparisons one side is of an emulated machine", "never how fast hardware is"}, []string{"0.11"}},
		{[]*record.Run{slow, hard}, "base", []string{"no ratio: run bbbb is of an emulated machine"}, []string{"9.01"}},
		{[]*record.Run{slow, fast}, "both", []string{"1.99", "; emulated", "no difference is claimed"}, []string{"could not have been seen"}},
	} {
		s := NewComparisonSet(c.runs, CompareRuns(c.runs))
		if len(s.Comparisons) != 2 {
			t.Fatalf("%s: %+v", c.emulated, s.Comparisons)
		}
		for _, got := range s.Comparisons {
			if got.Emulated != c.emulated || got.Different != nil || got.Resolution != nil || (got.Ratio == nil) != (c.emulated != "both") || got.Why == "" {
				t.Errorf("%s: %+v", c.emulated, got)
			}
		}
		var text bytes.Buffer
		if err := (Terminal{Width: 150, Out: &text}).Compare(s); err != nil {
			t.Fatal(err)
		}
		t.Logf("\n%s", &text)
		said := strings.Join(strings.Fields(text.String()), " ")
		for _, w := range c.want {
			if !strings.Contains(said, w) {
				t.Errorf("%s: %q is missing", c.emulated, w)
			}
		}
		for _, w := range c.never {
			if strings.Contains(said, w) {
				t.Errorf("%s: %q reads as a claim", c.emulated, w)
			}
		}
		var b bytes.Buffer
		if err := CompareJSON(&b, s); err != nil || !strings.Contains(b.String(), `"emulated": "`+c.emulated+`"`) {
			t.Errorf("%v\n%s", err, &b)
		}
	}
	if s := NewComparisonSet([]*record.Run{hard, hard}, CompareRuns([]*record.Run{hard, hard})); s.Comparisons[0].Emulated != "" || strings.Contains(strings.Join(s.Notes, " "), "emulated") {
		t.Errorf("namespaces are not emulated: %+v", s)
	}
}
