package compare

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
)

func near(v *float64, want float64) bool { return v != nil && *v > want*0.999 && *v < want*1.001 }

func TestVariants(t *testing.T) {
	base := reporttest.Measured("", "1", 0, 2, 1e9, 1.01e9, 0.99e9, 1e9, 1.02e9, 0.98e9)
	twice := reporttest.Measured("fast", "1", 1, 2, 2e9, 2.02e9, 1.98e9, 2e9, 2.04e9, 1.96e9)
	alone := reporttest.Measured("fast", "8", 20, 1, 1, 2, 3)
	r := &record.Run{FabricText: "f", Variants: []string{"fast"}, Experiments: []*record.Experiment{base, twice, alone}}
	all := Variants(r)
	if len(all) != 2 {
		t.Fatalf("%d comparisons, want goodput and CPU time of one combination: %+v", len(all), all)
	}
	c := all[0]
	if c.Metric != "goodput" || !near(c.Ratio, 2) || !c.Turns || !c.Paired || c.Different == nil || !*c.Different ||
		c.Base.Label != asWritten || c.Other.Label != "fast" || c.Combination != "a -> b, streams 1" {
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
	a, b := reporttest.Measured("", "1", 0, 2, 1, 1, 1, 1), reporttest.Measured("", "1", 1, 2, 1, 1, 1)
	for _, c := range []struct {
		name string
		a, b *record.Experiment
		want bool
	}{
		{"A B A B A B A", a, b, true},
		{"B A B A", reporttest.Measured("", "1", 1, 2, 1, 1), reporttest.Measured("", "1", 0, 2, 1, 1), true},
		{"A B B A", reporttest.Measured("", "1", 0, 3, 1, 1), reporttest.Measured("", "1", 1, 1, 1, 1), true},
		{"A A B B", reporttest.Measured("", "1", 0, 1, 1, 1), reporttest.Measured("", "1", 2, 1, 1, 1), false},
		{"one each", reporttest.Measured("", "1", 0, 1, 1), reporttest.Measured("", "1", 1, 1, 1), false},
	} {
		if got := Interleaved(c.a.Repeats, c.b.Repeats); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestCompareRuns(t *testing.T) {
	x := &record.Run{ID: "aaaa", FabricText: "f",
		Experiments: []*record.Experiment{reporttest.Measured("", "1", 0, 1, 1e9, 1.1e9, 0.9e9, 1.05e9)}}
	y := &record.Run{ID: "bbbb", FabricText: "f", Variant: "ten",
		Experiments: []*record.Experiment{reporttest.Measured("ten", "1", 50, 1, 1.02e9, 1.12e9, 0.9e9, 1.06e9),
			reporttest.Measured("ten", "4", 60, 1, 1)}}
	s := NewSet([]*record.Run{x, y}, Runs([]*record.Run{x, y}))
	if len(s.Comparisons) != 2 || s.Comparisons[0].Turns || s.Comparisons[0].Paired ||
		s.Comparisons[0].Different == nil || *s.Comparisons[0].Different {
		t.Fatalf("%+v", s.Comparisons)
	}
	var b bytes.Buffer
	if err := Print((terminal.Terminal{Width: 120, Out: &b}), s); err != nil {
		t.Fatal(err)
	}
	reporttest.Has(t, b.String(), "run aaaa", "run bbbb ten", "no difference shown", "not interleaved",
		"raw: a -> b, streams 1", "CPU time")
	b.Reset()
	if err := JSON(&b, s); err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(b.Bytes(),
		&o); err != nil || o["schema"] != "linerate/compare/1" || len(o["comparisons"].([]any)) != 2 ||
		len(o["notes"].([]any)) == 0 {
		t.Errorf("%v\n%s", err, &b)
	}
	y.Lab = &record.Lab{Scale: 0.1}
	if s := NewSet([]*record.Run{x, y}, nil); !strings.Contains(strings.Join(s.Notes, "\n"), "nothing in common") {
		t.Errorf("a lab and real hosts: %q", s.Notes)
	}
}

func TestCompareBy(t *testing.T) {
	r := &record.Run{Experiments: []*record.Experiment{reporttest.Measured("", "1", 0, 1, 1e9, 1e9, 1e9),
		reporttest.Measured("", "4", 3, 1, 3e9, 3e9, 3e9), reporttest.Measured("", "8", 6, 1, 4e9, 4e9, 4e9)}}
	all, err := By(r, "streams")
	if err != nil || len(all) != 4 {
		t.Fatalf("%v %+v", err, all)
	}
	if c := all[2]; !near(c.Ratio, 4) || c.Different != nil || !strings.Contains(c.Why, "carry no 95 % interval") ||
		strings.Contains(intervalWords(c), c.Why) || !strings.Contains(intervalWords(c), "repeats)") ||
		!strings.Contains(strings.Join(ComparisonNotes(all), "\n"), "carry no 95 % interval") ||
		c.Base.Label != "streams 1" || c.Other.Label != "streams 8" || c.Combination != "a -> b" {
		t.Errorf("%+v %s", c, intervalWords(c))
	}
	if _, err := By(r, "size"); err == nil || !strings.Contains(err.Error(), "it varies streams") {
		t.Errorf("a parameter that the run does not have: %v", err)
	}
}

// The two command lines of measure --compare-with have different settings, and are one pair.
func TestAgainst(t *testing.T) {
	r := &record.Run{Variants: []string{"--streams 4"},
		Experiments: []*record.Experiment{reporttest.Measured("", "1", 0, 2, 1, 1, 1),
			reporttest.Measured("--streams 4", "4", 1, 2, 3, 3, 3)}}
	all := Variants(r)
	if len(all) != 2 || !near(all[0].Ratio, 3) || all[0].Base.Label != asGiven || all[0].Other.Label != "--streams 4" ||
		all[0].Combination != "a -> b" || !all[0].Turns {
		t.Errorf("%+v", all)
	}
}

// Figures of emulated machines do not show speed: they have no ratio to others, and no claims among themselves.
func TestCompareEmulated(t *testing.T) {
	run := func(id string, begin int, emulated bool, goodput ...float64) *record.Run {
		e := reporttest.Measured("", "1", begin, 1, goodput...)
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
		{[]*record.Run{hard, slow}, "other", []string{"no ratio: run bbbb is of an emulated machine",
			"in all comparisons one side is of an emulated machine", "never how fast hardware is"}, []string{"0.11"}},
		{[]*record.Run{slow, hard}, "base", []string{"no ratio: run bbbb is of an emulated machine"}, []string{"9.01"}},
		{[]*record.Run{slow, fast}, "both", []string{"1.99", "; emulated", "no difference is claimed"},
			[]string{"could not have been seen"}},
	} {
		s := NewSet(c.runs, Runs(c.runs))
		if len(s.Comparisons) != 2 {
			t.Fatalf("%s: %+v", c.emulated, s.Comparisons)
		}
		for _, got := range s.Comparisons {
			if got.Emulated != c.emulated || got.Different != nil || got.Resolution != nil ||
				(got.Ratio == nil) != (c.emulated != "both") || got.Why == "" {
				t.Errorf("%s: %+v", c.emulated, got)
			}
		}
		text := reporttest.Written(t, func(w io.Writer) error { return Print((terminal.Terminal{Width: 150, Out: w}), s) })
		t.Logf("\n%s", text)
		said := strings.Join(strings.Fields(text), " ")
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
		if err := JSON(&b, s); err != nil || !strings.Contains(b.String(), `"emulated": "`+c.emulated+`"`) {
			t.Errorf("%v\n%s", err, &b)
		}
	}
	if s := NewSet([]*record.Run{hard, hard}, Runs([]*record.Run{hard, hard})); s.Comparisons[0].Emulated != "" ||
		strings.Contains(strings.Join(s.Notes, " "), "emulated") {
		t.Errorf("namespaces are not emulated: %+v", s)
	}
}
