package fault

import (
	"strings"
	"testing"
)

// The lab's own token bucket comes back as the lab made it; one that somebody else made as tc prints it.
func TestRootBack(t *testing.T) {
	for name, c := range map[string]struct{ there, want string }{
		"the lab's":       {"1", "tc qdisc replace dev fast root handle 11: tbf rate 196879064bit burst 98439 limit 492197"},
		"somebody else's": {"0", "tc qdisc replace dev fast root handle 11: tbf rate 50Mbit burst 128Kb latency 50ms"},
	} {
		p := &Place{Buckets: map[string]string{"host1 fast": "tbf rate 196879064bit burst 98439 limit 492197"}, Exec: func(_, script string) (string, error) {
			if strings.Contains(script, "grep -c") {
				return c.there + "\n", nil
			}
			return "rate 50Mbit burst 128Kb latency 50ms\n", nil
		}}
		if got := p.root("host1", "fast"); got != c.want || p.Err != nil {
			t.Errorf("%s: %q (%v), want %q", name, got, p.Err, c.want)
		}
	}
}
