package agent

import (
	"context"
	"sync"
	"time"

	"linerate/internal/traffic"
)

// AppRun is a command or a watch that an agent runs.
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

// App has the agent run a command, or watch its host, and returns when that is ready: the command runs, or the server
// can be used. onLaunch gets what mpirun starts on other hosts; it must not block. Wait or Finish must follow.
func (c *Client) App(ctx context.Context, q App, onSample func([]traffic.Sample),
	onLaunch func(*AppRun, Launch)) (*AppRun, error) {
	r := &AppRun{client: c, over: make(chan struct{}), asked: "watch the host"}
	if len(q.Argv) > 0 {
		r.asked = "run " + q.Argv[0]
	}
	ready := make(chan struct{})
	isReady := sync.OnceFunc(func() { close(ready) })
	go func() {
		defer close(r.over)
		rows := sampleReader{on: onSample}
		r.err = c.ask(ctx, r.asked, kindApp, q, func(f frame) (bool, error) {
			switch f.Kind {
			case kindReady:
				var p prepared
				if err := decode(f.Body, &p); err != nil {
					return false, err
				}
				r.id = p.Experiment
				isReady()
				return false, nil
			case kindSample:
				return false, rows.read(f)
			case kindLaunch:
				var x Launch
				err := decode(f.Body, &x)
				if err == nil && onLaunch != nil {
					onLaunch(r, x)
				}
				return false, err
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

// Wait returns the outcome when the command has ended; ctx of App bounds it.
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

// stop has the agent end it. An agent that is gone has ended it.
func (r *AppRun) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), finishDeadline)
	defer cancel()
	_ = r.client.do(ctx, "end: "+r.asked, kindFinish, stopRequest{Experiment: r.id})
}

// Spawn starts what mpirun starts on this run's host, and returns when it has ended.
func (r *AppRun) Spawn(ctx context.Context, line string) (a Launched, err error) {
	err = r.client.ask(ctx, "start mpirun's daemon", kindSpawn, spawnRequest{Experiment: r.id, Line: line},
		func(f frame) (bool, error) { return true, want(f, kindResult, &a) })
	return a, err
}

// Launched reports to this run's agent how a process that its mpirun has started on another host ended.
func (r *AppRun) Launched(ctx context.Context, a Launched) error {
	return r.client.do(ctx, "answer mpirun", kindLaunched, launchedRequest{Experiment: r.id, Launched: a})
}
