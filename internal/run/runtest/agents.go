package runtest

import (
	"context"
	"io"
	"os"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
	"linerate/internal/testenv"
)

// asAgent is the argument that makes a test binary an agent.
const asAgent = "-linerate-agent"

// AgentMain is the TestMain of packages whose tests start agents: each agent is the test binary itself, and several may
// run at once.
func AgentMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // agents have ended their work when they exit
	if len(os.Args) == 2 && os.Args[1] == asAgent {
		beAgent()
	}
	os.Exit(m.Run())
}

// beAgent serves until standard input ends.
func beAgent() {
	err := agent.Serve(context.Background(), os.Stdin, os.Stdout, agent.Options{Log: os.Stderr,
		Facts: func(context.Context, string) ([]byte, error) { return []byte("-- date --\n"), nil }})
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// TwoAgents starts two agents on this machine, for a live test.
func TwoAgents(t *testing.T) (from, to *agent.Client) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	here := connect.Spec{Kind: "local"}
	return AgentOf(t, here), AgentOf(t, here)
}

// AgentOf starts an agent, the test binary, on a host.
func AgentOf(t *testing.T, spec connect.Spec) *agent.Client {
	t.Helper()
	testenv.Need(t, testenv.Live)
	r, err := connect.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return AgentBehind(t, r)
}

// AgentBehind starts an agent, the test binary, over a connection to a host.
func AgentBehind(t *testing.T, r connect.Connection) *agent.Client {
	t.Helper()
	c, err := agent.Dial(t.Context(), r, []string{os.Args[0], asAgent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); r.Close() })
	return c
}

// onPipe is a connection whose only program is an agent in this process, at the other end of a pipe. Its facts precede
// an empty source.
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

// TwoOnPipes are two agents in this process.
func TwoOnPipes(t *testing.T, facts string) (from, to *agent.Client) {
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
