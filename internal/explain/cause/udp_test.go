package cause

import (
	"maps"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/explain/judge"
	"linerate/internal/explain/judge/judgetest"
	"linerate/internal/record"
)

// udpCase returns one stream of datagrams over a link that allows 9.57 Gb/s.
func udpCase(goodput float64, datagrams, lost, missing, drops int64, merged float64) *judge.Case {
	const limit = 9.57e9
	chain := &record.Chain{Transport: "udp", Limit: limit, Component: "link a--b",
		Hops: []record.Hop{{Component: "link a--b", Kind: "cable", Rate: unit.Known[unit.BitRate](limit)}}}
	s := record.Stream{Goodput: goodput, UDP: record.UDP{Datagrams: &datagrams, Lost: &lost, Missing: &missing,
		Merged: &merged}}
	if drops >= 0 {
		s.Drops = &drops
	}
	return &judge.Case{Exp: &record.Experiment{From: "a", To: "b", Goodput: &record.Estimate{Median: goodput},
		Settings: map[string]string{"transport": "udp"}}, Chain: chain,
		Sender: judge.Side{Host: "a"}, Receiver: judge.Side{Host: "b"}, Goodput: goodput, Ceiling: limit,
		Streams: []record.Stream{s}, Interval: 1}
}

func TestUDPVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		of                  *judge.Case
		change              func(*judge.Case)
		limiter, confidence string
	}{
		"full": {of: udpCase(9.56e9, 811_000, 0, 0, 0, 1), limiter: "link", confidence: "proved"},
		"full with loss": {of: udpCase(9.56e9, 900_000, 89_000, 95_000, 95_000, 1), limiter: "link",
			confidence: "proved"},
		"overflow": {of: udpCase(6e9, 812_000, 300_000, 340_000, 340_000, 1), limiter: "udp-socket-overflow",
			confidence: "proved"},
		"overflow, merged": {of: udpCase(6e9, 812_000, 300_000, 340_032, 7728, 44), limiter: "udp-socket-overflow",
			confidence: "proved"},
		"merged, taken for single": {of: udpCase(6e9, 812_000, 300_000, 340_032, 7728, 1),
			limiter: record.LimiterUnexplained},
		"lost on the way": {of: udpCase(6e9, 812_000, 300_000, 340_000, 0, 1), limiter: record.LimiterUnexplained},
		"half lost on the way": {of: udpCase(6e9, 812_000, 300_000, 340_000, 170_000, 1),
			limiter: record.LimiterUnexplained},
		"drops not known":         {of: udpCase(6e9, 812_000, 300_000, 340_000, -1, 1), limiter: record.LimiterUnexplained},
		"too little loss":         {of: udpCase(6e9, 512_000, 3_000, 3_100, 3_100, 1), limiter: record.LimiterUnexplained},
		"some loss, much missing": {of: udpCase(2e9, 180_000, 9_000, 9_900, 9_900, 1), limiter: record.LimiterUnexplained},
		"no loss":                 {of: udpCase(6e9, 509_000, 0, 0, 0, 1), limiter: record.LimiterUnexplained},
		"paced": {of: udpCase(2e9, 170_000, 0, 0, 0, 1),
			change: func(c *judge.Case) { c.Exp.Settings["pace"] = "2G" }, limiter: "app-limited", confidence: "proved"},
		"paced, not reached": {of: udpCase(2e9, 170_000, 0, 0, 0, 1),
			change: func(c *judge.Case) { c.Exp.Settings["pace"] = "3G" }, limiter: record.LimiterUnexplained},
		"no ceiling, overflow": {of: udpCase(6e9, 812_000, 300_000, 340_000, 340_000, 1),
			change: func(c *judge.Case) { c.Ceiling = 0 }, limiter: "udp-socket-overflow", confidence: "proved"},
		"above": {of: udpCase(9.9e9, 840_000, 0, 0, 0, 1), limiter: "above-ceiling", confidence: "proved"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.change != nil {
				c.change(c.of)
			}
			v := Verdict(c.of, All())
			if v.Limiter != c.limiter || v.Confidence != c.confidence {
				t.Errorf("%s (%s), want %s (%s): %s", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence)
			}
			if strings.Contains(v.Sentence, "TCP") {
				t.Errorf("TCP in the verdict: %s", v.Sentence)
			}
		})
	}
}

// A cause of TCP is never tried for datagrams, whatever their sockets report, and vice versa. A cause for any transport
// is also tried for concurrent flows.
func TestCausesOfATransport(t *testing.T) {
	flow := func(method, transport, pattern string) *judge.Case {
		return &judge.Case{Exp: &record.Experiment{Method: method, Pattern: pattern,
			Settings: map[string]string{"transport": transport}}}
	}
	tcp, udp, rdma := flow("throughput", "", ""), flow("throughput", "udp", ""), flow("rdma", "", "")
	for _, c := range []struct {
		name    string
		applies func(*judge.Case) bool
		want    []bool // tcp, udp, rdma, concurrent flows
	}{
		{"TCP", judge.TCP, []bool{true, false, false, false}},
		{"UDP", judge.UDP, []bool{false, true, false, false}},
		{"IP", judge.IP, []bool{true, true, false, false}},
		{"RDMA", judge.RDMA, []bool{false, false, true, false}},
		{"any", judge.AnyTransport, []bool{true, true, true, false}},
	} {
		var got []bool
		for _, x := range []*judge.Case{tcp, udp, rdma, flow("throughput", "", "pairs")} {
			got = append(got, c.applies(x))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	for _, c := range network() {
		if c.Applies != nil && !c.Applies(tcp) && !c.Applies(udp) && !c.Applies(rdma) {
			t.Errorf("%s applies to no flow", c.ID)
		}
	}
}

// lostCase returns a paced stream with random losses of a tenth: 1,000 of 10,000 datagrams. Both interfaces were read.
func lostCase(t *testing.T, came float64) *judge.Case {
	c := udpCase(9e9*0.9, 9000, 900, 1000, 0, 1)
	c.Direction = "out"
	c.Exp.Settings["pace"], c.Exp.InEffect = "9G", map[string]string{"size": "1472 B"}
	s := &c.Streams[0]
	total, gaps, scatter := int64(10_000), int64(900), 0.73
	s.Direction, s.Total, s.Gaps, s.Scatter = "out", &total, &gaps, &scatter
	c.Exp.UDP = &s.UDP
	c.Exp.Repeats = []record.Repeat{{Seconds: 1, Streams: c.Streams}}
	c.Repeat = &c.Exp.Repeats[0]
	none := func(more judgetest.Counted) judgetest.Counted {
		all := judgetest.Counted{"rx_dropped": 0, "tx_dropped": 0, "rx_bytes": 0, "tx_bytes": 0, "rx_packets": 0,
			"tx_packets": 0}
		maps.Copy(all, more)
		return all
	}
	side := func(host string, after judgetest.Counted) judge.Side {
		return sideOf(t, host, nil, nil, none(nil), none(after))
	}
	c.Sender = side("a", judgetest.Counted{"tx_bytes": 10_000 * 1514, "tx_packets": 10_000})
	c.Receiver = side("b", judgetest.Counted{"rx_bytes": uint64(came * 1514), "rx_packets": uint64(came)})
	c.Accounts = judge.Accounts(c)
	return c
}

// The missing datagrams are compared with the counters of both interfaces and of the sockets, over the whole time. The
// place of the losses is the verdict. Their pattern separates random losses from those of a policer or queue.
func TestUDPLostWhere(t *testing.T) {
	for name, c := range map[string]struct {
		came                float64
		change              func(*judge.Case)
		limiter, confidence string
		crossed             string // expected in the cross-check
	}{
		"on the way, by chance": {came: 9000, limiter: "random-loss", confidence: "likely", crossed: "lost in between"},
		"on the way, in rows": {came: 9000, change: func(c *judge.Case) { *c.Streams[0].Gaps = 100 },
			limiter: record.LimiterUnexplained, crossed: "lost in between"},
		"on the way, evenly": {came: 9000, change: func(c *judge.Case) { *c.Streams[0].Scatter = 0.05 },
			limiter: record.LimiterUnexplained, crossed: "lost in between"},
		"too few places": {came: 9000, change: func(c *judge.Case) {
			*c.Streams[0].Missing,
				*c.Streams[0].Gaps = 33, 30
		}, limiter: record.LimiterUnexplained, crossed: "too few"},
		"late ones": {came: 9000, change: func(c *judge.Case) { n := int64(50); c.Exp.UDP.Reordered = &n },
			limiter: record.LimiterUnexplained, crossed: "lost in between"},
		"behind the interface": {came: 10_000, limiter: record.LimiterUnexplained, crossed: "they were lost on b"},
		"in the sockets, merged": {came: 10_000, change: func(c *judge.Case) {
			*c.Streams[0].Drops,
				*c.Streams[0].Merged = 30, 20
		}, limiter: "udp-socket-overflow", confidence: "likely", crossed: "they were lost on b"},
		"in the sockets, too few": {came: 10_000, change: func(c *judge.Case) {
			*c.Streams[0].Drops,
				*c.Streams[0].Merged = 3, 20
		}, limiter: record.LimiterUnexplained, crossed: "they were lost on b"},
		"half in the sockets": {came: 9500, change: func(c *judge.Case) {
			*c.Streams[0].Drops,
				*c.Streams[0].Merged = 300, 1.2
		}, limiter: record.LimiterUnexplained, crossed: "500 of them were lost between"},
		"all in the sockets": {came: 10_000, change: func(c *judge.Case) { *c.Streams[0].Drops = 1000 },
			limiter: "udp-socket-overflow", confidence: "proved", crossed: "they were lost on b"},
		"broken ones": {came: 10_000, change: func(c *judge.Case) { *c.Streams[0].Drops = 1000; broken(c) },
			limiter: record.LimiterUnexplained, crossed: "they were lost on b"},
		"an old record": {came: 9000, change: func(c *judge.Case) { c.Exp.Repeats[0].Streams[0].Total = nil },
			limiter: record.LimiterUnexplained, crossed: "not in the record"},
		"other traffic": {came: 9000, change: func(c *judge.Case) {
			total := int64(9800)
			c.Exp.Repeats[0].Streams[0].Total = &total
		}, limiter: record.LimiterUnexplained, crossed: "9800 datagrams were handed over"},
		"the receiver was not read": {came: 9000, change: func(c *judge.Case) { c.Receiver.Shots.After = nil },
			limiter: record.LimiterUnexplained, crossed: "b: its counters"},
	} {
		t.Run(name, func(t *testing.T) {
			x := lostCase(t, c.came)
			if c.change != nil {
				c.change(x)
				x.Accounts = judge.Accounts(x)
			}
			v := Verdict(x, All())
			if v.Limiter != c.limiter || v.Confidence != c.confidence {
				t.Errorf("%s (%s), want %s (%s): %s %+v", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence,
					v.Candidates)
			}
			if a := x.Account("crossed", ""); a == nil || !strings.Contains(a.Sentence+a.Why, c.crossed) {
				t.Errorf("%+v, want %q", a, c.crossed)
			}
		})
	}
}

// broken turns every drop of the case into a wrong checksum.
func broken(c *judge.Case) {
	c.Receiver.Shots.Before.Counters = map[string]uint64{"Udp.InCsumErrors": 0}
	c.Receiver.Shots.After.Counters = map[string]uint64{"Udp.InCsumErrors": 1000}
}

// sideOf returns a host with an idle second (0 to 1), and an experiment of ten seconds (10 to 20).
func sideOf(t *testing.T, name string, idle0, idle1, before, after judgetest.Counted) judge.Side {
	t.Helper()
	return judge.Side{Host: name, Port: &plan.Port{Host: name, Interface: "eth0",
		Address: netip.MustParsePrefix("10.0.0.1/24")},
		Shots: judge.Shots{Idle0: judgetest.Snapshot(t, 1, idle0), Idle1: judgetest.Snapshot(t, 2, idle1),
			Before: judgetest.Snapshot(t, 10, before), After: judgetest.Snapshot(t, 20, after)}}
}
