package run

import (
	"fmt"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// steady flags a repeat whose window still has warm-up in it. The repeat counts
// as it is: leaving out what does not fit would be choosing the result.
func steady(r *record.Repeat) {
	if r.Bytes > 0 {
		return // an amount has no steady window: what is not steady belongs to it
	}
	for _, d := range []struct {
		name   string
		series []float64
	}{{"out", r.SeriesOut}, {"in", r.SeriesIn}} {
		w := stat.Warmup(d.series)
		if w.Skip == 0 || r.Slice <= 0 {
			continue
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s was not steady: the first %s of the window are warm-up, without them it would read %s %s",
			d.name, unit.Seconds(float64(w.Skip)*r.Slice), unit.Percent(max(w.Shift, -w.Shift)), moreOrLess(w.Shift)))
	}
}

func moreOrLess(shift float64) string {
	if shift < 0 {
		return "less"
	}
	return "more"
}
