package network

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// Defaults of an acceptance.
const (
	acceptanceStreams   = "4"
	unknownRateInterval = 5 * time.Minute // of a link with an unknown rate
	// minFilled is the share of a link's rate that the streams are expected to fill at least.
	minFilled = 0.9
)

// Acceptance returns the combinations of an experiment that tests links.
func Acceptance(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	return overPaths(p, e, o, func(c *experiment.Combination) {
		c.Measurement = &acceptance{throughput{newPair(c, method.Throughput)}}
		for key, value := range map[string]string{"direction": traffic.Both, "streams": acceptanceStreams} {
			c.Record.Settings[key] = cmp.Or(c.Record.Settings[key], value)
		}
		if o.Repeats == 0 && e.Repeats == 0 {
			c.Repeats = 1
		}
		c.Samples = 1
		if c.Interval == "" && c.Path.Speed() <= 0 {
			c.Measurement = &unknownRate{acceptance{throughput{newPair(c, method.Throughput)}}}
		}
		if c.Interval == "" {
			c.Interval = strconv.FormatFloat(intervalFor(c.Record.Settings, c.Path.Speed()).Seconds(), 'f', 1, 64) + "s"
		}
	})
}

// acceptance is a Measurement that tests a link under streams in both directions.
type acceptance struct{ throughput }

// unknownRate is an acceptance of a link whose rate is not known, so that it takes longer than it may have to.
type unknownRate struct{ acceptance }

// Hint says what its rate would save; empty: nothing.
func (m *unknownRate) Hint() string {
	for _, speed := range []unit.BitRate{10e9, 25e9, 40e9, 100e9} {
		if d := intervalFor(m.c.Record.Settings, speed); d < unknownRateInterval {
			return fmt.Sprintf("the link's rate is not known, so that it is loaded for %s; with its rate (--link, or speed: in "+
				"a fabric file) it is loaded for %s at %s", unknownRateInterval, d.Round(time.Second), speed)
		}
	}
	return ""
}

// ReadDuring reads the bus and the temperature under load, once, because that takes seconds.
func (m *acceptance) ReadDuring(n int) facts.Level {
	if n != 2 {
		return ""
	}
	return facts.Full
}

func (m *acceptance) Changed(x *record.Experiment) *experiment.Combination {
	c := m.changed(x)
	c.Measurement = &acceptance{throughput{newPair(c, m.engine)}}
	return c
}

// intervalFor is how long a link must be filled in one direction without an error to bound its bit error rate.
func intervalFor(settings map[string]string, speed unit.BitRate) time.Duration {
	if speed <= 0 {
		return unknownRateInterval
	}
	rate, err := strconv.ParseFloat(settings["bit_error_rate"], 64)
	if err != nil || rate <= 0 {
		rate = record.DefaultBitErrorRate
	}
	bits := stat.PoissonUpper(0, record.AcceptanceConfidence) / rate
	return max(10*time.Second, min(24*time.Hour-time.Minute, time.Duration(bits/(float64(speed)*minFilled)*1e9)))
}
