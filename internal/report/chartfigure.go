package report

import (
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// chartFigure is what a chart shows of experiments over the size of a block or a message, and a table beside it.
type chartFigure struct {
	what    string // "Throughput"
	axis    func(top float64) string
	tick    func(v, top float64) string
	text    func(float64) string
	desc    string
	log     bool
	ceiling func(*record.Experiment) float64 // 0: not known
	of      func(*record.Experiment) (median, low, high float64, points []float64, ok bool)
}

// figuresOf are the figures that an experiment's method has, in the order in which papers show them.
func figuresOf(e *record.Experiment) []chartFigure {
	switch {
	case e.Block != nil:
		return blockFigures()
	case e.Method == record.MethodVerbs && e.Latencies(), e.Method == "ping":
		return latencyFigures("round trips")
	case e.Method == record.MethodHalo:
		return []chartFigure{{what: "Time of an exchange", axis: fixedText("logarithmic, less is better"), tick: timeTick, text: micro, desc: "Less is better.", log: true, of: repeated(exchangeMicro)}}
	case e.Goodput != nil:
		return streamFigures()
	}
	return nil
}

func fixedText(s string) func(float64) string { return func(float64) string { return s } }

func plainTick(v, _ float64) string { return trimZeros(v) }

// timeTick prints a round number of microseconds as people write it on an axis: 20 us, 5 ms.
func timeTick(v, _ float64) string {
	switch {
	case v >= 1e6:
		return trimZeros(v/1e6) + " s"
	case v >= 1e3:
		return trimZeros(v/1e3) + " ms"
	case v < 1:
		return trimZeros(v*1e3) + " ns"
	}
	return trimZeros(v) + " us"
}

// micro prints microseconds as the tables print times.
func micro(v float64) string { return seconds(v / 1e6) }

func exchangeMicro(p record.Repeat) float64 { return exchange(p) * 1e6 }

// repeated is a figure that every repeat has; values at or below 0 are not known.
func repeated(of func(record.Repeat) float64) func(*record.Experiment) (float64, float64, float64, []float64, bool) {
	return func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
		var points []float64
		for _, p := range e.Repeats {
			if v := of(p); v > 0 && !math.IsInf(v, 0) {
				points = append(points, v)
			}
		}
		s, err := stat.Summarize(points)
		return s.Median, s.Low, s.High, points, err == nil
	}
}

// estimated is a figure of which the run has an estimate, with its repeats as points.
func estimated(of func(*record.Experiment) *record.Estimate, each func(record.Repeat) float64) func(*record.Experiment) (float64, float64, float64, []float64, bool) {
	points := repeated(each)
	return func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
		v := of(e)
		if v == nil {
			return 0, 0, 0, nil, false
		}
		_, _, _, p, _ := points(e)
		return v.Median, v.Low, v.High, p, true
	}
}

func byteUnit(top float64) string { return strings.TrimSuffix(rateUnit(top), "b/s") + "B/s" }

// blockFigures are those of storage.
func blockFigures() []chartFigure {
	return append(append([]chartFigure{
		{what: "Throughput", axis: func(top float64) string { return byteUnit(top) + ", more is better" }, tick: rateTick, text: unit.BytesPerSecond, desc: "Throughput of all workers together. More is better.",
			ceiling: func(e *record.Experiment) float64 { return plannedOf(e) / 8 },
			of:      estimated(func(e *record.Experiment) *record.Estimate { return e.Bytes }, repeatBytes)},
		{what: "Requests a second", axis: func(top float64) string {
			return strings.TrimSuffix(rateUnit(top), "b/s") + "IOPS, logarithmic, more is better"
		}, tick: rateTick, text: unit.Count, desc: "Requests a second of all workers together. More is better.", log: true,
			of: estimated(func(e *record.Experiment) *record.Estimate { return e.IOPS }, repeatIOPS)},
	}, latencyFigures("requests")...),
		chartFigure{what: "Processor", axis: fixedText("% of the asking hosts' cores, less is better"), tick: plainTick, text: func(v float64) string { return unit.Percent(v / 100) }, desc: "Share of all cores of the hosts that ask. Less is better.",
			of: repeated(func(p record.Repeat) float64 {
				if p.Block == nil || p.Block.PerPercentAsking == nil {
					return 0
				}
				return p.Block.PerPercentAsking.Percent
			})},
		chartFigure{what: "Requests a second for each percent of processor", axis: func(top float64) string {
			return strings.TrimSuffix(rateUnit(top), "b/s") + "IOPS a percent, logarithmic, more is better"
		}, tick: rateTick, text: unit.Count, desc: "Requests a second for each percent of the asking hosts' processors. More is better.", log: true,
			of: repeated(func(p record.Repeat) float64 {
				if p.Block == nil || p.Block.PerPercentAsking == nil {
					return 0
				}
				return p.Block.PerPercentAsking.IOPS
			})})
}

// latencyFigures are the median and the tail; only the median is known of every repeat.
func latencyFigures(of string) []chartFigure {
	quantile := func(q func(*record.Latency) float64) func(*record.Experiment) (float64, float64, float64, []float64, bool) {
		return func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
			if e.Latency == nil || q(e.Latency) <= 0 {
				return 0, 0, 0, nil, false
			}
			v := q(e.Latency) * 1e6
			return v, v, v, nil, true
		}
	}
	median := repeated(func(p record.Repeat) float64 { return p.P50 * 1e6 })
	p50 := quantile(func(l *record.Latency) float64 { return l.P50 })
	return []chartFigure{
		{what: "Latency p50", axis: fixedText("p50, logarithmic, less is better"), tick: timeTick, text: micro, desc: "Medians of the " + of + ". Less is better.", log: true,
			of: func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
				v, _, _, _, ok := p50(e)
				_, low, high, points, each := median(e)
				if !each {
					low, high = v, v
				}
				return v, min(low, v), max(high, v), points, ok
			}},
		{what: "Latency p99", axis: fixedText("p99, logarithmic, less is better"), tick: timeTick, text: micro, desc: "The 99th percentile over all repeats. Less is better.", log: true,
			of: quantile(func(l *record.Latency) float64 { return l.P99 })},
	}
}

// streamFigures are those of a stream, with the processor time of the measuring processes.
func streamFigures() []chartFigure {
	cores := func(p record.Repeat) float64 { return cost(p) * p.Goodput / 1e9 }
	return []chartFigure{
		{what: "Goodput", axis: func(top float64) string { return rateUnit(top) + ", more is better" }, tick: rateTick, text: rate, desc: "More is better.", ceiling: plannedOf,
			of: func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
				if e.Goodput == nil {
					return 0, 0, 0, nil, false
				}
				return e.Goodput.Median, e.Goodput.Low, e.Goodput.High, cell{E: e}.repeats(), true
			}},
		{what: "Processor", axis: fixedText("cores, the processes of both ends, less is better"), tick: plainTick, text: unit.Significant, desc: "Cores that the measuring processes of both ends used. Less is better.", of: repeated(cores)},
		{what: "Goodput for each core", axis: func(top float64) string { return rateUnit(top) + " a core, logarithmic, more is better" }, tick: rateTick, text: rate, desc: "Goodput for each core that the measuring processes of both ends used. More is better.", log: true,
			of: repeated(func(p record.Repeat) float64 {
				if c := cores(p); c > 0 {
					return p.Goodput / c
				}
				return 0
			})},
	}
}

func plannedOf(e *record.Experiment) float64 {
	if e.Ceiling == nil {
		return 0
	}
	return float64(e.Ceiling.Planned())
}

// chart draws a figure of a panel, with its ceiling where it has one.
func (s sweep) chart(p sweepPanel, f chartFigure, title, note, mark string) template.HTML {
	s.decades = f.log // of this chart alone: s is a copy
	each := func(c cell) (float64, float64, float64, []float64, bool) { return f.of(c.E) }
	limit := func(x string) (most float64) {
		for _, y := range p.drawn() {
			if c, ok := y.cells[x]; ok && f.ceiling != nil {
				most = max(most, f.ceiling(c.E))
			}
		}
		return most
	}
	d, y, at := s.frame(p, title, strings.TrimSpace(f.desc+" "+note), each, limit, f.axis, f.tick)
	if d == nil {
		return ""
	}
	if !s.ceilingLine(d, y, at, limit, f.text, "ceiling ", mark) && f.ceiling != nil {
		d.text("tick", end, sweepRight, sweepTop-8, "ceiling "+notKnown)
	}
	s.lines(d, p, y, at, each)
	return d.done()
}
