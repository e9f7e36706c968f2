package run

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/traffic"
)

// A link that goes down in the window and comes back: the measurement goes on to its end, and the gap is said.
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
		clients = append(clients, agentOn(t, r))
	}
	s := loopback("stream", traffic.Out, 2)
	s.FromAddr, s.ToAddr = netip.MustParseAddr("10.78.0.1"), netip.MustParseAddr("10.78.0.2")
	s.Window, s.Pace = 4*time.Second, 0 // with a pace nothing says that a stream paused
	var once sync.Once
	var down, up time.Time
	r, _, err := repeat(t, clients[0], clients[1], s, func() {
		once.Do(func() { // what cannot be sent for longer than the gap needs to be said; the connections last
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
	if end := r.Start.Add(s.Window); down.IsZero() || up.After(end) {
		t.Logf("the link was not down in the window: from %v to %v, until %v", down, up, end)
	} else if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "nothing arrived for") {
		t.Errorf("warnings %q", text)
	}
}

func agentOn(t *testing.T, r connect.Reach) *agent.Client {
	t.Helper()
	c, err := agent.Dial(t.Context(), r, agentArgv())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); r.Close() })
	return c
}
