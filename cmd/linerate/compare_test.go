package main

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs := testenv.Must(filepath.Abs(path))(t)
	return abs
}

// order lists the experiments of all repeats with a name, in the order of measurement.
func order(r *record.Run, name string) string {
	type at struct {
		when    int64
		variant string
	}
	var all []at
	for _, e := range r.Experiments {
		for _, p := range e.Repeats {
			if e.Name == name {
				v := e.Variant
				if v == "" {
					v = "own"
				}
				all = append(all, at{p.Start.UnixNano(), v})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].when < all[j].when })
	var out []string
	for _, a := range all {
		out = append(out, a.variant)
	}
	return strings.Join(out, " ")
}

// Both sides of --compare-with are measured alternating on the same two ends, and compared.
func TestMeasureAgainst(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	a := p.linerate(t, "measure", "throughput", "--from", "local", "--to", "local", "--to-address", "127.0.0.1",
		"--direction",
		"out", "--time", "1s", "--compare-with", "--streams 2 --pace 50M", "--repeats", "4", "--json")
	if a.code != cli.ExitDone {
		t.Fatalf("%s", a)
	}
	r := a.run(t)
	const other = "--streams 2 --pace 50M"
	if len(r.Experiments) != 2 || r.Experiments[1].Variant != other || r.Experiments[1].Settings["streams"] != "2" ||
		r.Experiments[0].Settings["pace"] != "" {
		t.Fatalf("%+v", r.Experiments)
	}
	if got, want := order(r, "throughput"), strings.TrimSpace(strings.Repeat("own "+other+" ", 4)); got != want {
		t.Errorf("measured as %s, want %s", got, want)
	}
	if len(r.Comparisons) == 0 || !r.Comparisons[0].Turns {
		t.Errorf("both sides are not compared: %+v", r.Comparisons)
	}
	a = p.linerate(t, "measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out",
		"--time",
		"200ms", "--compare-with", "--streams 1,2")
	if a.code != cli.ExitInput || !strings.Contains(a.err, "counterpart") {
		t.Errorf("sides of which one has more: %s", a)
	}
}

// Sides that cannot be compared are refused.
func TestMeasureAgainstErrors(t *testing.T) {
	for _, c := range []struct{ against, says string }{
		{"--to local", "both sides"}, {"foo", "is not a flag"}, {"--nope 1", "nope"}, {"", "differ"}, {"--pace '5", "quote"},
		{"--streams 2 --json", "both sides"},
	} {
		a := call(t, nil, "measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out",
			"--time",
			"300ms", "--compare-with", c.against)
		if a.code != cli.ExitInput || !strings.Contains(a.err, c.says) {
			t.Errorf("--compare-with %q: want exit code 2 and %q: %s", c.against, c.says, a)
		}
	}
}

// Repeats continue until the confidence interval is narrow enough, up to the maximum.
func TestUntil(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	at := func(extra ...string) *record.Run {
		a := p.linerate(t,
			append([]string{"measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--direction",
				"out", "--time", "100ms", "--json"}, extra...)...).ends(t, cli.ExitDone)
		return a.run(t)
	}
	if e := at("--until", "99%").Experiments[0]; len(e.Repeats) < 6 || e.Goodput.Interval != "95%" {
		t.Errorf("a target that anything reaches: %d repeats, %+v", len(e.Repeats), e.Goodput)
	}
	r := at("--until", "0.0001%", "--repeats-at-most", "8")
	if e := r.Experiments[0]; len(e.Repeats) != 8 ||
		!slices.ContainsFunc(e.Warnings, func(w string) bool { return strings.Contains(w, "after 8 repeats") }) {
		t.Errorf("a target that nothing reaches: %d repeats, %q", len(e.Repeats), e.Warnings)
	}
	if r.Schedule == nil || r.Schedule.AtMost != 8 || r.Schedule.Until != 1e-6 {
		t.Errorf("schedule %+v", r.Schedule)
	}
}

func TestUntilErrors(t *testing.T) {
	for _, bad := range [][]string{{"--until", "2"}, {"--until", "0%"}, {"--until", "x%"},
		{"--until", "2%", "--repeats-at-most", "3"}, {"--repeats-at-most", "0"}, {"--order", "up"}} {
		if a := call(t, nil, append([]string{"measure", "throughput", "nas"}, bad...)...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, bad[0]) {
			t.Errorf("%q: %s", bad, a)
		}
	}
}

func TestSelftestVerb(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	a := call(t, nil, "doctor", "--self", "--json")
	o := a.object(t, "linerate/selftest/1")
	if a.code != cli.ExitDone || o["clock_resolution"].(float64) <= 0 {
		t.Errorf("%s", a)
	}
	// On a busy machine the rate may be unknown, for only this reason.
	rate, known := o["loopback"].(float64)
	if known && rate <= 0 || !known && !strings.Contains(a.out, "other work had the CPU") {
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "doctor", "--self"); a.code != cli.ExitDone || !strings.Contains(a.out, "scheduler") ||
		!strings.Contains(a.out, "loopback") {
		t.Errorf("%s", a)
	}
}

// A run is compared with a document's figures: equal things have a ratio and its conditions, unequal ones a reason.
func TestCompareBaseline(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	p.linerate(t, "measure", "throughput", "--from", "local", "--to", "local", "--to-address", "127.0.0.1",
		"--streams", "4", "--direction", "out", "--time", "200ms", "--repeats", "2", "-o", "mine").ends(t, cli.ExitDone)
	a := p.linerate(t, "compare", "mine", "baseline:nas-40g")
	said := unwrapped(a.out)
	if a.code != cli.ExitDone {
		t.Fatalf("%s", a)
	}
	testenv.Contains(t, a.out, said, "TCP, 4 streams, MTU 9000", "; the document has 24.5 Gb/s", "times the document's",
		"link 40.0 Gb/s to", "no experiment of the method copy", "Intel Core i7-7980XE")
	a = p.linerate(t, "compare", "baseline:nas-40g", "mine", "baseline:eval-25g", "--json")
	o := a.object(t, "linerate/compare/1")
	if len(o["documents"].([]any)) != 2 || len(o["comparisons"].([]any)) < 4 || len(o["refused"].([]any)) < 20 {
		t.Errorf("%s", a)
	}
	c := o["comparisons"].([]any)[0].(map[string]any)
	if c["different"] != nil || c["base"].(map[string]any)["median"].(float64) != 12e9 ||
		c["published"].(map[string]any)["text"] == "" {
		t.Errorf("%v", c)
	}
	for _, bad := range []struct {
		args []string
		says string
	}{
		{[]string{"mine", "baseline:nas-40"}, "baseline:nas-40g"}, {[]string{"baseline:nas-40g"}, "0 are named"},
		{[]string{"mine", "mine", "baseline:nas-40g"}, "2 are named"},
		{[]string{"mine", "baseline:nas-40g", "--by", "streams"}, "--by streams"},
		{[]string{"mine", "baseline:"}, "no baseline"}, {[]string{"--baselines", "mine"}, "takes no words"},
		{nil, "missing RUN"},
	} {
		if a := p.linerate(t, append([]string{"compare"}, bad.args...)...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, bad.says) {
			t.Errorf("%q: want exit code 2 and %q: %s", bad.args, bad.says, a)
		}
	}
	if a := p.linerate(t, "compare", "--baselines"); a.code != cli.ExitDone || strings.Count(a.out, "baseline:") != 5 {
		t.Errorf("%s", a)
	}
	// The page is written and rewritten, but never over a file that is not linerate's.
	for range 2 {
		if a := p.linerate(t, "compare", "mine", "mine", "-o", "page.html"); a.code != cli.ExitDone ||
			!strings.Contains(a.out, "page.html") {
			t.Fatalf("%s", a)
		}
	}
	page, err := os.ReadFile(filepath.Join(p.dir, "page.html"))
	if err != nil || !strings.Contains(string(page), "<svg") || !strings.Contains(string(page), "</html>") {
		t.Errorf("%v, %d bytes", err, len(page))
	}
	testenv.WriteFile(t, filepath.Join(p.dir, "own.html"), []byte("<p>mine"), 0o644)
	for name, code := range map[string]int{"own.html": cli.ExitRefused, "mine": cli.ExitInput,
		"nowhere/page.html": cli.ExitInput} {
		if a := p.linerate(t, "compare", "mine", "baseline:nas-40g", "-o", name); a.code != code ||
			!strings.Contains(a.err, name) || a.out != "" {
			t.Errorf("%s: want exit code %d: %s", name, code, a)
		}
	}
	if a := p.linerate(t, "__complete", "compare", "mine", "baseline:m"); !strings.Contains(a.out,
		"baseline:mesh-10g") || strings.Contains(a.out, "nas-40g") {
		t.Errorf("%s", a)
	}
}
