package explain

import (
	"maps"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// udpCase is one stream of datagrams over a link that allows 9.57 Gb/s.
func udpCase(goodput float64, datagrams, lost, missing, drops int64, merged float64) *Case {
	const limit = 9.57e9
	chain := &record.Chain{Transport: "udp", Limit: limit, Component: "link a--b",
		Hops: []record.Hop{{Component: "link a--b", Kind: "cable", Rate: unit.Known[unit.BitRate](limit)}}}
	s := record.Stream{Goodput: goodput, UDP: record.UDP{Datagrams: &datagrams, Lost: &lost, Missing: &missing, Merged: &merged}}
	if drops >= 0 {
		s.Drops = &drops
	}
	return &Case{Exp: &record.Experiment{From: "a", To: "b", Settings: map[string]string{"transport": "udp"}}, Chain: chain,
		Sender: Side{Host: "a"}, Receiver: Side{Host: "b"}, Goodput: goodput, Ceiling: limit, Streams: []record.Stream{s}, Window: 1}
}

func TestUDPVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		of                  *Case
		change              func(*Case)
		limiter, confidence string
	}{
		"full":                     {of: udpCase(9.56e9, 811_000, 0, 0, 0, 1), limiter: "link", confidence: "proved"},
		"full with loss":           {of: udpCase(9.56e9, 900_000, 89_000, 95_000, 95_000, 1), limiter: "link", confidence: "proved"},
		"overflow":                 {of: udpCase(6e9, 812_000, 300_000, 340_000, 340_000, 1), limiter: "udp-socket-overflow", confidence: "proved"},
		"overflow, merged":         {of: udpCase(6e9, 812_000, 300_000, 340_032, 7728, 44), limiter: "udp-socket-overflow", confidence: "proved"},
		"merged, taken for single": {of: udpCase(6e9, 812_000, 300_000, 340_032, 7728, 1), limiter: Unexplained},
		"lost on the way":          {of: udpCase(6e9, 812_000, 300_000, 340_000, 0, 1), limiter: Unexplained},
		"half lost on the way":     {of: udpCase(6e9, 812_000, 300_000, 340_000, 170_000, 1), limiter: Unexplained},
		"drops not known":          {of: udpCase(6e9, 812_000, 300_000, 340_000, -1, 1), limiter: Unexplained},
		"too little loss":          {of: udpCase(6e9, 512_000, 3_000, 3_100, 3_100, 1), limiter: Unexplained},
		"some loss, much missing":  {of: udpCase(2e9, 180_000, 9_000, 9_900, 9_900, 1), limiter: Unexplained},
		"no loss":                  {of: udpCase(6e9, 509_000, 0, 0, 0, 1), limiter: Unexplained},
		"paced":                    {of: udpCase(2e9, 170_000, 0, 0, 0, 1), change: func(c *Case) { c.Exp.Settings["pace"] = "2G" }, limiter: "app-limited", confidence: "proved"},
		"paced, not reached":       {of: udpCase(2e9, 170_000, 0, 0, 0, 1), change: func(c *Case) { c.Exp.Settings["pace"] = "3G" }, limiter: Unexplained},
		"no ceiling, overflow":     {of: udpCase(6e9, 812_000, 300_000, 340_000, 340_000, 1), change: func(c *Case) { c.Ceiling = 0 }, limiter: "udp-socket-overflow", confidence: "proved"},
		"above":                    {of: udpCase(9.9e9, 840_000, 0, 0, 0, 1), limiter: "above-ceiling", confidence: "proved"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.change != nil {
				c.change(c.of)
			}
			v := judge(c.of, causes)
			if v.Limiter != c.limiter || v.Confidence != c.confidence {
				t.Errorf("%s (%s), want %s (%s): %s", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence)
			}
			if strings.Contains(v.Sentence, "TCP") {
				t.Errorf("TCP in the verdict: %s", v.Sentence)
			}
		})
	}
}

// A cause of TCP is never asked about datagrams, whatever their sockets seem to say, and the other way round.
func TestCausesOfATransport(t *testing.T) {
	udp := udpCase(1e9, 1, 0, 0, 0, 1)
	tcp := udpCase(1e9, 1, 0, 0, 0, 1)
	tcp.Exp.Settings = map[string]string{}
	for _, c := range causes {
		switch c.ID {
		case appLimited.ID, mediaLimit.ID, slowReceiver.ID, cwndClamp.ID, txQueue.ID, socketPacing.ID, windowScalingOff.ID, receiveWindowCap.ID, sendBufferCap.ID, offloadsOff.ID, udpSocketOverflow.ID,
			mtuOneSided.ID, smallSegments.ID, mtuBlackHole.ID, bitErrors.ID, rxRing.ID, backlogDrop.ID, conntrackFull.ID, reordering.ID, policer.ID, shallowBuffer.ID, randomLoss.ID, deepBuffer.ID, ceMarks.ID:
			if c.possible(udp) == c.possible(tcp) {
				t.Errorf("%s: udp %v, tcp %v", c.ID, c.possible(udp), c.possible(tcp))
			}
		case gidIndex.ID, memlock.ID, rdmaPathMTU.ID, rdmaAlignment.ID, rdmaRequestRate.ID, pfcOneSided.ID, rdmaUnmarked.ID, rdmaLoss.ID:
			rdma := &Case{Exp: &record.Experiment{Method: "verbs"}}
			if c.possible(udp) || c.possible(tcp) || !c.possible(rdma) {
				t.Errorf("%s: udp %v, tcp %v, RDMA %v", c.ID, c.possible(udp), c.possible(tcp), c.possible(rdma))
			}
		default:
			if !c.possible(udp) || !c.possible(tcp) {
				t.Errorf("%s is not asked", c.ID)
			}
		}
	}
}

// lostCase is a paced stream of which a tenth was lost: 1,000 datagrams of 10,000, at as many places as chance makes. Both interfaces were read.
func lostCase(t *testing.T, came float64) *Case {
	c := udpCase(9e9*0.9, 9000, 900, 1000, 0, 1)
	c.direction = "out"
	c.Exp.Settings["pace"], c.Exp.InEffect = "9G", map[string]string{"size": "1472 B"}
	s := &c.Streams[0]
	total, gaps, scatter := int64(10_000), int64(900), 0.73
	s.Direction, s.Total, s.Gaps, s.Scatter = "out", &total, &gaps, &scatter
	c.Exp.UDP = &s.UDP
	c.Exp.Repeats = []record.Repeat{{Seconds: 1, Streams: c.Streams}}
	c.Repeat = &c.Exp.Repeats[0]
	none := func(more counted) counted {
		all := counted{"rx_dropped": 0, "tx_dropped": 0, "rx_bytes": 0, "tx_bytes": 0, "rx_packets": 0, "tx_packets": 0}
		maps.Copy(all, more)
		return all
	}
	side := func(host string, after counted) Side { return sideOf(t, host, nil, nil, none(nil), none(after)) }
	c.Sender = side("a", counted{"tx_bytes": 10_000 * 1514, "tx_packets": 10_000})
	c.Receiver = side("b", counted{"rx_bytes": uint64(came * 1514), "rx_packets": uint64(came)})
	c.Accounts = accounts(c)
	return c
}

// What is missing is held against both interfaces and the sockets, all over the whole time: where it was lost is the verdict, and how its places
// lie tells chance from something that drops in rows.
func TestUDPLostWhere(t *testing.T) {
	for name, c := range map[string]struct {
		came                float64
		change              func(*Case)
		limiter, confidence string
		crossed             string // the account says so
	}{
		"on the way, by chance":     {came: 9000, limiter: "random-loss", confidence: "likely", crossed: "lost in between"},
		"on the way, in rows":       {came: 9000, change: func(c *Case) { *c.Streams[0].Gaps = 100 }, limiter: Unexplained, crossed: "lost in between"},
		"on the way, evenly":        {came: 9000, change: func(c *Case) { *c.Streams[0].Scatter = 0.05 }, limiter: Unexplained, crossed: "lost in between"},
		"too few places":            {came: 9000, change: func(c *Case) { *c.Streams[0].Missing, *c.Streams[0].Gaps = 33, 30 }, limiter: Unexplained, crossed: "too few"},
		"late ones":                 {came: 9000, change: func(c *Case) { n := int64(50); c.Exp.UDP.Reordered = &n }, limiter: Unexplained, crossed: "lost in between"},
		"behind the interface":      {came: 10_000, limiter: Unexplained, crossed: "they were lost on b"},
		"in the sockets, merged":    {came: 10_000, change: func(c *Case) { *c.Streams[0].Drops, *c.Streams[0].Merged = 30, 20 }, limiter: "udp-socket-overflow", confidence: "likely", crossed: "they were lost on b"},
		"in the sockets, too few":   {came: 10_000, change: func(c *Case) { *c.Streams[0].Drops, *c.Streams[0].Merged = 3, 20 }, limiter: Unexplained, crossed: "they were lost on b"},
		"half in the sockets":       {came: 9500, change: func(c *Case) { *c.Streams[0].Drops, *c.Streams[0].Merged = 300, 1.2 }, limiter: Unexplained, crossed: "500 of them were lost between"},
		"all in the sockets":        {came: 10_000, change: func(c *Case) { *c.Streams[0].Drops = 1000 }, limiter: "udp-socket-overflow", confidence: "proved", crossed: "they were lost on b"},
		"broken ones":               {came: 10_000, change: func(c *Case) { *c.Streams[0].Drops = 1000; broken(c) }, limiter: Unexplained, crossed: "they were lost on b"},
		"an old record":             {came: 9000, change: func(c *Case) { c.Exp.Repeats[0].Streams[0].Total = nil }, limiter: Unexplained, crossed: "not in the record"},
		"other traffic":             {came: 9000, change: func(c *Case) { total := int64(9800); c.Exp.Repeats[0].Streams[0].Total = &total }, limiter: Unexplained, crossed: "9800 datagrams were handed over"},
		"the receiver was not read": {came: 9000, change: func(c *Case) { c.Receiver.Shots.After = nil }, limiter: Unexplained, crossed: "b: its counters"},
	} {
		t.Run(name, func(t *testing.T) {
			x := lostCase(t, c.came)
			if c.change != nil {
				c.change(x)
				x.Accounts = accounts(x)
			}
			v := judge(x, causes)
			if v.Limiter != c.limiter || v.Confidence != c.confidence {
				t.Errorf("%s (%s), want %s (%s): %s %+v", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence, v.Candidates)
			}
			if a := x.account("crossed", ""); a == nil || !strings.Contains(a.Sentence+a.Why, c.crossed) {
				t.Errorf("%+v, want %q", a, c.crossed)
			}
		})
	}
}

// broken lets every drop of the case be of a wrong checksum.
func broken(c *Case) {
	c.Receiver.Shots.Before.Counters = map[string]uint64{"Udp.InCsumErrors": 0}
	c.Receiver.Shots.After.Counters = map[string]uint64{"Udp.InCsumErrors": 1000}
}
