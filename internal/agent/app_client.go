package agent

import (
	"context"
	"sync"
	"time"

	"linerate/internal/traffic"
)

// AppRun is a command, or a watch, that an agent has under way.
type AppRun struct {
	client *Client
	id     uint64
	over   chan struct{}
	out    AppOutcome
	err    error
	asked  string
}

// finishDeadline is how long the answer to a finish may take.
const finishDeadline = 5 * time.Second

// App has the agent run a command, or watch its host, and returns when that is ready: the command runs, or the server can be used. onLaunch gets
// what mpirun wants on other hosts; it must not block. Wait or Finish must follow.
func (c *Client) App(ctx context.Context, q App, onSample func([]traffic.Sample), onLaunch func(*AppRun, Launch)) (*AppRun, error) {
	r := &AppRun{client: c, over: make(chan struct{}), asked: "watch the host"}
	if len(q.Argv) > 0 {
		r.asked = "run " + q.Argv[0]
	}
	ready := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(r.over)
		rows := int64(0)
		l := limits()
		r.err = c.ask(ctx, r.asked, kindApp, q, func(f frame) (bool, error) {
			switch f.Kind {
			case kindReady:
				var p prepared
				if err := decode(f.Body, &p); err != nil {
					return false, err
				}
				r.id = p.Experiment
				once.Do(func() { close(ready) })
				return false, nil
			case kindSample:
				var s samples
				if err := decode(f.Body, &s); err != nil {
					return false, err
				}
				if rows += int64(len(s.Samples)); onSample != nil && rows <= l.samples.max {
					onSample(s.Samples)
				}
				return false, l.samples.check(rows)
			case kindLaunch:
				var x Launch
				if err := decode(f.Body, &x); err != nil {
					return false, err
				}
				if onLaunch != nil {
					onLaunch(r, x)
				}
				return false, nil
			}
			return true, want(f, kindResult, &r.out)
		})
	}()
	select {
	case <-ready:
		return r, nil
	case <-r.over:
		if r.err != nil && r.id != 0 {
			r.stop()
		}
		return nil, r.err
	}
}

// Wait returns the outcome once the command has ended; ctx of App bounds it.
func (r *AppRun) Wait() (*AppOutcome, error) {
	<-r.over
	if r.err != nil {
		r.stop()
		return nil, r.err
	}
	return &r.out, nil
}

// Over is closed when there is an outcome.
func (r *AppRun) Over() <-chan struct{} { return r.over }

// Finish ends a command or a watch, and returns its outcome.
func (r *AppRun) Finish() (*AppOutcome, error) {
	r.stop()
	return r.Wait()
}

// stop asks the agent to end it; one that is gone has ended it.
func (r *AppRun) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), finishDeadline)
	defer cancel()
	_ = r.client.ask(ctx, "end: "+r.asked, kindFinish, stopRequest{Experiment: r.id}, func(frame) (bool, error) { return true, nil })
}

// Spawn starts what mpirun wants on this run's host, and returns when it has ended.
func (r *AppRun) Spawn(ctx context.Context, line string) (Launched, error) {
	var a Launched
	err := r.client.ask(ctx, "start mpirun's daemon", kindSpawn, spawnRequest{Experiment: r.id, Line: line}, func(f frame) (bool, error) {
		return true, want(f, kindResult, &a)
	})
	return a, err
}

// Launched tells this run's agent how what its mpirun wanted has ended.
func (r *AppRun) Launched(ctx context.Context, a Launched) error {
	return r.client.ask(ctx, "answer mpirun", kindLaunched, launchedRequest{Experiment: r.id, Launched: a}, func(frame) (bool, error) { return true, nil })
}
