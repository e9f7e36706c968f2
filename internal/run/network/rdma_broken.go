package network

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// brokenRepeat is the error of a repeat of rdma that ended in the middle, with the figures until then.
type brokenRepeat struct {
	record.Broken
	cause error // of an end that is gone; nil: a queue pair failed, and both ends run
}

func (e *brokenRepeat) Error() string {
	s := e.Host + ": " + e.Text
	if e.cause != nil {
		s = e.cause.Error() + "; " + s
	}
	if e.After <= 0 {
		return s + "; it broke off before the interval opened"
	}
	s += fmt.Sprintf("; it broke off after %s of the interval", unit.Seconds(e.After))
	if e.Last <= 0 {
		return s + fmt.Sprintf(
			", and %s had asked for nothing that was answered in it: what the other end counted is gone with it", e.Host)
	}
	s += fmt.Sprintf(", and in the %s until its last answer", unit.Seconds(e.Last))
	switch {
	case e.Goodput > 0:
		s += fmt.Sprintf(" %s were carried", unit.BitRate(e.Goodput))
	case e.P50 > 0:
		s += fmt.Sprintf(" the median latency of %d requests was %s", e.Operations, unit.Seconds(e.P50))
	default:
		s += fmt.Sprintf(" %d requests were answered", e.Operations)
	}
	return s
}

func (e *brokenRepeat) Unwrap() error { return e.cause }

// brokenAt is what an end measured before its queue pairs failed; nil: they did not.
func brokenAt(o *traffic.Outcome) *traffic.VerbsBroken {
	if o == nil || o.Verbs == nil {
		return nil
	}
	return o.Verbs.Broken
}

// brokenBy is the error of a repeat whose queue pairs failed in the middle, with the figures of the end that has most;
// nil: they did not fail. cause is the failure of the other end.
func brokenBy(s Spec, cause error, ends []*remote.End) error {
	var best *brokenRepeat
	for _, e := range ends {
		b := brokenAt(e.Outcome)
		if e.Err != nil || b == nil {
			continue
		}
		v := e.Outcome.Verbs
		now := &brokenRepeat{
			record.Broken{Host: e.Host, Text: b.Text, After: float64(b.AtNS) / 1e9, Last: float64(b.LastNS) / 1e9},
			cause,
		}
		for _, p := range v.Pairs {
			now.Operations += p.Operations
		}
		if bytes := max(v.AskedBytes, v.CameBytes); v.Seconds > 0 &&
			cmp.Or(s.RDMA.Metric, traffic.MetricLatency) == traffic.MetricGoodput {
			now.Goodput = float64(bytes) * 8 / v.Seconds
		}
		if h, err := traffic.DecodeHistogram(e.Outcome.Histogram); err == nil && h.Count() > 0 {
			now.P50 = h.Quantile(0.5)
		}
		if best == nil || now.Operations > best.Operations {
			best = now
		}
	}
	if best == nil {
		return nil
	}
	return best
}

// keepBroken records what was measured before a repeat broke off.
func keepBroken(c *experiment.Combination, index int, err error) {
	var b *brokenRepeat
	if errors.As(err, &b) {
		kept := b.Broken
		kept.Repeat = index
		c.Record.Broken = &kept
	}
}

// rdmaNotice is the time in which the remaining end notices that the other is gone: packets are retransmitted six
// times, over soft RDMA with 1.1 s between.
const rdmaNotice = 15 * time.Second
