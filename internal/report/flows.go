package report

import (
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// flow is the best that was measured over a link in one direction.
type flow struct {
	share   float64
	ceiling bool // share is known
	goodput float64
	known   bool
}

// flows finds, for every link, what was measured from its first end to its second
// and back.
func flows(r *record.Run, all []row) map[string][2]flow {
	ends := map[string][2]string{}
	for _, l := range r.Plan.Links {
		ends[l.Name] = [2]string{ownerOf(l.Ends[0]), ownerOf(l.Ends[1])}
	}
	out := map[string][2]flow{}
	for _, w := range all {
		if w.Both {
			continue // a link shared with the other direction says less of this one
		}
		for _, name := range w.Links {
			e, ok := ends[name]
			if !ok {
				continue
			}
			way := -1
			switch {
			case e[0] == w.From || e[1] == w.To:
				way = 0
			case e[1] == w.From || e[0] == w.To:
				way = 1
			}
			if way < 0 {
				continue // between two switches: the row does not say which way
			}
			pair := out[name]
			for _, c := range w.Cells {
				if c.Goodput != nil && c.Goodput.Median > pair[way].goodput {
					share, ok := c.share()
					pair[way] = flow{share: share, ceiling: ok, goodput: c.Goodput.Median, known: true}
				}
			}
			out[name] = pair
		}
	}
	return out
}

// thickness of one lane in pixels grows with the logarithm of the rate.
func thickness(r unit.BitRate) float64 {
	if r <= 0 {
		return 2
	}
	return min(max(3+2.5*math.Log10(float64(r)/1e9), 2), 10)
}
