package chart

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
)

// reading returns the figure of an experiment in a chart; ok is false where it is not known.
type reading func(*record.Experiment) (median, low, high float64, points []float64, ok bool)

// Figure is one figure of experiments over the size of a block or a message, in a chart and the table next to it.
type Figure struct {
	What    string // "Throughput"
	label   func(top float64) string
	tick    func(v, top float64) string
	Text    func(float64) string
	desc    string
	log     bool
	ceiling func(*record.Experiment) float64 // 0: not known
	Of      reading
}

// FiguresOf returns the figures of an experiment's method, in the order in which papers show them.
func FiguresOf(e *record.Experiment) []Figure {
	switch {
	case e.Block != nil:
		return blockFigures()
	case method.Named(e.Method).UsesRDMA && e.Latencies(), method.Named(e.Method).RoundTrips:
		return latencyFigures("round trips")
	case method.Named(e.Method).Exchanges:
		return []Figure{
			{What: "Time of an exchange", label: fixedText("logarithmic, less is better"), tick: TimeTick, Text: micro,
				desc: "Less is better.", log: true, Of: repeated(exchangeMicro)},
		}
	case e.Goodput != nil:
		return streamFigures()
	}
	return nil
}

func fixedText(s string) func(float64) string { return func(float64) string { return s } }

func plainTick(v, _ float64) string { return svg.TrimZeros(v) }

// TimeTick prints a round number of microseconds for the x axis or y axis of a chart: 20 us, 5 ms.
func TimeTick(v, _ float64) string {
	switch {
	case v >= 1e6:
		return svg.TrimZeros(v/1e6) + " s"
	case v >= 1e3:
		return svg.TrimZeros(v/1e3) + " ms"
	case v < 1:
		return svg.TrimZeros(v*1e3) + " ns"
	}
	return svg.TrimZeros(v) + " us"
}

// micro prints microseconds as the tables print times.
func micro(v float64) string { return format.Seconds(v / 1e6) }

func exchangeMicro(p record.Repeat) float64 { return result.Exchange(p) * 1e6 }

// repeated returns a figure that every repeat has. Values at or below 0 are not known.
func repeated(of func(record.Repeat) float64) reading {
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

// estimated returns a figure for which the run has an estimate, with its repeats as points.
func estimated(of func(*record.Experiment) *record.Estimate, each func(record.Repeat) float64) reading {
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

func byteUnit(top float64) string { return strings.TrimSuffix(svg.RateUnit(top), "b/s") + "B/s" }

// blockFigures returns the figures of storage.
func blockFigures() []Figure {
	perSecond := func(top float64) string { return strings.TrimSuffix(svg.RateUnit(top), "b/s") + "IOPS" }
	return slices.Concat([]Figure{
		{What: "Throughput", label: func(top float64) string { return byteUnit(top) + ", more is better" },
			tick: svg.RateTick, Text: unit.BytesPerSecond, desc: "Throughput of all workers together. More is better.",
			ceiling: func(e *record.Experiment) float64 { return plannedOf(e) / 8 },
			Of:      estimated(func(e *record.Experiment) *record.Estimate { return e.Bytes }, result.RepeatBytes)},
		{What: "Requests a second",
			label: func(top float64) string { return perSecond(top) + ", logarithmic, more is better" },
			tick:  svg.RateTick, Text: unit.Count, desc: "Requests a second of all workers together. More is better.",
			log: true, Of: estimated(func(e *record.Experiment) *record.Estimate { return e.IOPS }, result.RepeatIOPS)},
	}, latencyFigures("requests"), []Figure{
		{What: "CPU", label: fixedText("% of the asking hosts' cores, less is better"), tick: plainTick,
			Text: func(v float64) string { return unit.Percent(v / 100) },
			desc: "Share of all cores of the hosts that ask. Less is better.", Of: repeated(result.AskingPercent)},
		{What: "Requests a second for each percent of CPU",
			label: func(top float64) string { return perSecond(top) + " a percent, logarithmic, more is better" },
			tick:  svg.RateTick, Text: unit.Count, log: true, Of: repeated(result.IOPSPerPercent),
			desc: "Requests a second for each percent of the asking hosts' CPUs. More is better."},
	})
}

// latencyFigures returns the median and the tail. Only the median is known of every repeat.
func latencyFigures(of string) []Figure {
	quantile := func(q func(*record.Latency) float64) reading {
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
	return []Figure{
		{What: "Latency p50", label: fixedText("p50, logarithmic, less is better"), tick: TimeTick, Text: micro,
			desc: "Medians of the " + of + ". Less is better.", log: true,
			Of: func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
				v, _, _, _, ok := p50(e)
				_, low, high, points, each := median(e)
				if !each {
					low, high = v, v
				}
				return v, min(low, v), max(high, v), points, ok
			}},
		{What: "Latency p99", label: fixedText("p99, logarithmic, less is better"), tick: TimeTick, Text: micro,
			desc: "The 99th percentile over all repeats. Less is better.", log: true,
			Of: quantile(func(l *record.Latency) float64 { return l.P99 })},
	}
}

// streamFigures returns the figures of a stream, with the CPU time of the measuring processes.
func streamFigures() []Figure {
	cores := func(p record.Repeat) float64 { return result.Cost(p) * p.Goodput / 1e9 }
	return []Figure{
		{What: "Goodput", label: func(top float64) string { return svg.RateUnit(top) + ", more is better" },
			tick: svg.RateTick, Text: format.Rate, desc: "More is better.", ceiling: plannedOf,
			Of: func(e *record.Experiment) (float64, float64, float64, []float64, bool) {
				if e.Goodput == nil {
					return 0, 0, 0, nil, false
				}
				return e.Goodput.Median, e.Goodput.Low, e.Goodput.High, result.Combination{E: e}.Repeats(), true
			}},
		{What: "CPU", label: fixedText("cores, the processes of both ends, less is better"), tick: plainTick,
			Text: unit.Significant, desc: "Cores that the measuring processes of both ends used. Less is better.",
			Of: repeated(cores)},
		{What: "Goodput for each core",
			label: func(top float64) string { return svg.RateUnit(top) + " a core, logarithmic, more is better" },
			tick:  svg.RateTick, Text: format.Rate,
			desc: "Goodput for each core that the measuring processes of both ends used. More is better.", log: true,
			Of: repeated(func(p record.Repeat) float64 {
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

// Chart draws a figure of a panel, with its ceiling where it has one.
func (s Sweep) Chart(p SweepPanel, f Figure, title, note, mark string) template.HTML {
	s.Decades = f.log // only for this chart: s is a copy
	each := func(c result.Combination) (float64, float64, float64, []float64, bool) { return f.Of(c.E) }
	limit := func(x string) (most float64) {
		for _, y := range p.drawn() {
			if c, ok := y.Combinations[x]; ok && f.ceiling != nil {
				most = max(most, f.ceiling(c.E))
			}
		}
		return most
	}
	d, y, at := s.Frame(p, title, strings.TrimSpace(f.desc+" "+note), each, limit, f.label, f.tick)
	if d == nil {
		return ""
	}
	if !s.CeilingLine(d, y, at, limit, f.Text, "ceiling ", mark) && f.ceiling != nil {
		d.Text("tick", svg.End, SweepRight, SweepTop-8, "ceiling "+format.NotKnown)
	}
	s.Lines(d, p, y, at, each)
	return d.Done()
}
