package network

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/run/runtest"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// mayMakeNamespaces skips a test that is not enabled, or cannot have network namespaces with these programs in them.
func mayMakeNamespaces(t *testing.T, tools ...string) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			testenv.Missing(t, "the program "+tool)
		}
	}
}

var namespacesMade atomic.Int64

// namespaceName is a name for a network namespace that no other test has.
func namespaceName() string {
	return fmt.Sprintf("lrr%d-%d", os.Getpid(), namespacesMade.Add(1))
}

func inShell(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// agentIn starts an agent in a namespace.
func agentIn(t *testing.T, ns string) *agent.Client {
	t.Helper()
	spec, err := connect.Parse("netns " + ns)
	if err != nil {
		t.Fatal(err)
	}
	return runtest.AgentOf(t, spec)
}

// A link goes down in the interval and comes back: the measurement continues to its end, and the gap is reported.
func TestLinkGoesDownAndComesBack(t *testing.T) {
	t.Parallel()
	a, b := connecttest.Namespace(t), connecttest.Namespace(t)
	connecttest.IP(t, "-n", a, "link", "add", "e0", "type", "veth", "peer", "name", "e0", "netns", b)
	var clients []*agent.Client
	for i, ns := range []string{a, b} {
		connecttest.IP(t, "-n", ns, "addr", "add", fmt.Sprintf("10.78.0.%d/24", i+1), "dev", "e0")
		connecttest.IP(t, "-n", ns, "link", "set", "e0", "up")
		r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.Netns, Name: ns})
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, runtest.AgentBehind(t, r))
	}
	s := loopback("throughput", traffic.Out, 2)
	s.FromAddr, s.ToAddr = netip.MustParseAddr("10.78.0.1"), netip.MustParseAddr("10.78.0.2")
	s.Interval, s.Pace = 4*time.Second, 0 // with a pace a pause of the stream would not show
	var once sync.Once
	var down, up time.Time
	r, _, err := repeat(t, clients[0], clients[1], s, func() {
		once.Do(func() { // a gap that is long enough to be reported, and short enough for the connections to survive
			connecttest.IP(t, "-n", b, "link", "set", "e0", "down")
			down = time.Now()
			time.Sleep(time.Second)
			up = time.Now()
			connecttest.IP(t, "-n", b, "link", "set", "e0", "up")
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Goodput <= 0 || r.Streams[0].Received+r.Streams[1].Received == 0 {
		t.Errorf("%+v", r)
	}
	if end := r.Start.Add(s.Interval); down.IsZero() || up.After(end) {
		t.Logf("the link was not down in the interval: from %v to %v, until %v", down, up, end)
	} else if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "nothing arrived for") {
		t.Errorf("warnings %q", text)
	}
}
