package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// twoVariants is a fabric of one link in three variants.
const twoVariants = `fabric: two
hosts:
  a: {os: linux, nics: {x: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+, bus: pcie3x8}}}}
  b: {os: linux, nics: {x: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+, bus: pcie3x8}}}}
links:
  - {ends: [a.x, b.x], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 3m}}}
experiments:
  raw: {method: throughput, from: a, to: b, time: 1s, repeats: 4}
  trip: {method: latency, from: a, to: b, time: 1s, repeats: 2}
goals:
  twice: {of: raw, want: goodput >= 1.5 x variant half}
variants:
  half: {hosts: {b: {nics: {x: {speed: 5G}}}}}
  small: {mtu: 1400, experiments: {trip: null}}
`

// Every variant has its own lab, their repeats alternate, and goals that name a variant are evaluated.
func TestRunAllVariants(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	file := p.path("two.yaml")
	testenv.WriteFile(t, file, []byte(twoVariants), 0o644)
	a := p.linerate(t, "run", file, "--lab", "--scale", "0.02", "--variant", "all", "--order", "random", "--seed", "5",
		"-o", p.path("r"), "--json")
	r := a.run(t)
	if len(r.Goals) != 1 || r.Goals[0].Met == nil ||
		a.code != map[bool]int{true: cli.ExitDone, false: cli.ExitMissed}[*r.Goals[0].Met] {
		t.Fatalf("want the goal judged: %s", a)
	}
	if !slices.Equal(r.Variants, []string{"half", "small"}) || r.Schedule == nil || !r.Schedule.Turns ||
		r.Schedule.Order != "random" || r.Schedule.Seed != 5 || r.Instrument == nil {
		t.Errorf("variants %q, schedule %+v, instrument %v", r.Variants, r.Schedule, r.Instrument)
	}
	if got, want := order(r, "raw"), strings.TrimSpace(strings.Repeat("own half small ", 4)); got != want {
		t.Errorf("raw was measured as %s, want %s", got, want)
	}
	if got, want := order(r, "trip"), "own half own half"; got != want {
		t.Errorf("trip was measured as %s, want %s", got, want)
	}
	ids := map[string]bool{}
	for _, e := range r.Experiments {
		ids[e.ID] = true
		if e.Ceiling == nil && e.Method == "throughput" || e.Failed != "" || e.NotRun != "" {
			t.Errorf("%s [%s]: ceiling %v, %s%s", e.Name, e.Variant, e.Ceiling, e.Failed, e.NotRun)
		}
	}
	if len(ids) != 5 || len(r.Hosts) != 6 {
		t.Errorf("%d experiments, %d hosts; want 5 and 6", len(ids), len(r.Hosts))
	}
	if !strings.Contains(a.err, "repeats, in random order (seed 5)") {
		t.Errorf("how long it takes is not said before it starts: %s", a.err)
	}
	found := false
	for _, c := range r.Comparisons {
		if c.Metric == "goodput" && c.Other.Label == "half" {
			found = true
			if c.Ratio == nil || c.Different == nil || !c.Turns {
				t.Errorf("half the rate: %+v", c)
			}
		}
	}
	if !found {
		t.Errorf("no comparison with half: %+v", r.Comparisons)
	}
	// Read again from disk, with every verdict recomputed.
	again := p.linerate(t, "explain", p.path("r"), "--json").run(t)
	if len(again.Comparisons) != len(r.Comparisons) || len(again.Goals) != 1 || again.Goals[0].Met == nil ||
		*again.Goals[0].Met != *r.Goals[0].Met {
		t.Errorf("explained again: %d comparisons of %d, goals %+v", len(again.Comparisons), len(r.Comparisons), again.Goals)
	}
	if c := p.linerate(t, "compare", p.path("r")); c.code != cli.ExitDone || !strings.Contains(c.out, "half") ||
		strings.Contains(c.out, "not interleaved") {
		t.Errorf("compare of one run of variants: %s", c)
	}
	c := p.linerate(t, "compare", p.path("r"), p.path("r"), "--json").ends(t, cli.ExitDone)
	o := c.object(t, "linerate/compare/1")
	if notes, _ := o["notes"].([]any); len(notes) == 0 {
		t.Errorf("a run next to itself was not interleaved, and that is not said: %v", o)
	}
	for _, bad := range [][]string{{"compare", p.path("r"), "--by", "size"},
		{"compare", p.path("r"), p.path("r"), "--by", "streams"}, {"compare", p.path("nothing")},
		{"run", file, "--lab", "--resume", "-o", p.path("r")}, {"run", file, "--in-lab=zzzz", "--variant", "all"}} {
		p.linerate(t, bad...).ends(t, cli.ExitInput)
	}
}

// Outside of a lab no settings are changed for a variant.
func TestVariantsOutsideTheLab(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	file := p.path("two.yaml")
	testenv.WriteFile(t, file, []byte(strings.Replace(twoVariants, "a: {os: linux,", "a: {os: linux, connect: local,",
		1)), 0o644)
	a := p.linerate(t, "run", file, "--variant", "all", "-o", p.path("r"), "--json").ends(t, cli.ExitIncomplete)
	for _, e := range a.run(t).Experiments {
		if (e.Variant != "") != strings.Contains(e.NotRun, "--variant "+e.Variant) {
			t.Errorf("%s [%s]: %q", e.Name, e.Variant, e.NotRun)
		}
	}
	if x := p.linerate(t, "run", mustAbs(t, root+"/examples/nas-40g.yaml"), "--variant",
		"all"); x.code != cli.ExitInput || !strings.Contains(x.err, "defines no variants") {
		t.Errorf("a file without variants: %s", x)
	}
}

func (p *place) whatIf(t *testing.T, args ...string) record.WhatIf {
	t.Helper()
	a := p.linerate(t, append([]string{"whatif"}, append(args, "--json")...)...)
	var w record.WhatIf
	if err := json.Unmarshal([]byte(a.out), &w); a.code != cli.ExitDone || err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return w
}

// A run with two MTUs. For each, whatif prints the prediction from the other next to the measured value.
// internal/lab/exam/live tests whether the prediction holds.
func TestWhatIfInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "testdata/two-mtus.yaml", p.path("two-mtus.yaml"),
		"streams: [1, 4]", "streams: 1", "repeats: 3", "repeats: 1")
	dir := p.path("run")
	p.linerate(t, "run", file, "--lab", "--scale", "0.005", "-o", dir, "--json").ends(t, cli.ExitDone)
	w := p.whatIf(t, dir, "--mtu", "9000")
	if len(w.Experiments) != 1 || len(w.NotAsked) != 1 || !strings.Contains(w.NotAsked[0].Reason, "MTU 9000 already") {
		t.Fatalf("%+v", w)
	}
	x := w.Experiments[0]
	if x.Settings["mtu"] != "1500" || x.Limiter == "" || x.Sentence == "" || len(x.Ceilings) == 0 || x.Measured == nil ||
		x.Measured.ID == x.ID {
		t.Errorf("%+v", x)
	}
}
