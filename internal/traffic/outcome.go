package traffic

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Sample is one value of one connection while an experiment runs.
type Sample struct {
	Stream int     `json:"stream"` // -1: the whole end
	TimeNS int64   `json:"time_ns"`
	Metric string  `json:"metric"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
}

// Outcome is what one end saw of an experiment. Stamps are on that end's clock.
type Outcome struct {
	OpenNS  int64 `json:"open_ns"` // planned interval
	CloseNS int64 `json:"close_ns"`
	// interval as cut at reads; equal to the planned one where this end receives nothing
	StartNS int64       `json:"start_ns"`
	EndNS   int64       `json:"end_ns"`
	Goodput float64     `json:"goodput"` // received here, bits per second
	Streams []StreamEnd `json:"streams"`
	Slice   float64     `json:"slice"`            // seconds
	Series  []float64   `json:"series,omitempty"` // received here, bits per second
	CPU     CPU         `json:"cpu"`
	// cores of this end's host in use in each slice, whatever for
	Busy []float64 `json:"busy,omitempty"`
	// segments that this end retransmitted, by the slice in which it was noticed; nil: unknown
	Retrans              []int64          `json:"retrans,omitempty"`
	Work                 Work             `json:"work,omitzero"`
	Unknown              []record.Unknown `json:"unknown,omitempty"` // of this end's host
	RTTSamples           int64            `json:"trips,omitempty"`
	Histogram            string           `json:"histogram,omitempty"` // as record.Latency
	Size                 unit.Bytes       `json:"size"`                // of a message
	Open                 *OpenLoop        `json:"open,omitempty"`      // of ping with every, at the end that asks
	Clock                *record.Clock    `json:"clock,omitempty"`     // of ping's end that asks
	PathMTU              *record.PathMTU  `json:"path_mtu,omitempty"`  // of ping over ICMP, if configured
	InEffect             InEffect         `json:"in_effect,omitzero"`
	UnauthenticatedPeers int              `json:"strangers"` // connections refused at the data port
	Warnings             []string         `json:"warnings,omitempty"`
	// stamp of the first byte that was received here, 0: none
	FirstNS int64 `json:"first_ns,omitempty"`
	// reads at the two edges of the interval, see Between
	Head []Mark `json:"head,omitempty"`
	Foot []Mark `json:"foot,omitempty"`
	// bytes less held at the end of the interval than at its start
	Backlog int64      `json:"backlog,omitempty"`
	Verbs   *VerbsSeen `json:"verbs,omitempty"` // of verbs
	Halo    *HaloSeen  `json:"halo,omitempty"`  // of halo
	// of a watch next to another program; nil: no interface of this host is planned
	Link      *LinkCount            `json:"link,omitempty"`
	Drives    []record.DriveCount   `json:"drives,omitempty"`    // of such a watch: the configured ones
	Processes []record.ProcessCount `json:"processes,omitempty"` // of such a watch, where they were asked for
}

// StreamEnd is one end of one connection.
type StreamEnd struct {
	Index      int                `json:"index"`
	Direction  string             `json:"direction"`
	Active     bool               `json:"active"`
	Goodput    float64            `json:"goodput"` // received in the interval, bits per second
	Sent       int64              `json:"sent"`    // bytes from the first to the last
	Received   int64              `json:"received"`
	Drained    bool               `json:"drained"` // both ends came to the end of the stream: sent here = received there
	Socket     *record.Socket     `json:"socket,omitempty"`
	UDP        *Datagrams         `json:"udp,omitempty"`      // nil over TCP
	Subflows   []Subflow          `json:"subflows,omitempty"` // over MPTCP: the paths of this connection
	RTTSamples *record.RTTSamples `json:"trips,omitempty"`    // of ping's active end
}

// Subflow is one path of a connection over MPTCP, as one end's kernel counts it over the interval. Nil: unknown.
type Subflow struct {
	Local    netip.AddrPort `json:"local"`
	Remote   netip.AddrPort `json:"remote"`
	Sent     *int64         `json:"sent,omitempty"`     // bytes that the other end acknowledged
	Received *int64         `json:"received,omitempty"` // bytes
	Retrans  *int64         `json:"retrans,omitempty"`  // segments retransmitted
}

// SetRTTSamples puts the round trips of all connections into the outcome, and those of each into its end.
func (o *Outcome) SetRTTSamples(tasks []*Flow) error {
	all := NewHistogram()
	for i, t := range tasks {
		if t.RTTSamples == nil {
			continue
		}
		all.Merge(t.RTTSamples)
		o.Streams[i].RTTSamples = t.RTTSamples.RTTSamples()
	}
	var err error
	if o.Open, err = openOutcome(tasks); err != nil {
		return err
	}
	if o.RTTSamples = all.Count(); o.RTTSamples == 0 {
		return nil
	}
	text, err := all.Encode()
	if err != nil {
		return &failure.Error{Code: failure.CodeInternal, Subject: "latency", Text: err.Error()}
	}
	o.Histogram = text
	return nil
}

// NewOutcome makes an outcome of an interval without counts.
func NewOutcome(w Interval, size unit.Bytes) *Outcome {
	return &Outcome{OpenNS: w.Open, CloseNS: w.Close, StartNS: w.Open, EndNS: w.Close, Size: size,
		Slice: float64(w.Step) / 1e9}
}

// Refused notes connections that came to a data port without its token.
func (o *Outcome) Refused(n int, at net.Addr) {
	if o.UnauthenticatedPeers = n; n > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf(
			"%d connections without the token were refused at %s; another program or host knocks there", n, at))
	}
}

// Count adds what the connections of one direction received. begin and end are what the kernel had received at the two
// edges of the interval; nil: unknown.
func (o *Outcome) Count(w Interval, counters []*Counter, begin, end []Arrival) Steady {
	s := cut(w, counters, begin, end)
	o.FirstNS, o.Head, o.Foot, o.Backlog = firstByte(counters), headMarks(counters), footMarks(w, counters), s.backlog
	o.StartNS, o.EndNS, o.Goodput = s.start, s.end, s.goodput()
	o.Warnings = append(o.Warnings, s.warnings...)
	o.Series = series(w, counters)
	return s
}

// series returns what all counters received in each slice, in bits per second; a shorter last slice is scaled to its
// length.
func series(w Interval, counters []*Counter) []float64 {
	out := make([]float64, w.Slices())
	for i := range out {
		length := min(w.Step, w.Close-w.Open-int64(i)*w.Step)
		for _, c := range counters {
			out[i] += float64(c.Slices[i].Load())
		}
		out[i] *= 8 / (float64(length) / 1e9)
	}
	return out
}

// stallAfter is the gap from which on a stream at full speed gets a warning.
const stallAfter = 300 * time.Millisecond

// Stall returns a warning if nothing arrived for a while in the middle of an interval. series has the bytes of each
// slice, all connections together.
func Stall(series []float64, step time.Duration) string {
	longest, at, run, total := 0, 0, 0, 0.0
	for i, v := range series {
		total += v
		if run++; v > 0 {
			run = 0
		}
		if run > longest {
			longest, at = run, i-run+1
		}
	}
	if d := time.Duration(longest) * step; total > 0 && d >= stallAfter {
		return fmt.Sprintf("nothing arrived for %v, from %v after the beginning of the interval; look whether the link went "+
			"down (ip -s link, the switch's log) or the host stood still",
			d, time.Duration(at)*step)
	}
	return ""
}
