package cause

import (
	"math"
	"testing"

	"linerate/internal/explain/judge"
	"linerate/internal/explain/judge/judgetest"
	"linerate/internal/record"
)

// What the receiver had already is not lost. A socket counts the answers that say so, and the host the segments that
// they are about.
func TestRetransmittedNeedlessly(t *testing.T) {
	for name, c := range map[string]struct {
		all, needless uint64 // segments of the host
		again, said   int64  // of the socket
		want          float64
	}{
		"all were lost":                      {100, 0, 100, 0, 0.01},
		"the socket says it":                 {100, 60, 100, 60, 0.004},
		"the socket says less":               {100, 60, 100, 20, 0.004},
		"the socket says more":               {100, 20, 100, 60, 0.004},
		"of a part of the test":              {1000, 500, 100, 0, 0.005},
		"the receiver had all: nothing lost": {100, 100, 100, 100, 0},
	} {
		sent := int64(10_000)
		socket := &record.Socket{Retrans: &c.again, DSACKDups: &c.said, SegsOut: &sent}
		e := &record.Experiment{Repeats: []record.Repeat{{Seconds: 1, Streams: []record.Stream{
			{Direction: "out", Socket: socket}}}}}
		counted := func(all, needless uint64) judgetest.Counted {
			return judgetest.Counted{"Tcp.RetransSegs": all, "Tcp.OutSegs": 100 * all, "TcpExt.TCPDSACKRecvSegs": needless}
		}
		x := &judge.Case{Exp: e, Repeat: &e.Repeats[0], Streams: e.Repeats[0].Streams, Direction: "out",
			Sender:   sideOf(t, "a", nil, nil, counted(0, 0), counted(c.all, c.needless)),
			Receiver: sideOf(t, "b", nil, nil, counted(0, 0), counted(0, 0))}
		got := 0.0
		if l := lost(x); l != nil {
			got = l.Rate
		}
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
