package run

import (
	"fmt"
	"time"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// MostRepeats is how many repeats a cell has at most when the width of its interval decides.
const MostRepeats = 20

// least is how many repeats a cell has whatever they say; with a target for the
// interval as many as carry one.
func (c *Cell) least() int {
	if c.Until <= 0 {
		return c.Repeat
	}
	return min(max(c.Repeat, stat.FewestForInterval), c.most())
}

func (c *Cell) most() int {
	if c.AtMost > 0 {
		return c.AtMost
	}
	return MostRepeats
}

// missing is how many repeats a cell still needs, as far as that is known: with
// a target for the interval one at a time.
func (c *Cell) missing() int {
	n := len(c.Exp.Repeats)
	switch {
	case c.Exp.NotRun != "":
		return 0
	case n < c.least():
		return c.least() - n
	case c.Until <= 0 || n >= c.most() || c.settled():
		return 0
	}
	return 1
}

// settled says whether the 95 % interval of the median is within the target on
// both sides. Looking after every repeat stops somewhat early when values scatter by chance
// little: the target is for the width, and a comparison has an interval of its own.
func (c *Cell) settled() bool {
	w, ok := c.halfWidth()
	return ok && w <= c.Until
}

// halfWidth is half the width of the 95 % interval as a share of the median.
func (c *Cell) halfWidth() (float64, bool) {
	var values []float64
	for _, r := range c.Exp.Repeats {
		values = append(values, figure(c.Exp.Method, r))
	}
	s, err := stat.Summarize(values)
	if err != nil || s.Interval != stat.Interval || s.Median <= 0 {
		return 0, false
	}
	return (s.High - s.Low) / 2 / s.Median, true
}

// figure is the value of a repeat that its interval is about.
func figure(method string, r record.Repeat) float64 {
	if r.Halo != nil {
		return r.Halo.Seconds
	}
	if method == "ping" || r.Verbs != nil && r.Verbs.Metric == traffic.MetricLatency {
		return r.P50
	}
	if r.App != nil {
		return r.App.Figure
	}
	return r.Goodput
}

// unsettled notes in a cell that its target was not reached.
func (c *Cell) unsettled() {
	if c.Until <= 0 || len(c.Exp.Repeats) == 0 || c.settled() {
		return
	}
	text := fmt.Sprintf("after %d repeats there is no 95 %% interval yet", len(c.Exp.Repeats))
	if w, ok := c.halfWidth(); ok {
		text = fmt.Sprintf("after %d repeats the 95 %% interval is +- %s of the median, +- %s was asked for", len(c.Exp.Repeats), unit.Percent(w), unit.Percent(c.Until))
	}
	c.Exp.Warnings = append(c.Exp.Warnings, text)
}

// Estimate is how long a run will take at least: windows, warm-ups and what goes
// with them, and the start. steps is how many repeats that is.
func Estimate(cfgs []Config) (d time.Duration, steps int) {
	scope := everyCell(cfgs)
	for _, cfg := range cfgs {
		s := &session{cfg: cfg, all: scope, started: time.Now()}
		hosts := map[string]bool{}
		for _, c := range cfg.Cells {
			if n := c.missing(); n > 0 {
				steps += n
				d += time.Duration(n) * c.takes(s.lasts(c))
				for _, h := range c.Hosts() {
					hosts[h] = true
				}
			}
		}
		if len(hosts) > 0 {
			d += idleWindow + time.Duration(len(hosts))*startOverhead
		}
	}
	return d, steps
}

// startOverhead is what an agent takes to start and to say what it has.
const startOverhead = 100 * time.Millisecond
