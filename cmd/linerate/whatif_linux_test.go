package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"linerate/result"
)

func (p *place) whatIf(t *testing.T, args ...string) result.WhatIf {
	t.Helper()
	a := p.linerate(t, append([]string{"whatif"}, append(args, "--json")...)...)
	var w result.WhatIf
	if err := json.Unmarshal([]byte(a.out), &w); a.code != exitDone || err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return w
}

// What a run at MTU 1500 says of 9000 is what a run at 9000 then measures, where the link is the limit of both.
func TestWhatIfInTheLab(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "testdata/two-mtus.yaml", p.path("two-mtus.yaml"), "streams: [1, 4]", "streams: 1", "repeats: 3", "repeats: 1")
	n := 0
	tries(t, func() error {
		n++
		dir := p.path(fmt.Sprintf("run%d", n))
		if a := p.linerate(t, "run", file, "--lab", "--scale", "0.01", "-o", dir, "--json"); a.code != exitDone {
			t.Fatal(a)
		}
		w := p.whatIf(t, dir, "--mtu", "9000")
		if len(w.Experiments) != 1 || len(w.NotAsked) != 1 || !strings.Contains(w.NotAsked[0].Reason, "MTU 9000 already") {
			t.Fatalf("%+v", w)
		}
		x := w.Experiments[0]
		if x.Measured == nil || x.Predicted == nil || x.Predicted.Low == nil || x.Predicted.High == nil || x.Limiter != "link" {
			return fmt.Errorf("%+v", x)
		}
		got := x.Measured.Goodput.Median
		if low, high := *x.Predicted.Low, *x.Predicted.High; got < low*0.97 || got > high*1.01 || high < x.Goodput.Median*1.02 {
			return fmt.Errorf("predicted %g to %g in place of %g, and measured %g", low, high, x.Goodput.Median, got)
		}
		return nil
	})
	if *record == "" {
		return
	}
	// At full rate, each packet on its own: the processor is the limit at both.
	dir := p.path("full")
	if a := p.linerate(t, "run", copyFile(t, "testdata/two-mtus.yaml", p.path("full.yaml")), "--lab", "--scale", "1", "--offloads", "off", "-o", dir, "--json"); a.code != exitDone {
		t.Fatal(a)
	}
	reduce(t, dir, filepath.Join(*record, "two-mtus"))
}
