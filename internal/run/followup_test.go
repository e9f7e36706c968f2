package run

import (
	"context"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/run/experiment"
	"linerate/internal/run/network"
	"linerate/internal/run/runtest"
)

// followUpsOf is a run of one stream between two agents in this process, with simulated repeats and verdicts from ask.
func followUpsOf(t *testing.T, limit time.Duration, old *record.Run, dir string,
	ask func(e *record.Experiment) *record.Next) (r *record.Run) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		from, to := runtest.TwoOnPipes(t, "")
		r = followUpsBetween(t, from, to,
			func(c *experiment.Combination) { c.Measurement = &runtest.Fake{Of: c, Path: c.Path} }, limit, old, dir, ask)
	})
	return r
}

// followUpsBetween is followUpsOf with the caller's agents and measurement.
func followUpsBetween(t *testing.T, from, to *agent.Client, measure func(*experiment.Combination),
	limit time.Duration, old *record.Run, dir string, ask func(e *record.Experiment) *record.Next) *record.Run {
	t.Helper()
	port := func(host string) *plan.Port {
		return &plan.Port{Host: host, ID: host + ".card.1", Interface: "lo", Address: netip.MustParsePrefix("127.0.0.1/8")}
	}
	e := &record.Experiment{Name: "raw", Method: "throughput", From: "a", To: "b", Direction: "out",
		Settings: map[string]string{"streams": "2"}, InEffect: map[string]string{},
		Ends: []record.End{{Host: "a", Port: "a.card.1"}, {Host: "b", Port: "b.card.1"}}}
	e.ID = record.ExperimentID(e)
	c := &experiment.Combination{Record: e, Path: plan.Path{From: "a", To: "b", FromPort: port("a"), ToPort: port("b")},
		Interval: "300ms", Repeats: 1, Samples: 0}
	measure(c)
	var folder *runfolder.Folder
	var err error
	r := &record.Run{}
	if old == nil {
		if folder, err = runfolder.Create(dir); err == nil {
			err = folder.Started(r)
		}
	} else {
		folder, _, err = runfolder.Resume(dir, "test", nil)
		Keep([]*experiment.Combination{c}, old)
		r.FollowUp = old.FollowUp
	}
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	cfg := Config{
		Plan:         &plan.Plan{Hosts: []*plan.Host{{Name: "a"}, {Name: "b"}}},
		Combinations: []*experiment.Combination{c},
		Folder:       folder,
		Clients:      map[string]*agent.Client{"a": from, "b": to},
		Connection:   func(string) (connect.Spec, error) { return connect.Spec{Kind: connect.Local}, nil },
		FollowUp: &FollowUps{Limit: limit, Judge: func(r *record.Run) {
			for _, e := range r.Experiments {
				e.Verdict = &record.Verdict{Limiter: "unexplained", Next: ask(e)}
			}
		}},
	}
	if err := ExecuteAll(context.Background(), []Config{cfg}, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// one requests a different setting each time.
func one(changes ...map[string]string) func(e *record.Experiment) *record.Next {
	return func(e *record.Experiment) *record.Next {
		if len(e.FollowUp) >= len(changes) {
			return nil
		}
		return &record.Next{Change: changes[len(e.FollowUp)], Why: "to know"}
	}
}

// Steps are measured as the verdict requests, within their experiment, with ids and snapshots of their own, and at most
// three. The journal has them; an interrupted one is resumed.
func TestFollowUps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := followUpsOf(
		t,
		time.Minute,
		nil,
		dir,
		one(map[string]string{"streams": "1"}, map[string]string{"direction": "in"}, map[string]string{"pace": "50M"},
			map[string]string{"streams": "8"}),
	)
	if len(r.Experiments) != 1 || len(r.Experiments[0].FollowUp) != MaxFollowUps || r.FollowUp == nil ||
		r.FollowUp.Steps != MaxFollowUps ||
		len(r.FollowUp.LeftOut) != 0 ||
		r.FollowUp.Seconds <= 0 {
		t.Fatalf("%+v of %+v", r.FollowUp, r.Experiments)
	}
	e := r.Experiments[0]
	for i, want := range []struct{ direction, streams, pace string }{{"out", "1", ""}, {"in", "2", ""},
		{"out", "2", "50M"}} {
		x := e.FollowUp[i]
		if x.Direction != want.direction || x.Settings["streams"] != want.streams || x.Settings["pace"] != want.pace ||
			x.Goodput == nil ||
			len(x.Repeats) != 1 ||
			x.ID == e.ID ||
			x.FollowedUp.For != e.ID ||
			x.FollowedUp.Step != i+1 {
			t.Errorf("step %d: %+v", i+1, x)
		}
		for _, host := range []string{"a", "b"} {
			if _, err := os.Stat(
				filepath.Join(dir, filepath.FromSlash(runfolder.SnapshotName(host, record.At(record.After, x.ID)))),
			); err != nil {
				t.Error(err)
			}
		}
	}
	if p := e.FollowUp[2].Goodput.Median; p != 100e6 {
		t.Errorf("a step of 2 streams of 50M carried %.0f", p)
	}
	if e.Settings["pace"] != "" || !maps.Equal(e.Settings, map[string]string{"streams": "2"}) {
		t.Errorf("the steps changed their experiment: %v", e.Settings)
	}

	f, err := os.Open(filepath.Join(dir, runfolder.JournalName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := runfolder.Replay(f)
	if err != nil || len(p.Run.Experiments) != 1 || len(p.Run.Experiments[0].FollowUp) != MaxFollowUps ||
		p.Run.Experiments[0].FollowUp[1].Goodput == nil {
		t.Fatalf("the journal: %v, %+v", err, p)
	}
	// As if it had been killed in the third step.
	cut := p.Run.Experiments[0].FollowUp[2]
	cut.Repeats, cut.Goodput = nil, nil
	again := followUpsOf(t, time.Minute, p.Run, dir, one())
	if got := again.Experiments[0].FollowUp; len(got) != MaxFollowUps || got[2].Goodput == nil || got[2].ID != cut.ID ||
		len(got[1].Repeats) != 1 ||
		again.FollowUp.Steps != 1 {
		t.Errorf("resumed: %+v, %+v", again.FollowUp, got)
	}
}

// Agents measure the steps as they measured the experiment.
func TestFollowUpsMeasure(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	r := followUpsBetween(t, from, to, func(c *experiment.Combination) { c.Measurement = network.ThroughputOf(c) },
		10*time.Minute, nil, filepath.Join(t.TempDir(), "run"), one(map[string]string{"direction": "in"}))
	if len(r.Experiments) != 1 || len(r.Experiments[0].FollowUp) != 1 {
		t.Fatalf("%+v of %+v", r.FollowUp, r.Experiments)
	}
	x := r.Experiments[0].FollowUp[0]
	if x.Goodput == nil || len(x.Repeats) != 1 || x.Repeats[0].Backward <= 0 || x.Repeats[0].Forward != 0 {
		t.Errorf("%+v", x)
	}
}

// A step that does not fit into the time, or fails, is omitted with the reason, and not tried again.
func TestFollowUpsLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		limit  time.Duration
		change map[string]string
		why    string
	}{
		"no time":             {time.Second, map[string]string{"streams": "8"}, "left for follow-ups"},
		"no setting":          {time.Minute, map[string]string{"colour": "red"}, "colour"},
		"changes the host":    {time.Minute, map[string]string{"mtu": "1500"}, "changes no settings"},
		"no direction":        {time.Minute, map[string]string{"direction": "up"}, "direction: up"},
		"contradicts another": {time.Minute, map[string]string{"pace_by": "kernel"}, "pace_by"},
	} {
		t.Run(name, func(t *testing.T) {
			r := followUpsOf(t, c.limit, nil, filepath.Join(t.TempDir(), "run"), one(c.change))
			if len(r.Experiments[0].FollowUp) != 0 || r.FollowUp.Steps != 0 || len(r.FollowUp.LeftOut) != 1 {
				t.Fatalf("%+v", r.FollowUp)
			}
			if l := r.FollowUp.LeftOut[0]; !strings.Contains(l.Because, c.why) || l.Experiment != r.Experiments[0].ID ||
				!maps.Equal(l.Change, c.change) {
				t.Errorf("%+v, want %q", l, c.why)
			}
		})
	}
	// No verdict requests a step: nothing is done.
	if r := followUpsOf(t, time.Minute, nil, filepath.Join(t.TempDir(), "run"),
		one()); r.FollowUp.Steps != 0 || len(r.FollowUp.LeftOut) != 0 ||
		len(r.Experiments[0].FollowUp) != 0 {
		t.Errorf("%+v", r.FollowUp)
	}
}
