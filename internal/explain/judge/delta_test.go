package judge

import (
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/explain/judge/judgetest"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// The growth without load is subtracted, and an unknown one has its reason.
func TestDelta(t *testing.T) {
	for _, c := range []struct {
		name, counter               string
		idle0, idle1, before, after judgetest.Counted
		net, gross                  float64
		why                         string
	}{
		{"grown", "rx_dropped", judgetest.Counted{"rx_dropped": 0}, judgetest.Counted{"rx_dropped": 0},
			judgetest.Counted{"rx_dropped": 5}, judgetest.Counted{"rx_dropped": 45}, 40, 40, ""},
		{"two a second by itself", "rx_dropped", judgetest.Counted{"rx_dropped": 0}, judgetest.Counted{"rx_dropped": 2},
			judgetest.Counted{"rx_dropped": 5}, judgetest.Counted{"rx_dropped": 45}, 20, 40, ""},
		{"less than by itself", "rx_dropped", judgetest.Counted{"rx_dropped": 0}, judgetest.Counted{"rx_dropped": 90},
			judgetest.Counted{"rx_dropped": 5}, judgetest.Counted{"rx_dropped": 45}, 0, 40, ""},
		{"reset", "rx_bytes", nil, nil, judgetest.Counted{"rx_bytes": 1000}, judgetest.Counted{"rx_bytes": 10}, 0, 0,
			"it went back from 1000 to 10"},
		{"a NIC of 32 bits wrapped", "rx_bytes", nil, nil, judgetest.Counted{"rx_bytes": 1<<32 - 10},
			judgetest.Counted{"rx_bytes": 10}, 0, 0, "wrapped"},
		{"in one snapshot alone", "rx_bytes", nil, nil, nil, judgetest.Counted{"rx_bytes": 10}, 0, 0, notThere},
		{"made again", "rx_bytes", nil, nil, judgetest.Counted{"rx_bytes": 1}, judgetest.Counted{"rx_bytes": 10, "index": 7},
			0, 0, "made again in between"},
		{"of the protocols", "Tcp.RetransSegs", judgetest.Counted{"Tcp.RetransSegs": 0},
			judgetest.Counted{"Tcp.RetransSegs": 1}, judgetest.Counted{"Tcp.RetransSegs": 1},
			judgetest.Counted{"Tcp.RetransSegs": 31}, 20, 30, ""},
		{"the protocols went back", "Tcp.RetransSegs", nil, nil, judgetest.Counted{"Tcp.RetransSegs": 9},
			judgetest.Counted{"Tcp.RetransSegs": 3}, 0, 0, "it went back from 9 to 3"},
		{"32 bits wrapped", "softnet.dropped", nil, nil, judgetest.Counted{"softnet": 1<<32 - 6},
			judgetest.Counted{"softnet": 4}, 10, 10, ""},
		{"32 bits reset", "softnet.dropped", nil, nil, judgetest.Counted{"softnet": 600}, judgetest.Counted{"softnet": 4}, 0,
			0, "it went back from 600 to 4"},
		{"a queue", "qdisc.drops", nil, nil, judgetest.Counted{"qdisc": 1, "qdisc bytes": 1},
			judgetest.Counted{"qdisc": 8, "qdisc bytes": 9}, 7, 7, ""},
		{"a queue that was replaced", "qdisc.drops", nil, nil, judgetest.Counted{"qdisc": 1, "qdisc bytes": 9},
			judgetest.Counted{"qdisc": 8, "qdisc bytes": 1}, 0, 0, "replaced in between"},
		{"a queue that came", "qdisc.drops", nil, nil, nil, judgetest.Counted{"qdisc": 8}, 0, 0, "in one snapshot alone"},
		{"by its meaning", "receive-drops", nil, nil, judgetest.Counted{"rx_dropped": 5}, judgetest.Counted{"rx_dropped": 45},
			40, 40, ""},
		{"nothing like it", "no-buffer", nil, nil, judgetest.Counted{"rx_dropped": 5}, judgetest.Counted{"rx_dropped": 45}, 0,
			0, notThere},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, why := (&Case{}).Delta(sideOf(t, "a", c.idle0, c.idle1, c.before, c.after), c.counter)
			if g.Net != c.net || g.Gross != c.gross || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("%+v %q, want net %v, gross %v, %q", g, why, c.net, c.gross, c.why)
			}
			if why != "" && !strings.HasPrefix(why, "a: ") {
				t.Errorf("%q does not name the host", why)
			}
		})
	}
}

// Snapshots that cannot be compared give the reason.
func TestElapsed(t *testing.T) {
	at := func(second, wall int, boot string) *facts.Facts {
		f := &facts.Facts{Boot: boot, Uptime: unit.Known(time.Duration(second) * time.Second)}
		if wall >= 0 {
			f.When = time.Unix(1e9+int64(wall), 0)
		}
		return f
	}
	for _, c := range []struct {
		name string
		a, b *facts.Facts
		want float64
		why  string
	}{
		{"ten seconds", at(10, 10, "x"), at(20, 20, "x"), 10, ""},
		{"no wall clock", at(10, -1, "x"), at(20, -1, "x"), 10, ""},
		{"one is missing", nil, at(20, 20, "x"), 0, "a snapshot is missing"},
		{"started again", at(10, 10, "x"), at(20, 20, "y"), 0, "started again"},
		{"life goes back", at(20, 20, ""), at(10, 30, ""), 0, "its clock since boot goes back"},
		{"the wall clock was set on", at(10, 10, "x"), at(20, 3620, "x"), 0, "its clock jumped"},
		{"the wall clock was set back", at(10, 10, "x"), at(20, 5, "x"), 0, "its clock jumped"},
		{"only a wall clock", &facts.Facts{When: time.Unix(5, 0)}, &facts.Facts{When: time.Unix(8, 0)}, 3, ""},
		{"only a wall clock, set back", &facts.Facts{When: time.Unix(8, 0)}, &facts.Facts{When: time.Unix(5, 0)}, 0,
			"goes back by 3s"},
		{"no clock", &facts.Facts{}, &facts.Facts{}, 0, "do not say when"},
	} {
		if s, why := ElapsedSeconds(c.a, c.b); s != c.want || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %v %q, want %v %q", c.name, s, why, c.want, c.why)
		}
	}
}

// Retransmits are compared with the drops of all counters, each packet once.
func TestRetransmitsAgainstDrops(t *testing.T) {
	quiet := judgetest.Counted{"Tcp.RetransSegs": 0, "Tcp.OutSegs": 0, "tx_dropped": 0, "rx_dropped": 0, "tx_packets": 0,
		"softnet": 0, "qdisc": 0}
	with := func(change judgetest.Counted) judgetest.Counted {
		m := maps.Clone(quiet)
		maps.Copy(m, change)
		return m
	}
	yes, no, mss := true, false, int64(1448)
	for _, c := range []struct {
		name       string
		sent, got  judgetest.Counted
		closes     *bool
		left       float64
		right      float64
		sentence   string
		withoutTwo bool // the receiver has no snapshots
	}{
		{"nothing", nil, nil, &yes, 0, 0, "Nothing was retransmitted, and no counter of drops moved.", false},
		{"as many", judgetest.Counted{"Tcp.RetransSegs": 1559}, judgetest.Counted{"rx_dropped": 1559, "softnet": 1559}, &yes,
			1559, 1559, "1559 segments were lost and retransmitted, and as many were dropped: 1559 by receive-drops of " +
				"eth0 on b.",
			false},
		{"another number", judgetest.Counted{"Tcp.RetransSegs": 1000}, judgetest.Counted{"rx_dropped": 300}, &no, 1000, 300,
			"they are not the same", false},
		{"nobody counts", judgetest.Counted{"Tcp.RetransSegs": 1000}, nil, &no, 1000, 0,
			"in between, or by something that does not count", false},
		{"one without a counter", judgetest.Counted{"Tcp.RetransSegs": 1}, nil, &no, 1, 0, "1 segment was lost", false},
		{"the sender's own queue", judgetest.Counted{"qdisc": 50}, nil, &yes, 0, 0, "had no room for 50 packets", false},
		{"the sender's own queue loses", judgetest.Counted{"Tcp.RetransSegs": 51, "qdisc": 50}, nil, &yes, 51, 50,
			"those of its own queue with them", false},
		{"packets of several segments", judgetest.Counted{"Tcp.RetransSegs": 98, "Tcp.OutSegs": 10000, "tx_packets": 1000},
			judgetest.Counted{"rx_dropped": 10}, nil, 98, 10, "had up to 46 segments each", false},
		{"the other end is missing", judgetest.Counted{"Tcp.RetransSegs": 98}, nil, nil, 98, 0,
			"not known, because b: its counters around", true},
		{"a counter went back", judgetest.Counted{"Tcp.RetransSegs": 98}, judgetest.Counted{"index": 9}, nil, 98, 0,
			"receive-drops of eth0, qdisc.ingress of eth0: the interface was made again", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &Case{Exp: &record.Experiment{Settings: map[string]string{}, Method: "throughput"},
				Sender:   sideOf(t, "a", quiet, quiet, quiet, with(c.sent)),
				Receiver: sideOf(t, "b", quiet, quiet, quiet, with(c.got)), Direction: "out",
				Streams: []record.Stream{{Socket: &record.Socket{MSS: &mss}}}}
			if c.withoutTwo {
				x.Receiver.Shots = Shots{}
			}
			x.Accounts = accountRetransmits(x)
			a := x.Account("resent", "a")
			if a == nil || x.Account("sent", "") != nil || x.Account("resent", "b") != nil {
				t.Fatalf("the case does not find its account: %+v", x.Accounts)
			}
			if (a.Closes == nil) != (c.closes == nil) || a.Closes != nil && *a.Closes != *c.closes {
				t.Errorf("closes %v, want %v: %s", a.Closes, c.closes, a.Sentence)
			}
			if a.Left.Value == nil || *a.Left.Value != c.left || a.Right.Value == nil || *a.Right.Value != c.right ||
				!strings.Contains(a.Sentence, c.sentence) || (a.Closes == nil) != (a.Why != "") {
				t.Errorf("%s\n%+v", a.Sentence, a)
			}
		})
	}
}

// sideOf returns a host with an idle second (0 to 1), and an experiment of ten seconds (10 to 20).
func sideOf(t *testing.T, name string, idle0, idle1, before, after judgetest.Counted) Side {
	t.Helper()
	return Side{Host: name, Port: &plan.Port{Host: name, Interface: "eth0", Address: netip.MustParsePrefix("10.0.0.1/24")},
		Shots: Shots{Idle0: judgetest.Snapshot(t, 1, idle0), Idle1: judgetest.Snapshot(t, 2, idle1),
			Before: judgetest.Snapshot(t, 10, before), After: judgetest.Snapshot(t, 20, after)}}
}
