package explain

import (
	"strings"
	"testing"

	"linerate/path"
	"linerate/result"
	"linerate/unit"
)

// udpCase is one stream of datagrams over a link that allows 9.57 Gb/s.
func udpCase(goodput float64, datagrams, lost, missing, drops int64, merged float64) *Case {
	const limit = 9.57e9
	chain := &path.Chain{Transport: "udp", Limit: limit, Component: "link a--b",
		Hops: []path.Hop{{Component: "link a--b", Kind: "cable", Rate: unit.Known[unit.BitRate](limit)}}}
	s := result.Stream{Goodput: goodput, UDP: result.UDP{Datagrams: &datagrams, Lost: &lost, Missing: &missing, Merged: &merged}}
	if drops >= 0 {
		s.Drops = &drops
	}
	return &Case{Exp: &result.Experiment{From: "a", To: "b", Settings: map[string]string{"transport": "udp"}}, Chain: chain,
		Sender: Side{Host: "a"}, Receiver: Side{Host: "b"}, Goodput: goodput, Ceiling: limit, Streams: []result.Stream{s}, Window: 1}
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
		case appLimited.ID, slowReceiver.ID, cwndClamp.ID, txQueue.ID, socketPacing.ID, windowScalingOff.ID, receiveWindowCap.ID, sendBufferCap.ID, offloadsOff.ID, udpSocketOverflow.ID,
			mtuOneSided.ID, smallSegments.ID, mtuBlackHole.ID, bitErrors.ID, rxRing.ID, reordering.ID, policer.ID, shallowBuffer.ID, randomLoss.ID, deepBuffer.ID, ceMarks.ID:
			if c.possible(udp) == c.possible(tcp) {
				t.Errorf("%s: udp %v, tcp %v", c.ID, c.possible(udp), c.possible(tcp))
			}
		default:
			if !c.possible(udp) || !c.possible(tcp) {
				t.Errorf("%s is not asked", c.ID)
			}
		}
	}
}
