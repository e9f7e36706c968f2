package experiment

import (
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Intervals and the time around them. Accuracy is claimed for intervals of 10 s.
const (
	// DefaultInterval is the default of a repeat.
	DefaultInterval = 5 * time.Second
	MinInterval     = 800 * time.Millisecond
	Warmup          = 300 * time.Millisecond
	// Overhead is the time of a repeat beyond its warm-up and interval: connections, snapshots, the agents' answers. It
	// only serves to estimate the time left.
	Overhead = 250 * time.Millisecond
)

// warmupEach is the additional warm-up of every stream: hundreds of them take a while to start, and to share the link.
const warmupEach = time.Millisecond

// WarmupOf returns the warm-up of a number of streams.
func WarmupOf(streams int) time.Duration {
	return Warmup + time.Duration(streams-1)*warmupEach
}

// AmountLimit is the default time limit of an amount or a command.
const AmountLimit = 10 * time.Minute

// Asked is the configured interval of a combination, or the limit of its amount. A text that is not a duration was
// refused when the file was read.
func (c *Combination) Asked() time.Duration {
	if d, err := unit.ParseDuration(c.Interval); err == nil && d > 0 {
		return d
	}
	if c.OpenEnded() {
		return AmountLimit
	}
	return DefaultInterval
}

// Amount is the number of bytes that a combination transfers, for one without a duration; 0: none.
func (c *Combination) Amount() unit.Bytes {
	n, err := unit.ParseBytes(c.Record.Settings["amount"])
	if err != nil {
		return 0
	}
	return n
}

// Expected is the expected duration of the next repeat of an open-ended combination: that of the previous one, else the
// guess of its method; 0: not known.
func (c *Combination) Expected(scale float64) time.Duration {
	if n := len(c.Record.Repeats); n > 0 {
		return time.Duration(c.Record.Repeats[n-1].Seconds * 1e9)
	}
	return c.Guess(scale)
}

// AmountTakes is the duration of an amount over paths, limited by their slowest link or pace, the rate of all streams;
// 0: neither is known.
func (c *Combination) AmountTakes(scale float64, paths []plan.Path, pace float64) time.Duration {
	rate := pace
	for _, p := range paths {
		if v := float64(p.Speed()) * scale; v > 0 && (rate == 0 || v < rate) {
			rate = v
		}
	}
	if rate <= 0 {
		return 0
	}
	return min(c.Asked(), time.Duration(float64(c.Amount())*8/rate*1e9))
}

// Takes is the duration of a repeat with an interval.
func (c *Combination) Takes(interval time.Duration) time.Duration {
	return interval + Warmup + Overhead + c.Extra(interval)
}

// Pace is the configured rate of all streams of a combination together; 0: unlimited.
func (c *Combination) Pace() float64 {
	p, err := unit.ParseBitRate(c.Record.Settings["pace"])
	if err != nil {
		return 0
	}
	return float64(p) * float64(c.Streams())
}

// Streams is the number of connections in each direction.
func (c *Combination) Streams() int {
	if n, err := strconv.Atoi(c.Record.Settings["streams"]); err == nil && n > 0 {
		return n
	}
	return 1
}

// LengthInEffect records the duration of the last repeat, or how much it transferred.
func (c *Combination) LengthInEffect(last record.Repeat) {
	if c.Amount() > 0 {
		c.AmountInEffect(last)
		return
	}
	c.Record.InEffect["window"] = unit.Seconds(last.Seconds)
}

// AmountInEffect records how much the last repeat transferred, and how long repeats took.
func (c *Combination) AmountInEffect(last record.Repeat) {
	c.Record.InEffect["amount"], c.Record.InEffect["seconds"] = unit.Bytes(last.Bytes).
		String(),
		unit.Seconds(c.Record.Seconds.Median)
}

// TransportInEffect records the protocol of storage or of a copy, which in a lab may be another than was asked for.
func (c *Combination) TransportInEffect() {
	if t := c.Record.Transport(); t != "" && t != "path" {
		c.Record.InEffect["transport"] = t
	}
}
