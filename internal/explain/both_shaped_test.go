package explain

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Both directions at once, of which a shaper limits the slower one: the shaper is the cause. Where the other direction
// is the slower one, it is not.
func TestShaperOfOneOfBothDirections(t *testing.T) {
	for _, c := range []struct {
		forward, backward float64 // shares of the shaper's and of the link's ceiling
		limiter           string
	}{{0.99, 0.98, "local-shaper"}, {0.99, 0.1, "unexplained"}} {
		r := from(t, "local-shaper")
		e := r.exp
		e.Direction = "both"
		shaped := e.Ceiling.Limit
		link := e.Ceiling.Planned()
		for i := range e.Ceiling.Hops {
			h := &e.Ceiling.Hops[i]
			rate, ok := h.Rate.Get()
			switch {
			case !ok:
			case h.Kind == "shaper":
				h.Rate = unit.Known(rate + link)
				h.Inputs = append(h.Inputs, record.Input{Name: record.OtherDirection, Value: float64(link)})
			default:
				h.Rate = unit.Known(2 * rate)
			}
		}
		e.Ceiling.Limit += link
		forward, backward := c.forward*float64(shaped), c.backward*float64(link)
		e.Forward, e.Backward = &record.Estimate{Median: forward}, &record.Estimate{Median: backward}
		e.Goodput.Median = forward + backward
		for i := range e.Repeats {
			p := &e.Repeats[i]
			p.Goodput, p.Forward, p.Backward = forward+backward, forward, backward
			for k := range p.Streams {
				p.Streams[k].Goodput = forward / float64(len(p.Streams))
			}
		}
		v := r.verdict(t)
		if v.Limiter != c.limiter {
			t.Errorf("%+v: %s: %s", c, v.Limiter, v.Sentence)
		}
		if of, _ := e.Share(); c.limiter == "local-shaper" && (v.ShareOfCeiling == nil || *v.ShareOfCeiling < 0.98 ||
			of > 0.9 || !strings.HasPrefix(v.Component, "tbf on ")) {
			t.Errorf("%v of the plan, verdict %+v", of, v)
		}
	}
}
