package main

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/testenv"
)

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// order lists the experiments of all repeats of a name, by when they were measured.
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

// Both sides of --against are measured in turns on the same two ends, and compared.
func TestMeasureAgainst(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	a := p.linerate(t, "measure", "stream", "--from", "local", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out", "--time", "1s",
		"--against", "--streams 2 --pace 50M", "--repeats", "4", "--json")
	if a.code != exitDone {
		t.Fatalf("%s", a)
	}
	r := a.run(t)
	const other = "--streams 2 --pace 50M"
	if len(r.Experiments) != 2 || r.Experiments[1].Variant != other || r.Experiments[1].Settings["streams"] != "2" || r.Experiments[0].Settings["pace"] != "" {
		t.Fatalf("%+v", r.Experiments)
	}
	if got, want := order(r, "stream"), strings.TrimSpace(strings.Repeat("own "+other+" ", 4)); got != want {
		t.Errorf("measured as %s, want %s", got, want)
	}
	if len(r.Comparisons) == 0 || !r.Comparisons[0].Turns {
		t.Errorf("both sides are not compared: %+v", r.Comparisons)
	}
	a = p.linerate(t, "measure", "stream", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out", "--time", "200ms", "--against", "--streams 1,2")
	if a.code != exitInput || !strings.Contains(a.err, "counterpart") {
		t.Errorf("sides of which one has more: %s", a)
	}
}

// Sides that cannot be compared are refused.
func TestMeasureAgainstMistakes(t *testing.T) {
	for _, c := range []struct{ against, says string }{
		{"--to local", "both sides"}, {"foo", "no flag"}, {"--nope 1", "nope"}, {"", "differ"}, {"--pace '5", "quote"}, {"--streams 2 --json", "both sides"},
	} {
		a := call(t, nil, "measure", "stream", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out", "--time", "300ms", "--against", c.against)
		if a.code != exitInput || !strings.Contains(a.err, c.says) {
			t.Errorf("--against %q: want exit code 2 and %q: %s", c.against, c.says, a)
		}
	}
}

// Repeats go on until the interval is narrow enough, at most as often as allowed.
func TestUntil(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	at := func(extra ...string) *record.Run {
		a := p.linerate(t, append([]string{"measure", "stream", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out", "--time", "100ms", "--json"}, extra...)...)
		if a.code != exitDone {
			t.Fatalf("%s", a)
		}
		return a.run(t)
	}
	if e := at("--until", "99%").Experiments[0]; len(e.Repeats) < 6 || e.Goodput.Interval != "95%" {
		t.Errorf("a target that anything reaches: %d repeats, %+v", len(e.Repeats), e.Goodput)
	}
	r := at("--until", "0.0001%", "--repeats-at-most", "8")
	if e := r.Experiments[0]; len(e.Repeats) != 8 || !slices.ContainsFunc(e.Warnings, func(w string) bool { return strings.Contains(w, "after 8 repeats") }) {
		t.Errorf("a target that nothing reaches: %d repeats, %q", len(e.Repeats), e.Warnings)
	}
	if r.Schedule == nil || r.Schedule.AtMost != 8 || r.Schedule.Until != 1e-6 {
		t.Errorf("schedule %+v", r.Schedule)
	}
}

func TestUntilMistakes(t *testing.T) {
	for _, bad := range [][]string{{"--until", "2"}, {"--until", "0%"}, {"--until", "x%"}, {"--until", "2%", "--repeats-at-most", "3"}, {"--repeats-at-most", "0"}, {"--order", "up"}} {
		if a := call(t, nil, append([]string{"measure", "stream", "nas"}, bad...)...); a.code != exitInput || !strings.Contains(a.err, bad[0]) {
			t.Errorf("%q: %s", bad, a)
		}
	}
}

func TestSelftestVerb(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	a := call(t, nil, "selftest", "--json")
	o := a.object(t, "linerate/selftest/1")
	if a.code != exitDone || o["clock_resolution"].(float64) <= 0 {
		t.Errorf("%s", a)
	}
	// On a busy machine the rate may be unknown, for this reason and no other.
	rate, known := o["loopback"].(float64)
	if known && rate <= 0 || !known && !strings.Contains(a.out, "other work had the processor") {
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "selftest"); a.code != exitDone || !strings.Contains(a.out, "scheduler") || !strings.Contains(a.out, "loopback") {
		t.Errorf("%s", a)
	}
}
