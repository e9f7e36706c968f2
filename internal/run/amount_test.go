package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

func TestRepeatAmount(t *testing.T) {
	t.Parallel()
	from, to := twoAgents(t)
	const amount = 8*unit.MiB + 5
	for _, direction := range []string{traffic.Out, traffic.In, traffic.Both} {
		t.Run(direction, func(t *testing.T) {
			s := loopback("stream", direction, 3)
			s.Warmup, s.Window, s.Amount = 0, 2*time.Minute, amount
			r, _, err := repeat(t, from, to, s, func() {})
			if err != nil {
				t.Fatal(err)
			}
			want := int64(amount)
			if direction == traffic.Both {
				want *= 2
			}
			if g := float64(want) * 8 / r.Seconds; r.Bytes != want || r.Seconds <= 0 || r.Goodput < 0.999*g || r.Goodput > 1.001*g {
				t.Errorf("%d of %d bytes in %v s, goodput %v", r.Bytes, want, r.Seconds, r.Goodput)
			}
			if (r.Forward > 0) != (direction != traffic.In) || (r.Backward > 0) != (direction != traffic.Out) || r.Goodput > 1.001*(r.Forward+r.Backward) {
				t.Errorf("goodput %v out, %v in, %v together", r.Forward, r.Backward, r.Goodput)
			}
		})
	}
	s := loopback("stream", traffic.Out, 1)
	s.Warmup, s.Window, s.Amount, s.Pace = 0, 300*time.Millisecond, amount, 10e6
	if _, _, err := repeat(t, from, to, s, func() {}); err == nil || !strings.Contains(err.Error(), "of 8.39 MB were") {
		t.Errorf("an amount that is not through in time: %v", err)
	}
}

// The flows of a group each carry the amount: all of it over the time until the last one, each over its own.
func TestGroupAmount(t *testing.T) {
	t.Parallel()
	a, b := twoAgents(t)
	c, d := twoAgents(t)
	const amount = 4 * unit.MiB
	s := loopback("stream", traffic.Both, 2)
	s.Warmup, s.Window, s.Amount, s.Lead = 0, 2*time.Minute, amount, early
	g, err := RepeatGroup(t.Context(), []GroupFlow{{a, b, s}, {c, d, s}, {a, d, s}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Repeat
	if want := float64(r.Bytes) * 8 / r.Seconds; r.Bytes != int64(6*amount) || r.Goodput < 0.999*want || r.Goodput > 1.001*want {
		t.Errorf("%d bytes of %d in %v s, goodput %v", r.Bytes, int64(6*amount), r.Seconds, r.Goodput)
	}
	slowest := r.Goodput
	for i, f := range r.Flows {
		if f.Goodput <= 0 || f.Failed != "" || f.Forward <= 0 || f.Backward <= 0 {
			t.Errorf("flow %d: %+v", i, f)
		}
		slowest = min(slowest, f.Forward, f.Backward)
	}
	if took := float64(amount) * 8 / slowest; took > 1.01*r.Seconds {
		t.Errorf("the slowest flow took %v s of %v s", took, r.Seconds)
	}
}

func TestRepeatSource(t *testing.T) {
	t.Parallel()
	from, to := twoAgents(t)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, direction := range []string{traffic.Out, traffic.In, traffic.Both} {
		s := loopback("stream", direction, 2)
		s.Source = path
		r, _, err := repeat(t, from, to, s, nil)
		if err != nil {
			t.Fatal(direction, err)
		}
		if !strings.HasPrefix(r.InEffect["source"], path) || r.InEffect["source_from"] == "" || r.Goodput <= 0 {
			t.Errorf("%s: %v, goodput %v", direction, r.InEffect, r.Goodput)
		}
	}
	s := loopback("stream", traffic.Out, 1)
	s.Source = path + "x"
	if _, _, err := repeat(t, from, to, s, nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// What cannot be meant together, and what a file of another may not do, is not run and says why.
func TestFormsNotRun(t *testing.T) {
	for experiment, says := range map[string]string{
		"method: stream, from: n1, to: n2, amount: 1GiB, transport: udp":                 "tcp",
		"method: stream, from: n1, to: n2, source: /etc/hostname":                        "--allow-source",
		`method: stream, from: "n[1-3]", to: n4, pattern: incast, source: /etc/hostname`: "--allow-source",
		"method: stream, from: n1, to: n2, pace_by: kernel":                              "no pace",
		"method: stream, from: n1, to: n2, amount: 1GiB, gather: 8, size: 1KiB":          "gather",
		"method: stream, from: n1, to: n2, amount: 1GiB, streams: 4, pace: 1G":           "",
	} {
		cells, err := Cells(planOf(t, experiment), Options{})
		if err != nil || len(cells) != 1 {
			t.Fatal(experiment, cells, err)
		}
		if why := cells[0].Exp.NotRun; (says == "") != (why == "") || !strings.Contains(why, says) {
			t.Errorf("%s: %q; want %q", experiment, why, says)
		}
	}
	cells, err := Cells(planOf(t, "method: stream, from: n1, to: n2, source: /etc/hostname"), Options{Sources: true})
	if err != nil || cells[0].Exp.NotRun != "" {
		t.Errorf("allowed: %v, %v", cells[0].Exp.NotRun, err)
	}
}

// Neither a lab nor a budget shortens an amount; how long it takes is known from its rate, and then from its repeats.
func TestAmountWindow(t *testing.T) {
	cells, err := Cells(planOf(t, "method: stream, from: n1, to: n2, amount: 1GB, streams: 2, pace: 2G"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	s := &session{cfg: Config{Cells: cells, Lab: &record.Lab{Scale: 0.1}, Budget: time.Second}, all: cells, started: time.Now()}
	if w := s.window(c); w != AmountLimit {
		t.Errorf("limit %v", w)
	}
	if d := s.lasts(c); d < 7900*time.Millisecond || d > 8100*time.Millisecond { // 1 GB at a tenth of 10 Gb/s
		t.Errorf("expected %v; want 8 s", d)
	}
	c.Exp.Repeats = []record.Repeat{{Seconds: 3}}
	if d := s.lasts(c); d != 3*time.Second {
		t.Errorf("expected %v; want that of the repeat before", d)
	}
	if len(s.shortened()) > 0 {
		t.Errorf("shortened: %v", s.shortened())
	}
	spec, err := c.spec(s.window(c))
	if err != nil || spec.Warmup != 0 || spec.Tuning.Trial || spec.Tuning.Placement != traffic.PlaceOff || spec.Amount != 1e9 {
		t.Errorf("%+v, %v", spec, err)
	}
}

// A stream that reads above its pace is a warning.
func TestPaceKept(t *testing.T) {
	s := Spec{Pace: 100e6}
	r := record.Repeat{Seconds: 1, InEffect: map[string]string{"pace_by": "kernel"}, Streams: []record.Stream{{Goodput: 100e6}, {Goodput: 102e6}}}
	if w := paceKept(r, s); w != nil {
		t.Errorf("kept: %q", w)
	}
	if w := paceKept(record.Repeat{Seconds: 1, Streams: []record.Stream{{Goodput: 1.5e6}}}, Spec{Pace: 1e6}); w != nil {
		t.Errorf("a burst at the edge of a window: %q", w)
	}
	r.Streams[1].Goodput = 120e6
	if w := paceKept(r, s); len(w) != 1 || !strings.Contains(w[0], "1 of 2 streams") || !strings.Contains(w[0], "the kernel") || !strings.Contains(w[0], "120 Mb/s") {
		t.Errorf("not kept: %q", w)
	}
}

// Settings of the options are in place of the file's, and make another experiment of it; what cannot be measured so is said.
func TestSettingsInPlace(t *testing.T) {
	p := planOf(t, "method: stream, from: n1, to: n2, streams: 2, size: 64KiB")
	cells, err := Cells(p, Options{Settings: map[string]string{"transport": "udp", "pace": "80M", "size": "512"}})
	if err != nil || len(cells) != 1 {
		t.Fatal(err, cells)
	}
	e := cells[0].Exp
	if e.NotRun != "" || e.Settings["transport"] != "udp" || e.Settings["pace"] != "80M" || e.Settings["size"] != "512" || e.Settings["streams"] != "2" {
		t.Errorf("%+v", e)
	}
	plain, err := Cells(p, Options{})
	if err != nil || plain[0].Exp.Settings["size"] != "64KiB" || plain[0].Exp.ID == e.ID {
		t.Errorf("the file's own: %v %+v", err, plain[0].Exp)
	}
	if cells, err := Cells(p, Options{Settings: map[string]string{"colour": "red"}}); err != nil || !strings.Contains(cells[0].Exp.NotRun, "colour") {
		t.Errorf("%v: %+v", err, cells[0].Exp)
	}
}
