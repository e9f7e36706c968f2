package run

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// joinAmount puts together a transfer of two directions: all bytes over the time until the last one. Each direction keeps the goodput of
// its own time.
func joinAmount(r *record.Repeat, s Spec, a, b *side) {
	r.Bytes, r.Seconds = 0, 0
	for _, e := range []struct {
		receiver *side
		data     bool
	}{{b, s.Direction != traffic.In}, {a, s.Direction != traffic.Out}} {
		if !e.data {
			continue
		}
		o := e.receiver.outcome
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

// amounts fills the figures of a group that carried amounts: all bytes over the time until the last one of all flows, and
// for each flow its own bytes over its own time.
func amounts(r *record.Repeat, all []receiving) {
	var out, in int64
	start, end := all[0].o.StartNS-all[0].offset, int64(0)
	for i, x := range all {
		start = min(start, x.o.StartNS-x.offset)
		if at := x.o.EndNS - x.offset; i == 0 || at > end {
			end = at
		}
		if x.back {
			in += received(x.o)
		} else {
			out += received(x.o)
		}
	}
	r.Bytes, r.Seconds, r.Slice = out+in, float64(end-start)/1e9, all[0].o.Slice
	over := func(n int64) float64 { return float64(n) * 8 / r.Seconds }
	r.Goodput, r.Forward, r.Backward = over(r.Bytes), over(out), over(in)
	for _, x := range all {
		f := &r.Flows[x.flow]
		f.Goodput += x.o.Goodput
		if x.back {
			f.Backward += x.o.Goodput
			r.SeriesIn = added(r.SeriesIn, x.o.Series)
		} else {
			f.Forward += x.o.Goodput
			r.SeriesOut = added(r.SeriesOut, x.o.Series)
		}
	}
}

// paceSlack is how far above its pace a stream may read before it is said: a shaper or a queue on the way may hold bytes back and
// let them through in the window.
const paceSlack = 0.03

// paceBurst is how many bytes more the two edges of a window may let in: what one call of the kernel sends at once.
const paceBurst = 64 << 10

// paceKept warns of streams that carried more than their pace: a kernel that was trusted with it did not keep it.
func paceKept(r record.Repeat, s Spec) []string {
	if s.Pace == 0 || r.Bytes > 0 {
		return nil
	}
	over, most := 0, 0.0
	allowed := (1 + paceSlack) * float64(s.Pace)
	if r.Seconds > 0 {
		allowed += paceBurst * 8 / r.Seconds
	}
	for _, st := range r.Streams {
		if st.Goodput > allowed {
			over++
			most = max(most, st.Goodput)
		}
	}
	if over == 0 {
		return nil
	}
	by := strings.TrimSpace("the " + r.InEffect["pace_by"])
	return []string{fmt.Sprintf("%d of %d streams carried more than their pace of %s, up to %s: %s did not keep it; compare with pace_by: program", over, len(r.Streams), s.Pace, unit.BitRate(most), by)}
}
