package explain

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// afterBurst is the share of the first rate below which writes have fallen; evenRate is how far slices of either part may lie apart, as a share of their mean.
	afterBurst, evenRate = 0.6, 0.5
	// leastPart is how many slices each part has at least.
	leastPart = 2
)

// burstCache: writes are fast until a cache in front of the medium is full (flash written with one bit a cell, the memory of a controller, a burst that a service grants), then as slow as the medium.
// That the drive was busy, and that it was its own writes, is the second piece of evidence: the system's page cache falls off in the same way when the kernel holds writers back.
var burstCache = storageCause{
	ID: "burst-cache", Title: "a cache in front of the medium that fills up",
	Test: func(c *storageCase) *Match {
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
			m := &Match{Strength: Candidate, Component: "a cache in front of the medium", NextCeiling: then + " is what the medium takes",
				Sentence: fmt.Sprintf("%s wrote %s for %s, %v in all, and %s from then on: a cache in front of the medium was full; the mean, %s, is the figure of neither.", c.what, first, unit.Seconds(at), knee, then, c.rate),
				Evidence: []record.Evidence{{Source: "series", Counter: "bytes a second", Before: ptr(fast / 8), After: ptr(slow / 8), Unit: "B/s", Text: fmt.Sprintf("%s until %s (%v), then %s", first, unit.Seconds(at), knee, then)}},
				Fix:      "measure longer than the cache lasts (--warmup, or --time and the last part alone); drives whose sustained rate is the one that is needed"}
			for _, h := range c.b.Hosts {
				for _, d := range h.Drives {
					if d.Busy >= busyDrive && float64(d.WrittenBytes) >= 0.9*float64(c.b.Write.Bytes) && m.Strength < Likely {
						m.Strength, m.Component = Likely, d.Name+" of "+h.Host+": a cache in front of its medium"
						m.Evidence = append(m.Evidence, record.Evidence{Host: h.Host, Source: "/proc/diskstats", Counter: "io_ticks of " + d.Name, After: ptr(d.Busy), Unit: "share of the time", Text: fmt.Sprintf("%s had a request under way %s of the time, and all that was written came to it", d.Name, unit.Percent(d.Busy))})
					}
				}
			}
			return m
		}
		return nil
	},
}

// fallsOff finds the one step down of a series: the slices before it and both means. k is 0: there is none.
func fallsOff(series []float64) (k int, fast, slow float64) {
	if n := len(series); n > 0 {
		series = series[:n-1] // the last slice may be a part of one
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
	// The slice with the knee in it is of neither part.
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
