package main

import (
	"encoding/json"
	"strings"
	"testing"

	"linerate/internal/record"
)

func (p *place) whatIf(t *testing.T, args ...string) record.WhatIf {
	t.Helper()
	a := p.linerate(t, append([]string{"whatif"}, append(args, "--json")...)...)
	var w record.WhatIf
	if err := json.Unmarshal([]byte(a.out), &w); a.code != exitDone || err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return w
}

// A run measured two MTUs. For each, whatif prints the prediction from the other next to the measured value.
// internal/lab/exam/live judges whether the prediction holds.
func TestWhatIfInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "testdata/two-mtus.yaml", p.path("two-mtus.yaml"),
		"streams: [1, 4]", "streams: 1", "repeats: 3", "repeats: 1")
	dir := p.path("run")
	if a := p.linerate(t, "run", file, "--lab", "--scale", "0.005", "-o", dir, "--json"); a.code != exitDone {
		t.Fatal(a)
	}
	w := p.whatIf(t, dir, "--mtu", "9000")
	if len(w.Experiments) != 1 || len(w.NotAsked) != 1 || !strings.Contains(w.NotAsked[0].Reason, "MTU 9000 already") {
		t.Fatalf("%+v", w)
	}
	x := w.Experiments[0]
	if x.Settings["mtu"] != "1500" || x.Limiter == "" || x.Sentence == "" || len(x.Ceilings) == 0 || x.Measured == nil || x.Measured.ID == x.ID {
		t.Errorf("%+v", x)
	}
}
