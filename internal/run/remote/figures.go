package remote

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// AddHistograms adds histograms: quantiles cannot be averaged, distributions can be added. Empty texts are skipped.
func AddHistograms(texts ...string) (*traffic.Histogram, error) {
	all := traffic.NewHistogram()
	for _, text := range texts {
		if text == "" {
			continue
		}
		h, err := traffic.DecodeHistogram(text)
		if err != nil {
			return nil, err
		}
		all.Merge(h)
	}
	return all, nil
}

// Distribution is the record of several histograms added together; nil: they are empty.
func Distribution(texts ...string) (*record.Latency, error) {
	h, err := AddHistograms(texts...)
	if err != nil {
		return nil, err
	}
	return h.Latency()
}

// Estimated is the estimate of values, nil for none.
func Estimated(values []float64) (*record.Estimate, error) {
	if len(values) == 0 {
		return nil, nil
	}
	s, err := stat.Summarize(values)
	if err != nil {
		return nil, err
	}
	return &record.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: string(s.Interval), Repeats: s.N}, nil
}

// FlagClocks flags a repeat in which the clock rates of a machine changed in a way that spoils a figure; ends on one
// machine report the same.
func FlagClocks(r *record.Repeat, ends []*End) {
	boots := map[string]bool{}
	for _, e := range ends {
		if boot := e.Client.Hello().BootID; boot != "" && boots[boot] {
			continue
		} else {
			boots[boot] = true
		}
		own := slices.DeleteFunc(slices.Clone(r.CPU), func(c record.CPU) bool { return c.Host != e.Host })
		for _, text := range clockNoise(own) {
			r.Noisy = true
			r.Warnings = append(r.Warnings, e.Host+": "+text)
		}
	}
}

const (
	// minBusyShare is the busy share of an interval from which on a core's clock rate matters.
	minBusyShare = 0.5
	// maxClockChange is the maximum change of the clock rate of a core in use between the interval's edges, as a share.
	maxClockChange = 0.1
	// minClockShare is the share of its base rate below which a core in use is slow.
	minClockShare = 0.8
)

// clockNoise describes changes of the clock rates of cores in use that spoil a figure: throttling by heat, a rate that
// changed in the interval, one far below the rated one.
func clockNoise(rows []record.CPU) (noise []string) {
	hot, times := 0, int64(0)
	var changed, low []string
	for _, c := range rows {
		if c.Core < 0 {
			continue
		}
		if c.Throttled != nil && *c.Throttled > 0 {
			hot, times = hot+1, times+*c.Throttled
		}
		if c.Hz == nil || c.HzBefore == nil || c.Busy() < minBusyShare {
			continue
		}
		a, b := *c.HzBefore, *c.Hz
		switch {
		case max(a, b) > 0 && (max(a, b)-min(a, b))/max(a, b) > maxClockChange:
			changed = append(changed, fmt.Sprintf("core %d from %s to %s", c.Core, hertz(a), hertz(b)))
		case c.BaseHz != nil && b < minClockShare**c.BaseHz:
			low = append(low, fmt.Sprintf("core %d at %s of %s", c.Core, hertz(b), hertz(*c.BaseHz)))
		}
	}
	if hot > 0 {
		cores := "cores"
		if hot == 1 {
			cores = "core"
		}
		noise = append(noise,
			fmt.Sprintf("heat slowed %d %s down (throttled %d times); look at cooling and power limits", hot, cores, times))
	}
	if len(changed) > 0 {
		noise = append(noise,
			"the clock changed in the interval: "+Few(changed, 3)+"; fix it (cpupower frequency-set -g performance)")
	}
	if len(low) > 0 {
		noise = append(
			noise,
			"the clock is low: "+Few(low,
				3)+"; look at the governor and at power limits (cpupower frequency-set -g performance)",
		)
	}
	return noise
}

func hertz(v float64) string { return fmt.Sprintf("%.2f GHz", v/1e9) }

// Few joins at most so many of a list, and how many more there are.
func Few(all []string, limit int) string {
	if len(all) <= limit {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:limit], ", "), len(all)-limit)
}
