package network

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// joinAmount combines a transfer in two directions: all bytes over the time until the last one. Each direction has the
// goodput of its own time.
func joinAmount(r *record.Repeat, s Spec, a, b *remote.End) {
	r.Bytes, r.Seconds = 0, 0
	for _, e := range []struct {
		receiver *remote.End
		data     bool
	}{{b, s.Direction != traffic.In}, {a, s.Direction != traffic.Out}} {
		if !e.data {
			continue
		}
		o := e.receiver.Outcome
		r.Seconds = max(r.Seconds, float64(o.EndNS-o.StartNS)/1e9)
		r.Bytes += received(o)
	}
	if r.Seconds > 0 {
		r.Goodput = float64(r.Bytes) * 8 / r.Seconds
	}
}

// received is what one end counted.
func received(o *traffic.Outcome) (n int64) {
	for _, s := range o.Streams {
		n += s.Received
	}
	return n
}

// amounts fills in the figures of a group that transferred amounts: all bytes over the time until the last one of all
// flows, and for each flow its own bytes over its own time.
func amounts(r *record.Repeat, all []receiver) {
	var out, in int64
	start, end := all[0].outcome.StartNS-all[0].offset, int64(0)
	for i, x := range all {
		start = min(start, x.outcome.StartNS-x.offset)
		if at := x.outcome.EndNS - x.offset; i == 0 || at > end {
			end = at
		}
		if x.backward {
			in += received(x.outcome)
		} else {
			out += received(x.outcome)
		}
	}
	r.Bytes, r.Seconds, r.Slice = out+in, float64(end-start)/1e9, all[0].outcome.Slice
	over := func(n int64) float64 { return float64(n) * 8 / r.Seconds }
	r.Goodput, r.Forward, r.Backward = over(r.Bytes), over(out), over(in)
	for _, x := range all {
		f := &r.Flows[x.flow]
		f.Goodput += x.outcome.Goodput
		if x.backward {
			f.Backward += x.outcome.Goodput
			r.SeriesIn = added(r.SeriesIn, x.outcome.Series)
		} else {
			f.Forward += x.outcome.Goodput
			r.SeriesOut = added(r.SeriesOut, x.outcome.Series)
		}
	}
}

// paceSlack is how far above its pace a stream may be received without a warning: a shaper or a queue on the path may
// hold bytes back and release them in the interval.
const paceSlack = 0.03

// paceBurst is how many additional bytes the two edges of an interval may let in: one call of the kernel sends them at
// once.
const paceBurst = 64 << 10

// paceKept warns of streams above their pace: the kernel that was to limit them did not.
func paceKept(r record.Repeat, s Spec) []string {
	if s.Pace == 0 || r.Bytes > 0 {
		return nil
	}
	over, fastest := 0, 0.0
	allowed := (1 + paceSlack) * float64(s.Pace)
	if r.Seconds > 0 {
		allowed += paceBurst * 8 / r.Seconds
	}
	for _, st := range r.Streams {
		if st.Goodput > allowed {
			over++
			fastest = max(fastest, st.Goodput)
		}
	}
	if over == 0 {
		return nil
	}
	by := strings.TrimSpace("the " + r.InEffect["pace_by"])
	return []string{
		fmt.Sprintf(
			"%d of %d streams carried more than their pace of %s, up to %s: %s did not keep it; compare with pace_by: program",
			over, len(r.Streams), s.Pace, unit.BitRate(fastest), by),
	}
}
