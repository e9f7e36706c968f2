package compare

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
)

// The advice on labs of two scales can be typed, and names the run that has to be measured again.
func TestLabsApart(t *testing.T) {
	of := func(id string, scale float64, path string, words ...string) *record.Run {
		return &record.Run{ID: id, Lab: &record.Lab{Scale: scale}, FabricPath: path, Arguments: words}
	}
	small := of("bbbb", 0.05, "", "linerate", "quick", "--lab")
	for _, c := range []struct {
		of   *record.Run
		want string
	}{
		{of("cccc", 0.1, "", "linerate", "quick", "--lab"),
			"measure run cccc again with --scale 0.05, and they are alike: linerate quick --lab --scale 0.05"},
		{of("cccc", 0.1, "my fabric.yaml", "linerate", "run", "my fabric.yaml", "--lab"),
			": linerate run 'my fabric.yaml' --lab --scale 0.05"},
		{of("cccc", 0.1, "f.yaml", "linerate", "run", "f.yaml", "--lab", "--guests"),
			"again with --scale 0.05, and they are alike"},
		{of("cccc", 1, "f.yaml", "linerate", "run", "f.yaml", "--in-lab=abcd"), "at full scale"},
	} {
		for _, got := range []string{labsApart(c.of, small), labsApart(small, c.of)} {
			if !strings.Contains(got, c.want) || !strings.Contains(got, "1/20 scale") {
				t.Errorf("%q has no %q", got, c.want)
			}
		}
	}
	if got := labsApart(small, of("dddd", 0, "")); strings.Contains(got, "--scale") {
		t.Errorf("a scale that is not known: %q", got)
	}
	notes := NewSet([]*record.Run{small, of("cccc", 0.1, "", "linerate", "quick", "--lab")}, nil).Notes
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "linerate quick --lab --scale 0.05") {
		t.Errorf("compare does not say it: %s", all)
	}
}

func TestUndecided(t *testing.T) {
	ratio, low := 1.1, 0.9
	few := record.Comparison{Metric: "goodput", Ratio: &ratio, Low: &low, High: &ratio,
		Base: record.ComparisonSide{Label: "run a", Repeats: 2}, Other: record.ComparisonSide{Label: "run b", Repeats: 3},
		Why: "2 and 3 repeats carry no 95 % interval"}
	none := record.Comparison{Metric: "goodput", Other: few.Other,
		Why: "no ratio: one is of a lab at 1/20 scale, the other at full scale"}
	// The result is first, the warning second.
	want := []string{"Goodput of run b: 1.100 times run a, in 2 comparisons; no ratio in 1.",
		"No difference can be shown: 2 repeats a side; 4 are needed, 6 alternately are better (--repeats). " +
			"1 comparison has no ratio."}
	if got := compareSentences([]record.Comparison{few, none, few}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	yes := true
	shown := few
	shown.Different = &yes
	got := compareSentences([]record.Comparison{few, shown})
	if len(got) != 1 || strings.Contains(got[0], "No difference can be shown") {
		t.Error(got)
	}
}

func TestScaleTag(t *testing.T) {
	a, b, c := &record.Run{ID: "bbbb", Lab: &record.Lab{Scale: 0.05}}, &record.Run{ID: "cccc",
		Lab: &record.Lab{Scale: 0.1}}, &record.Run{ID: "dddd", Hosts: []record.HostState{{Connection: "ssh nas"}}}
	k := newComparer([]*record.Run{a, b, c})
	for label, want := range map[string]string{"run bbbb": " (lab, 1/20 scale)", "run cccc slow": " (lab, 1/10 scale)",
		"run dddd": " (real hosts)", "card": ""} {
		if got := k.scaleTag(label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
	if got := newComparer([]*record.Run{a, a}).scaleTag("run bbbb"); got != "" {
		t.Errorf("of one scale: %q", got)
	}
}

// Many experiments without a counterpart are one line, few are a line each.
func TestRefusalsUnlike(t *testing.T) {
	var all []record.Refused
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		all = append(all, record.Refused{What: n, Why: unlikeThings + "the nearest of run x, y, has ends " + n})
	}
	got := refusals(append(all, record.Refused{What: "z", Why: "it was not measured there"}))
	if len(got) != 2 || !strings.HasPrefix(got[0].what, "6 experiments (a; b; c; d; and 2 more)") ||
		!strings.Contains(got[0].why, "of the first, the nearest of run x, y, has ends a") || got[1].what != "z" {
		t.Errorf("%+v", got)
	}
	if got := refusals(all[:2]); len(got) != 2 || got[1].why != all[1].Why {
		t.Errorf("%+v", got)
	}
}

// Where no difference is shown, the note names the smallest detectable one, and the repeats for a smaller one.
// Otherwise there is no note.
func TestUnseen(t *testing.T) {
	same := []float64{1e9, 1.03e9, 0.97e9, 1.01e9, 0.98e9, 1.02e9, 1e9, 1.04e9, 0.96e9, 1e9}
	other := []float64{1.02e9, 0.99e9, 1e9, 0.97e9, 1.03e9, 1e9, 1.01e9, 0.98e9, 1.02e9, 0.99e9}
	twice := make([]float64, len(other))
	for i, v := range other {
		twice[i] = 2 * v
	}
	run := &record.Run{FabricText: "f", Variants: []string{"x"},
		Experiments: []*record.Experiment{reporttest.Measured("", "1", 0, 2, same...),
			reporttest.Measured("x", "1", 1, 2, other...)}}
	all := Variants(run)
	notes := strings.Join(ComparisonNotes(all), "\n")
	c := all[0]
	if c.Metric != "goodput" || c.Resolution == nil || *c.Resolution < 0.02 || *c.Resolution > 0.08 {
		t.Fatalf("%+v", c)
	}
	if want := "goodput: a difference below about " + unit.Percent(
		*c.Resolution,
	) + " could not have been seen with 10 repeats a side; to see "; !strings.Contains(notes, want) ||
		!strings.Contains(notes, ": --repeats ") {
		t.Errorf("%q is missing in:\n%s", want, notes)
	}
	run.Experiments = append(run.Experiments, reporttest.Measured("", "4", 40, 2, same...),
		reporttest.Measured("x", "4", 41, 2, other...))
	if notes := strings.Join(unseen(Variants(run)),
		"\n"); !strings.Contains(notes, "of 2 comparisons the one that sees least") {
		t.Errorf("two combinations:\n%s", notes)
	}
	for name, list := range map[string][]float64{"a difference": twice, "too few": other[:3]} {
		run.Experiments = []*record.Experiment{reporttest.Measured("", "1", 0, 2, same[:len(list)]...),
			reporttest.Measured("x", "1", 1, 2, list...)}
		for _, n := range unseen(Variants(run)) {
			if strings.HasPrefix(n, "goodput") {
				t.Errorf("%s: %s", name, n)
			}
		}
	}
	// Values without noise show any difference.
	run.Experiments = []*record.Experiment{reporttest.Measured("", "1", 0, 2, 1, 1, 1, 1, 1, 1),
		reporttest.Measured("x", "1", 1, 2, 1, 1, 1, 1, 1, 1)}
	if n := unseen(Variants(run)); len(n) > 0 {
		t.Errorf("without noise: %q", n)
	}
}

// TestSharedReasons: a reason that rows have in common is printed once, below the table; that of one row stays in it.
func TestSharedReasons(t *testing.T) {
	row := func(what, why string) record.Comparison {
		return record.Comparison{Experiment: what, Metric: "goodput", Why: why,
			Base: record.ComparisonSide{Label: "run a", Median: 1e9}, Other: record.ComparisonSide{Label: "run b", Median: 2e9}}
	}
	lab, scale, zero := "no ratio: one is of a lab", "no ratio: two scales", "no ratio: the first side is 0"
	print := func(all ...record.Comparison) string {
		var b bytes.Buffer
		l := terminal.Terminal{Out: &b, Width: 100}.Lines()
		PrintComparisons(l, all)
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := print(row("first", lab), row("second", lab), row("third", zero))
	if strings.Count(one, "one is of a lab") != 1 ||
		!strings.Contains(one, "\nnone  2 rows have no ratio: one is of a lab\n") || !strings.Contains(one, zero) ||
		strings.Contains(one, "none (1)") || strings.Contains(one, "not known") {
		t.Errorf("%s", one)
	}
	two := print(row("first", lab), row("second", scale), row("third", scale), row("fourth", lab))
	for _, want := range []string{"first", "none (2)", "\nnone (1)  2 rows have no ratio: one is of a lab\n",
		"\nnone (2)  2 rows have no ratio: two scales\n"} {
		if !strings.Contains(two, want) {
			t.Errorf("%q is missing in\n%s", want, two)
		}
	}
}
