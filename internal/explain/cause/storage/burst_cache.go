package storage

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

const (
	// afterBurst is the share of the first rate below which writes have dropped. evenRate is the allowed spread of the
	// slices of either part, as a share of their mean.
	afterBurst, evenRate = 0.6, 0.5
	// leastPart is the smallest number of slices of either part.
	leastPart = 2
)

// burstCache is the cause where writes are fast until a cache of the drive is full (flash written in SLC mode, a
// controller's memory, a burst that a service grants), and then as slow as the drive itself. The second piece of
// evidence is that the drive was busy with these writes: with the system's page cache the rate drops in the same way
// when the kernel throttles writers.
var burstCache = Cause{
	ID: "burst-cache", Title: "a cache in front of the medium that fills up",
	Plain: "The drive has a small fast part in front, which was full after a while. From then on it is as slow as the " +
		"rest of it.",
	Test: func(c *Case) *judge.Match {
		if c.b.Write == nil || c.b.Read != nil && c.b.Read.Bytes > c.b.Write.Bytes {
			return nil
		}
		for _, r := range c.e.Repeats {
			k, fast, slow := fallsOff(r.SeriesOut)
			if k == 0 || r.Slice <= 0 {
				continue
			}
			at := float64(k) * r.Slice
			first, then := unit.BytesPerSecond(fast/8), unit.BytesPerSecond(slow/8)
			knee := unit.Bytes(fast / 8 * at)
			m := &judge.Match{Strength: judge.Candidate, Component: "a cache in front of the medium",
				NextCeiling: then + " is what the medium takes",
				Sentence: fmt.Sprintf("%s wrote %s for %s, %v in all, and %s from then on: a cache in front of the medium "+
					"was full; the mean, %s, is the figure of neither.", c.what, first, unit.Seconds(at), knee, then, c.rate),
				Evidence: []record.Evidence{{Source: "series", Counter: "bytes a second", Before: new(fast / 8),
					After: new(slow / 8), Unit: "B/s", Text: fmt.Sprintf("%s until %s (%v), then %s", first, unit.Seconds(at), knee,
						then)}},
				Fix: "measure longer than the cache lasts (--warmup, or --time and the last part alone); drives whose sustained " +
					"rate is the one that is needed"}
			for _, h := range c.b.Hosts {
				for _, d := range h.Drives {
					if d.Busy >= BusyDrive && float64(d.WrittenBytes) >= 0.9*float64(c.b.Write.Bytes) && m.Strength < judge.Likely {
						m.Strength, m.Component = judge.Likely, d.Name+" of "+h.Host+": a cache in front of its medium"
						m.Add(judge.Reading(h.Host, "/proc/diskstats", "io_ticks of "+d.Name, d.Busy, "share of the time",
							"%s had a request under way %s of the time, and all that was written came to it", d.Name, unit.Percent(d.Busy)))
					}
				}
			}
			return m
		}
		return nil
	},
}

// fallsOff finds the single step down of a series. It returns the number of slices before it and both means; k is 0 if
// there is none.
func fallsOff(series []float64) (k int, fast, slow float64) {
	if n := len(series); n > 0 {
		series = series[:n-1] // the last slice may be incomplete
	}
	most := 0.0
	for i := leastPart; i+leastPart <= len(series); i++ {
		a, b := mean(series[:i]), mean(series[i:])
		if b > 0 && a-b > most {
			most, k, fast, slow = a-b, i, a, b
		}
	}
	if k == 0 {
		return 0, 0, 0
	}
	// The slice with the step belongs to neither part.
	before, after := series[:max(k-1, leastPart)], series[min(k+1, len(series)-leastPart):]
	if fast, slow = mean(before), mean(after); slow > afterBurst*fast {
		return 0, 0, 0
	}
	for _, part := range [][]float64{before, after} {
		if slices.Max(part)-slices.Min(part) > evenRate*mean(part) {
			return 0, 0, 0
		}
	}
	return k, fast, slow
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}
