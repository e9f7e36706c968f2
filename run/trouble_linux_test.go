package run

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/agent"
	"linerate/measure"
	"linerate/reach"
	"linerate/reach/reachtest"
)

// A link that goes down in the window and comes back: the figure is that of the whole window, and the gap is said.
func TestLinkGoesDownAndComesBack(t *testing.T) {
	a, b := reachtest.Namespace(t), reachtest.Namespace(t)
	reachtest.IP(t, "-n", a, "link", "add", "e0", "type", "veth", "peer", "name", "e0", "netns", b)
	var clients []*agent.Client
	for i, ns := range []string{a, b} {
		reachtest.IP(t, "-n", ns, "addr", "add", fmt.Sprintf("10.78.0.%d/24", i+1), "dev", "e0")
		reachtest.IP(t, "-n", ns, "link", "set", "e0", "up")
		r, err := reach.Open(t.Context(), reach.Spec{Kind: reach.Netns, Name: ns})
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, agentOn(t, r))
	}
	s := loopback("stream", measure.Out, 2)
	s.FromAddr, s.ToAddr = netip.MustParseAddr("10.78.0.1"), netip.MustParseAddr("10.78.0.2")
	s.Window = 6 * time.Second
	r, _, err := repeat(t, clients[0], clients[1], s, func() {
		reachtest.IP(t, "-n", b, "link", "set", "e0", "down")
		time.Sleep(700 * time.Millisecond)
		reachtest.IP(t, "-n", b, "link", "set", "e0", "up")
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "nothing arrived for") {
		t.Errorf("warnings %q", text)
	}
	series := r.SeriesOut
	first := max(0, slices.IndexFunc(series, func(v float64) bool { return v > 0 })) // on a busy machine the first data may come late
	gap := slices.Index(series[first:], 0)
	if gap <= 0 || !slices.ContainsFunc(series[first+gap:], func(v float64) bool { return v > 0 }) {
		t.Errorf("the series does not show the gap and what came after it: %v", series)
	}
}

func agentOn(t *testing.T, r reach.Reach) *agent.Client {
	t.Helper()
	t.Setenv(agentVariable, "1")
	c, err := agent.Dial(t.Context(), r, []string{os.Args[0], "-test.run=^TestPairAgent$"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); r.Close() })
	return c
}
