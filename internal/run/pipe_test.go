package run

import (
	"context"
	"io"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
)

// onPipe is a reach whose only program is an agent in this process, at the other end of a pipe. What it says of its
// host comes before an empty source.
type onPipe struct{ facts string }

func (onPipe) String() string    { return "local" }
func (onPipe) Close() error      { return nil }
func (onPipe) SameMachine() bool { return true }

func (r onPipe) Start(ctx context.Context, c connect.Command) (connect.Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &piped{kill: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = agent.Serve(ctx, c.Stdin, c.Stdout, agent.Options{Log: io.Discard, Unguarded: true,
			Facts: func(context.Context, string) ([]byte, error) { return []byte(r.facts + "-- date --\n"), nil }})
	}()
	return p, nil
}

type piped struct {
	kill context.CancelFunc
	done chan struct{}
	err  error
}

func (p *piped) Kill() error { p.kill(); return nil }

func (p *piped) Wait() (int, error) {
	if <-p.done; p.err != nil {
		return 1, nil
	}
	return 0, nil
}

// twoOnPipes are two agents in this process.
func twoOnPipes(t *testing.T, facts string) (from, to *agent.Client) {
	t.Helper()
	var both [2]*agent.Client
	for i := range both {
		c, err := agent.Dial(t.Context(), onPipe{facts}, []string{"agent"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		both[i] = c
	}
	return both[0], both[1]
}
