package run

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// Neither a lab nor a budget shortens an amount. Its duration is estimated from its rate, and then from its repeats.
func TestIntervalOfAmount(t *testing.T) {
	combinations, err := Combinations(
		runtest.StarPlan(t, "method: throughput, from: n1, to: n2, amount: 1GB, streams: 2, pace: 2G"), experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := combinations[0]
	s := &session{cfg: Config{Combinations: combinations, Lab: &record.Lab{Scale: 0.1}, Budget: time.Second},
		all: combinations, started: time.Now()}
	if w := s.Interval(c); w != experiment.AmountLimit {
		t.Errorf("limit %v", w)
	}
	if d := s.Lasts(c); d < 7900*time.Millisecond || d > 8100*time.Millisecond { // 1 GB at a tenth of 10 Gb/s
		t.Errorf("expected %v; want 8 s", d)
	}
	c.Record.Repeats = []record.Repeat{{Seconds: 3}}
	if d := s.Lasts(c); d != 3*time.Second {
		t.Errorf("expected %v; want that of the repeat before", d)
	}
	if len(s.shortened()) > 0 {
		t.Errorf("shortened: %v", s.shortened())
	}
}

func unhurried(t *testing.T) *session {
	t.Helper()
	folder, err := runfolder.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return &session{run: &record.Run{}, cfg: Config{Folder: folder}}
}

// A late start is repeated with more lead; any other failure is not, and neither is a start that stays late.
func TestPunctual(t *testing.T) {
	s := unhurried(t)
	late := &failure.Error{Code: failure.CodeLate, Text: "the start came late"}
	var leads []time.Duration
	err := s.Punctual(t.Context(), func(lead time.Duration) error {
		if leads = append(leads, lead); len(leads) == 1 {
			return late
		}
		return nil
	})
	if err != nil || len(leads) != 2 || leads[0] != 0 || leads[1] != time.Second || s.lead != time.Second ||
		len(s.run.Warnings) != 1 ||
		!strings.Contains(s.run.Warnings[0], "the start came") ||
		!strings.Contains(s.run.Warnings[0], "measured again") {
		t.Errorf("leads %v, then %v, %q: %v", leads, s.lead, s.run.Warnings, err)
	}
	for _, c := range []struct {
		fails error
		tries int
	}{{late, 3}, {&failure.Error{Code: failure.CodeTimeout}, 1}, {errors.New("other"), 1}} {
		tries := 0
		if err := s.Punctual(t.Context(), func(time.Duration) error { tries++; return c.fails }); err != c.fails ||
			tries != c.tries {
			t.Errorf("%v: %d tries, %v", c.fails, tries, err)
		}
	}
}

func TestMain(m *testing.M) { runtest.AgentMain(m) }

// Methods and transports that cannot be measured among several hosts at once are refused.
func TestNotAmongSeveral(t *testing.T) {
	for text, want := range map[string]string{
		`method: latency, from: "n[1-2]", to: n3`: "latency among several hosts at once is not part of this version",
		`method: throughput, from: "n[1-2]", to: n3, traffic: incast, transport: mptcp`: "throughput among several hosts " +
			"at once over mptcp is not part of this version",
	} {
		all, err := Combinations(runtest.StarPlan(t, text), experiment.Options{})
		if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].Record.NotRun, want) {
			t.Errorf("%v, %d combinations, %q; want %q", err, len(all), all[0].Record.NotRun, want)
		}
	}
}

// What a user should know of the duration is said before a run begins: a budget that is too short, and a rate that is
// missing.
func TestHints(t *testing.T) {
	for _, c := range []struct {
		experiment, want string
		budget           time.Duration
	}{
		{"method: throughput, from: n1, to: n2, streams: [1, 2, 4, 8], repeats: 9", "the budget of 5s is not enough: what " +
			"is asked for takes at least", 5 * time.Second},
		{"method: throughput, from: n1, to: n2", "", time.Hour},
		{"method: throughput, from: n1, to: n2", "", 0},
		{"method: acceptance, from: n1, to: n2, bit_error_rate: 1e-9", "", 0}, // its links have rates
	} {
		combinations, err := Combinations(runtest.StarPlan(t, c.experiment), experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(Hints([]Config{{Combinations: combinations, Budget: c.budget}}), "; ")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s in %v: %q, want %q", c.experiment, c.budget, got, c.want)
		}
	}
	p := runtest.Plan(t, "fabric: f\nhosts:\n  n1: {os: linux, nics: {e: {part: {kind: nic, ports: 1}}}}\n"+
		"  n2: {os: linux, nics: {e: {part: {kind: nic, ports: 1}}}}\nlinks:\n  - {ends: [n1.e, n2.e]}\n"+
		"experiments: {x: {method: acceptance, from: n1, to: n2, bit_error_rate: 1e-9}}\n")
	combinations, err := Combinations(p, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(Hints([]Config{{Combinations: combinations}}), "; ")
	if !strings.Contains(got, "loaded for 5m0s") || !strings.Contains(got, "10s at 10.0 Gb/s") {
		t.Errorf("a link without a rate: %q", got)
	}
}
