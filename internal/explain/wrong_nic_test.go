package explain

import (
	"linerate/internal/explain/cause/address"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Between two addresses of one host nothing leaves it, and the verdict says so.
func TestLoopbackIsNoLink(t *testing.T) {
	at := func(nic, loop uint64) *facts.Facts {
		f := &facts.Facts{Boot: "b"}
		for i, n := range []uint64{nic, loop} {
			f.NICs = append(f.NICs, facts.Interface{Name: []string{"eth0", "lo"}[i], Index: i + 1,
				Counters: map[string]uint64{"tx_bytes": n, "rx_bytes": n}})
		}
		return f
	}
	for _, c := range []struct {
		nic, loop uint64
		says      string
		strength  judge.Strength
	}{
		{0, 2e9, "did not leave the machine", judge.Likely},
		{2e9, 2e9, "", 0},
		{0, 1e6, "did not use the planned link", judge.Candidate},
	} {
		side := judge.Side{Host: "a", Port: &plan.Port{Interface: "eth0"},
			Shots: judge.Shots{Before: at(0, 0), After: at(c.nic, c.loop)}}
		rep := record.Repeat{Seconds: 1, Streams: []record.Stream{{Goodput: 16e9, Direction: "out"}}}
		m := address.WrongNIC.Test(&judge.Case{Exp: &record.Experiment{From: "a", To: "b", Repeats: []record.Repeat{rep}},
			Repeat: &rep, Streams: rep.Streams, Sender: side, Receiver: side})
		switch {
		case m == nil && c.says == "":
		case m == nil || c.says == "":
			t.Errorf("%d bytes on the NIC, %d on the loopback: %+v", c.nic, c.loop, m)
		case !strings.Contains(m.Sentence, c.says) || m.Strength != c.strength:
			t.Errorf("%d bytes on the NIC, %d on the loopback: strength %d: %s", c.nic, c.loop, m.Strength, m.Sentence)
		}
	}
}
