package network

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

func TestRepeatAmount(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	const amount = 8*unit.MiB + 5
	for _, direction := range []string{traffic.Out, traffic.In, traffic.Both} {
		t.Run(direction, func(t *testing.T) {
			s := loopback("throughput", direction, 3)
			s.Warmup, s.Interval, s.Amount = 0, 2*time.Minute, amount
			r, _, err := repeat(t, from, to, s, func() {})
			if err != nil {
				t.Fatal(err)
			}
			want := int64(amount)
			if direction == traffic.Both {
				want *= 2
			}
			if g := float64(want) * 8 / r.Seconds; r.Bytes != want || r.Seconds <= 0 || r.Goodput < 0.999*g ||
				r.Goodput > 1.001*g {
				t.Errorf("%d of %d bytes in %v s, goodput %v", r.Bytes, want, r.Seconds, r.Goodput)
			}
			if (r.Forward > 0) != (direction != traffic.In) || (r.Backward > 0) != (direction != traffic.Out) ||
				r.Goodput > 1.001*(r.Forward+r.Backward) {
				t.Errorf("goodput %v out, %v in, %v together", r.Forward, r.Backward, r.Goodput)
			}
		})
	}
	s := loopback("throughput", traffic.Out, 1)
	s.Warmup, s.Interval, s.Amount, s.Pace = 0, 300*time.Millisecond, amount, 10e6
	if _, _, err := repeat(t, from, to, s, func() {}); err == nil || !strings.Contains(err.Error(), "of 8.39 MB were") {
		t.Errorf("an amount that is not through in time: %v", err)
	}
}

// The flows of a group each transfer the amount: all of it over the time until the last one, each over its own.
func TestGroupAmount(t *testing.T) {
	t.Parallel()
	a, b := runtest.TwoAgents(t)
	c, d := runtest.TwoAgents(t)
	const amount = 4 * unit.MiB
	s := loopback("throughput", traffic.Both, 2)
	s.Warmup, s.Interval, s.Amount, s.Lead = 0, 2*time.Minute, amount, early
	g, err := RepeatGroup(t.Context(), []GroupFlow{{a, b, s}, {c, d, s}, {a, d, s}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Repeat
	if want := float64(r.Bytes) * 8 / r.Seconds; r.Bytes != int64(6*amount) || r.Goodput < 0.999*want ||
		r.Goodput > 1.001*want {
		t.Errorf("%d bytes of %d in %v s, goodput %v", r.Bytes, int64(6*amount), r.Seconds, r.Goodput)
	}
	slowest := r.Goodput
	for i, f := range r.Flows {
		if f.Goodput <= 0 || f.Failed != "" || f.Forward <= 0 || f.Backward <= 0 {
			t.Errorf("flow %d: %+v", i, f)
		}
		slowest = min(slowest, f.Forward, f.Backward)
	}
	if duration := float64(amount) * 8 / slowest; duration > 1.01*r.Seconds {
		t.Errorf("the slowest flow took %v s of %v s", duration, r.Seconds)
	}
}

func TestRepeatSource(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, direction := range []string{traffic.Out, traffic.In, traffic.Both} {
		s := loopback("throughput", direction, 2)
		s.Source = path
		r, _, err := repeat(t, from, to, s, nil)
		if err != nil {
			t.Fatal(direction, err)
		}
		if !strings.HasPrefix(r.InEffect["source"], path) || r.InEffect["source_from"] == "" || r.Goodput <= 0 {
			t.Errorf("%s: %v, goodput %v", direction, r.InEffect, r.Goodput)
		}
	}
	s := loopback("throughput", traffic.Out, 1)
	s.Source = path + "x"
	if _, _, err := repeat(t, from, to, s, nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Contradictory settings, and what a foreign file must not do, are not run and have the reason.
func TestFormsNotRun(t *testing.T) {
	for text, says := range map[string]string{
		"method: throughput, from: n1, to: n2, amount: 1GiB, transport: udp":                 "tcp",
		"method: throughput, from: n1, to: n2, source: /etc/hostname":                        "--allow-source",
		`method: throughput, from: "n[1-3]", to: n4, traffic: incast, source: /etc/hostname`: "--allow-source",
		"method: throughput, from: n1, to: n2, pace_by: kernel":                              "no pace",
		"method: throughput, from: n1, to: n2, amount: 1GiB, batch: 8, size: 1KiB":           "batch",
		"method: throughput, from: n1, to: n2, amount: 1GiB, streams: 4, pace: 1G":           "",
	} {
		combinations := runtest.Expand(runtest.StarPlan(t, text), experiment.Options{}, Throughput)
		if len(combinations) != 1 {
			t.Fatal(text, combinations)
		}
		if why := combinations[0].Record.NotRun; (says == "") != (why == "") || !strings.Contains(why, says) {
			t.Errorf("%s: %q; want %q", text, why, says)
		}
	}
	combinations := runtest.Expand(runtest.StarPlan(t, "method: throughput, from: n1, to: n2, source: /etc/hostname"),
		experiment.Options{Sources: true}, Throughput)
	if combinations[0].Record.NotRun != "" {
		t.Errorf("allowed: %v", combinations[0].Record.NotRun)
	}
}

// A stream that is received above its pace is a warning.
func TestPaceKept(t *testing.T) {
	s := Spec{Pace: 100e6}
	r := record.Repeat{Seconds: 1, InEffect: map[string]string{"pace_by": "kernel"},
		Streams: []record.Stream{{Goodput: 100e6}, {Goodput: 102e6}}}
	if w := paceKept(r, s); w != nil {
		t.Errorf("kept: %q", w)
	}
	if w := paceKept(record.Repeat{Seconds: 1, Streams: []record.Stream{{Goodput: 1.5e6}}}, Spec{Pace: 1e6}); w != nil {
		t.Errorf("a burst at the edge of a interval: %q", w)
	}
	r.Streams[1].Goodput = 120e6
	if w := paceKept(r,
		s); len(w) != 1 || !strings.Contains(w[0], "1 of 2 streams") || !strings.Contains(w[0], "the kernel") ||
		!strings.Contains(w[0], "120 Mb/s") {
		t.Errorf("not kept: %q", w)
	}
}

// Settings of the options replace the file's and make a different experiment. A reason is given where they cannot be
// measured.
func TestSettingsInPlace(t *testing.T) {
	p := runtest.StarPlan(t, "method: throughput, from: n1, to: n2, streams: 2, size: 64KiB")
	combinations := runtest.Expand(p,
		experiment.Options{Settings: map[string]string{"transport": "udp", "pace": "80M", "size": "512"}}, Throughput)
	if len(combinations) != 1 {
		t.Fatal(combinations)
	}
	e := combinations[0].Record
	if e.NotRun != "" || e.Settings["transport"] != "udp" || e.Settings["pace"] != "80M" ||
		e.Settings["size"] != "512" ||
		e.Settings["streams"] != "2" {
		t.Errorf("%+v", e)
	}
	plain := runtest.Expand(p, experiment.Options{}, Throughput)
	if plain[0].Record.Settings["size"] != "64KiB" || plain[0].Record.ID == e.ID {
		t.Errorf("the file's own: %+v", plain[0].Record)
	}
	if combinations := runtest.Expand(p, experiment.Options{Settings: map[string]string{"colour": "red"}},
		Throughput); !strings.Contains(combinations[0].Record.NotRun, "colour") {
		t.Errorf("%+v", combinations[0].Record)
	}
}

// An amount has no warm-up and no trial: every byte counts.
func TestSpecOfAmount(t *testing.T) {
	c := runtest.Expand(runtest.StarPlan(t, "method: throughput, from: n1, to: n2, amount: 1GB, streams: 2, pace: "+
		"2G"), experiment.Options{}, Throughput)[0]
	spec, err := newSpec(c, c.Path, "throughput", time.Minute)
	if err != nil || spec.Warmup != 0 || spec.Tuning.Trial || spec.Tuning.Placement != traffic.PlaceOff ||
		spec.Amount != 1e9 {
		t.Errorf("%+v, %v", spec, err)
	}
}
