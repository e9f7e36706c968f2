package run

import (
	"linerate/measure"
	"linerate/result"
)

// curveQuantiles are the points of a percentile curve: evenly spread on the
// logarithmic axis of 1 - q that shows the tail.
var curveQuantiles = []float64{0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9975, 0.999, 0.9995, 0.9999, 0.99999, 1}

// summarizeLatency merges the histograms of all repeats: quantiles cannot be
// averaged, distributions can be added.
func summarizeLatency(e *result.Experiment) error {
	all := measure.NewHistogram()
	for _, r := range e.Repeats {
		if r.Histogram == "" {
			continue
		}
		h, err := measure.DecodeHistogram(r.Histogram)
		if err != nil {
			return err
		}
		all.Merge(h)
	}
	e.CPU = processors(e.Repeats)
	if all.Count() == 0 {
		return nil
	}
	text, err := all.Encode()
	if err != nil {
		return err
	}
	l := &result.Latency{P50: all.Quantile(0.5), P99: all.Quantile(0.99), P999: all.Quantile(0.999), P9999: all.Quantile(0.9999),
		Max: all.Max(), Count: all.Count(), Histogram: text}
	for _, q := range curveQuantiles {
		// A quantile beyond what the number of trips can tell is left out.
		if q < 1 && q > 0.5 && (1-q)*float64(all.Count()) < 1 {
			continue
		}
		l.Curve = append(l.Curve, result.Quantile{Q: q, Seconds: all.Quantile(q)})
	}
	e.Latency = l
	return nil
}
