package run

import (
	"sync"
	"time"

	"linerate/internal/record"
	"linerate/internal/traffic"
)

// collector turns the samples of several ends, each on a clock of its own, into rows on the controller's wall clock.
type collector struct {
	now  int64 // the controller's monotonic clock at wall
	wall time.Time
	each func([]record.Sample) // may be nil
	live *Live                 // may be nil

	mu  sync.Mutex
	all []record.Sample
}

// from is what takes the samples of an end. Its streams are numbered from first on.
func (c *collector) from(e *side, first int) func([]traffic.Sample) {
	offset, source := e.client.Clock().Nanoseconds, c.live.source()
	return func(rows []traffic.Sample) {
		out := make([]record.Sample, len(rows))
		for i, r := range rows {
			out[i] = record.Sample{End: e.host, Stream: r.Stream, Metric: r.Metric, Value: r.Value, Unit: r.Unit,
				TimeNS: c.wall.UnixNano() + r.TimeNS - offset - c.now}
			if r.Stream >= 0 {
				out[i].Stream += first
			}
		}
		c.live.add(source, out)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all = append(c.all, out...)
		if c.each != nil {
			c.each(out)
		}
	}
}
