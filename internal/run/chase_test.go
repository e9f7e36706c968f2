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
)

// pretended is a repeat that measures nothing and takes its time, which is synthetic in a bubble.
func pretended(_ context.Context, _, _ *agent.Client, s Spec, _ func()) (record.Repeat, []record.Sample, error) {
	time.Sleep(s.Warmup)
	start := time.Now()
	time.Sleep(s.Window)
	r := record.Repeat{Start: start, Seconds: s.Window.Seconds(), Goodput: 1e9}
	if s.Pace > 0 {
		r.Goodput = float64(s.Pace) * float64(s.Streams)
	}
	return r, nil, nil
}

// chaseOf is a run of one stream between two agents in this process, whose repeats are pretended and whose verdicts
// come from ask.
func chaseOf(t *testing.T, limit time.Duration, old *record.Run, dir string, ask func(e *record.Experiment) *record.Next) (r *record.Run) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		from, to := twoOnPipes(t, "")
		r = chaseBetween(t, from, to, pretended, limit, old, dir, ask)
	})
	return r
}

// chaseBetween is chaseOf with agents and repeats of the caller's.
func chaseBetween(t *testing.T, from, to *agent.Client, repeat func(context.Context, *agent.Client, *agent.Client, Spec, func()) (record.Repeat, []record.Sample, error),
	limit time.Duration, old *record.Run, dir string, ask func(e *record.Experiment) *record.Next) *record.Run {
	t.Helper()
	port := func(host string) *plan.Port {
		return &plan.Port{Host: host, ID: host + ".card.1", Interface: "lo", Address: netip.MustParsePrefix("127.0.0.1/8")}
	}
	e := &record.Experiment{Name: "raw", Method: "stream", From: "a", To: "b", Direction: "out", Settings: map[string]string{"streams": "2"}, InEffect: map[string]string{},
		Ends: []record.End{{Host: "a", Port: "a.card.1"}, {Host: "b", Port: "b.card.1"}}}
	e.ID = record.ExperimentID(e)
	c := &Cell{Exp: e, Path: plan.Path{From: "a", To: "b", FromPort: port("a"), ToPort: port("b")}, Window: "300ms", Repeat: 1, Samples: 0}
	var folder *runfolder.Folder
	var err error
	r := &record.Run{}
	if old == nil {
		if folder, err = runfolder.Create(dir); err == nil {
			err = folder.Started(r)
		}
	} else {
		folder, _, err = runfolder.Resume(dir, "test", nil)
		Keep([]*Cell{c}, old)
		r.Chase = old.Chase
	}
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	cfg := Config{Plan: &plan.Plan{Hosts: []*plan.Host{{Name: "a"}, {Name: "b"}}}, Cells: []*Cell{c}, Folder: folder, Clients: map[string]*agent.Client{"a": from, "b": to}, repeat: repeat,
		Reach: func(string) (connect.Spec, error) { return connect.Spec{Kind: connect.Local}, nil },
		Chase: &Chase{Limit: limit, Judge: func(r *record.Run) {
			for _, e := range r.Experiments {
				e.Verdict = &record.Verdict{Limiter: "unexplained", Next: ask(e)}
			}
		}}}
	if err := ExecuteAll(context.Background(), []Config{cfg}, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// one asks for another setting each time.
func one(changes ...map[string]string) func(e *record.Experiment) *record.Next {
	return func(e *record.Experiment) *record.Next {
		if len(e.Chase) >= len(changes) {
			return nil
		}
		return &record.Next{Change: changes[len(e.Chase)], Why: "to know"}
	}
}

// Steps are measured as the verdict asks, under their experiment, with ids and captures of their own, and no more than three; the journal has
// them; an interrupted one goes on.
func TestChase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := chaseOf(t, time.Minute, nil, dir, one(map[string]string{"streams": "1"}, map[string]string{"direction": "in"}, map[string]string{"pace": "50M"}, map[string]string{"streams": "8"}))
	if len(r.Experiments) != 1 || len(r.Experiments[0].Chase) != MostChased || r.Chase == nil || r.Chase.Steps != MostChased || len(r.Chase.LeftOut) != 0 || r.Chase.Seconds <= 0 {
		t.Fatalf("%+v of %+v", r.Chase, r.Experiments)
	}
	e := r.Experiments[0]
	for i, want := range []struct{ direction, streams, pace string }{{"out", "1", ""}, {"in", "2", ""}, {"out", "2", "50M"}} {
		x := e.Chase[i]
		if x.Direction != want.direction || x.Settings["streams"] != want.streams || x.Settings["pace"] != want.pace || x.Goodput == nil || len(x.Repeats) != 1 ||
			x.ID == e.ID || x.Chased.For != e.ID || x.Chased.Step != i+1 {
			t.Errorf("step %d: %+v", i+1, x)
		}
		for _, host := range []string{"a", "b"} {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(runfolder.CaptureName(host, record.At(record.After, x.ID))))); err != nil {
				t.Error(err)
			}
		}
	}
	if p := e.Chase[2].Goodput.Median; p != 100e6 {
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
	if err != nil || len(p.Run.Experiments) != 1 || len(p.Run.Experiments[0].Chase) != MostChased || p.Run.Experiments[0].Chase[1].Goodput == nil {
		t.Fatalf("the journal: %v, %+v", err, p)
	}
	// As if it had been killed in the third step.
	cut := p.Run.Experiments[0].Chase[2]
	cut.Repeats, cut.Goodput = nil, nil
	again := chaseOf(t, time.Minute, p.Run, dir, one())
	if got := again.Experiments[0].Chase; len(got) != MostChased || got[2].Goodput == nil || got[2].ID != cut.ID || len(got[1].Repeats) != 1 || again.Chase.Steps != 1 {
		t.Errorf("resumed: %+v, %+v", again.Chase, got)
	}
}

// Agents measure the steps as they did the experiment.
func TestChaseMeasures(t *testing.T) {
	t.Parallel()
	from, to := twoAgents(t)
	r := chaseBetween(t, from, to, nil, 10*time.Minute, nil, filepath.Join(t.TempDir(), "run"), one(map[string]string{"direction": "in"}))
	if len(r.Experiments) != 1 || len(r.Experiments[0].Chase) != 1 {
		t.Fatalf("%+v of %+v", r.Chase, r.Experiments)
	}
	x := r.Experiments[0].Chase[0]
	if x.Goodput == nil || len(x.Repeats) != 1 || x.Repeats[0].Backward <= 0 || x.Repeats[0].Forward != 0 {
		t.Errorf("%+v", x)
	}
}

// What does not fit into the time, or cannot be done, is left out with the reason, and asked no more.
func TestChaseLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		limit  time.Duration
		change map[string]string
		why    string
	}{
		"no time":             {time.Second, map[string]string{"streams": "8"}, "left for chasing"},
		"no setting":          {time.Minute, map[string]string{"colour": "red"}, "colour"},
		"changes the host":    {time.Minute, map[string]string{"mtu": "1500"}, "changes no settings"},
		"no direction":        {time.Minute, map[string]string{"direction": "up"}, "direction: up"},
		"contradicts another": {time.Minute, map[string]string{"pace_by": "kernel"}, "pace_by"},
	} {
		t.Run(name, func(t *testing.T) {
			r := chaseOf(t, c.limit, nil, filepath.Join(t.TempDir(), "run"), one(c.change))
			if len(r.Experiments[0].Chase) != 0 || r.Chase.Steps != 0 || len(r.Chase.LeftOut) != 1 {
				t.Fatalf("%+v", r.Chase)
			}
			if l := r.Chase.LeftOut[0]; !strings.Contains(l.Because, c.why) || l.Experiment != r.Experiments[0].ID || !maps.Equal(l.Change, c.change) {
				t.Errorf("%+v, want %q", l, c.why)
			}
		})
	}
	// Nothing asks: nothing is done.
	if r := chaseOf(t, time.Minute, nil, filepath.Join(t.TempDir(), "run"), one()); r.Chase.Steps != 0 || len(r.Chase.LeftOut) != 0 || len(r.Experiments[0].Chase) != 0 {
		t.Errorf("%+v", r.Chase)
	}
}
