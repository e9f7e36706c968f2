package network

import (
	"fmt"
	"slices"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/run/remote"
)

// summarizeLatency fills in the figures of latency from its repeats.
func summarizeLatency(e *record.Experiment) error {
	if len(e.Repeats) == 0 {
		return nil
	}
	remote.SummarizeCPU(e)
	var err error
	if e.Latency, err = remote.Distribution(
		xslices.Map(e.Repeats, func(r record.Repeat) string { return r.Histogram })...); err != nil {
		return err
	}
	e.Clocks = clocks(e.Repeats)
	e.Pairs = pairs(e.Repeats)
	summarizeMTU(e)
	if err := summarizeLoad(e); err != nil {
		return err
	}
	return summarizeOpen(e)
}

// joinPing adds the counts of both ends of a latency measurement to a repeat; with direction both each end requests.
func joinPing(r *record.Repeat, ends ...*remote.End) error {
	var roundTrips, service, late []string
	for _, e := range ends {
		o := e.Outcome
		roundTrips = append(roundTrips, o.Histogram)
		if o.Clock != nil {
			c := *o.Clock
			c.Host = e.Host
			r.Clocks = append(r.Clocks, c)
		}
		if o.Open == nil {
			continue
		}
		if r.Open == nil {
			r.Open = &record.OpenRepeat{}
		}
		r.Open.Due += o.Open.Due
		r.Open.Sent += o.Open.Sent
		r.Open.Reached += o.Open.Reached
		r.Open.Answered += o.Open.Answered
		service, late = append(service, o.Open.Service), append(late, o.Open.Late)
	}
	all, err := remote.AddHistograms(roundTrips...)
	if err != nil {
		return err
	}
	if r.RTTSamples = all.Count(); r.RTTSamples > 0 {
		r.P50 = all.Quantile(0.5)
		if r.Histogram, err = all.Encode(); err != nil {
			return err
		}
	}
	if r.Open == nil {
		return nil
	}
	for _, h := range []struct {
		texts []string
		to    *string
	}{{service, &r.Open.Service}, {late, &r.Open.Late}} {
		one, err := remote.AddHistograms(h.texts...)
		if err != nil {
			return err
		}
		if one.Count() == 0 {
			continue
		}
		if *h.to, err = one.Encode(); err != nil {
			return err
		}
	}
	if kept := r.Open; kept.Reached < kept.Due*minKeptPercent/100 || kept.Sent < kept.Due*minKeptPercent/100 {
		r.Warnings = append(
			r.Warnings,
			fmt.Sprintf(
				"the rate could not be kept: %s questions a second were asked for, %s were sent; the round trips are those "+
					"of a queue that grows, and depend on how long that went on; ask for less, or in more pairs (streams)",
				perSecond(kept.Due, r.Seconds),
				perSecond(kept.Reached, r.Seconds),
			),
		)
	}
	return nil
}

// minKeptPercent is the percentage of requests from which on a rate counts as kept.
const minKeptPercent = 99

func perSecond(n int64, seconds float64) string { return unit.Significant(float64(n) / seconds) }

// summarizeOpen adds up the open loops of the repeats; without one nothing is filled in.
func summarizeOpen(e *record.Experiment) error {
	e.Open = nil
	var o record.OpenLoop
	var service, late []string
	var due, sent int64
	seconds := 0.0
	for _, r := range e.Repeats {
		if r.Open == nil {
			return nil
		}
		due, sent, seconds = due+r.Open.Due, sent+r.Open.Reached, seconds+r.Seconds
		o.Answered += r.Open.Answered
		service, late = append(service, r.Open.Service), append(late, r.Open.Late)
	}
	if seconds <= 0 {
		return nil
	}
	o.Asked, o.Reached, o.Unanswered = float64(due)/seconds, float64(sent)/seconds, due-o.Answered
	var err error
	if o.Service, err = remote.Distribution(service...); err != nil {
		return err
	}
	if o.Late, err = remote.Distribution(late...); err != nil {
		return err
	}
	e.Open = &o
	return nil
}

// clocks is, for each end, the figures of the repeat in which its clock cost least: disturbances only add to it.
func clocks(repeats []record.Repeat) []record.Clock {
	var out []record.Clock
	for _, r := range repeats {
		for _, c := range r.Clocks {
			i := slices.IndexFunc(out, func(x record.Clock) bool { return x.Host == c.Host })
			switch {
			case i < 0:
				out = append(out, c)
			case c.Cost < out[i].Cost:
				out[i] = c
			}
		}
	}
	return out
}

// pairs is the spread of the medians of several pairs; nil: there is one, or too few round trips.
func pairs(repeats []record.Repeat) *record.Pairs {
	by := map[int][]float64{}
	for _, r := range repeats {
		for _, s := range r.Streams {
			if s.RTTSamples != nil && s.RTTSamples.P50 > 0 {
				by[s.Index] = append(by[s.Index], s.RTTSamples.P50)
			}
		}
	}
	if len(by) < 2 {
		return nil
	}
	var medians []float64
	for _, v := range by {
		m, err := stat.Quantile(v, 0.5)
		if err != nil {
			return nil
		}
		medians = append(medians, m)
	}
	slices.Sort(medians)
	middle, err := stat.Quantile(medians, 0.5)
	if err != nil {
		return nil
	}
	return &record.Pairs{Pairs: len(medians), Low: medians[0], Median: middle, High: medians[len(medians)-1]}
}

// summarizeMTU takes the path's MTU from the repeat that measured it.
func summarizeMTU(e *record.Experiment) {
	e.PathMTU = nil
	for _, r := range e.Repeats {
		if r.PathMTU != nil {
			e.PathMTU = r.PathMTU
		}
	}
}
