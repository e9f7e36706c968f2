package remote

import (
	"fmt"
	"sync"
	"time"

	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Collector converts the samples of several ends, each on its own clock, to rows on the controller's wall clock.
type Collector struct {
	Now  int64 // the controller's monotonic clock at wall
	Wall time.Time
	Each func([]record.Sample) // may be nil
	Live *Live                 // may be nil

	mu  sync.Mutex
	All []record.Sample
}

// From returns the receiver of an end's samples. Its streams are numbered from first on.
func (c *Collector) From(e *End, first int) func([]traffic.Sample) {
	offset, source := e.Client.Clock().Nanoseconds, c.Live.source()
	return func(rows []traffic.Sample) {
		out := make([]record.Sample, len(rows))
		for i, r := range rows {
			out[i] = record.Sample{End: e.Host, Stream: r.Stream, Metric: r.Metric, Value: r.Value, Unit: r.Unit,
				TimeNS: c.Wall.UnixNano() + r.TimeNS - offset - c.Now}
			if r.Stream >= 0 {
				out[i].Stream += first
			}
		}
		c.Live.add(source, out)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.All = append(c.All, out...)
		if c.Each != nil {
			c.Each(out)
		}
	}
}

// OtherWorkLimit is the number of cores that other work may use before a figure is flagged. With both ends on one
// machine the controller, which takes snapshots meanwhile, is other work, too.
const (
	OtherWorkLimit         = 0.1
	otherWorkLimitTogether = 0.2
)

// FlagOtherWork adds the cores that other work used on a machine, and flags the repeat if that is above limit.
func FlagOtherWork(r *record.Repeat, cores, limit float64) {
	r.OtherProcesses += cores
	if cores > limit {
		r.Noisy = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("other work kept %.2f cores busy", cores))
	}
}

// FlagSteal adds up the steal time of these hosts, each a machine of its own, and flags the repeat if it matters.
func FlagSteal(r *record.Repeat, hosts ...string) {
	for _, c := range r.CPU {
		for _, h := range hosts {
			if c.Host == h && c.Core >= 0 {
				r.Steal += c.Steal
			}
		}
	}
	if r.Steal > OtherWorkLimit {
		r.Noisy = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("the hypervisor gave %.2f cores to others (steal)", r.Steal))
	}
}
