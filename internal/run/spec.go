package run

import (
	"fmt"
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// maxStreams is what one experiment may ask for; the agents hold to it too.
const maxStreams = 1024

const (
	// DefaultSamples is how often in a second both ends are sampled if nobody says.
	DefaultSamples = 10
	// MostSamples is the most that an agent allows.
	MostSamples = 100
)

// spec turns the settings of a cell into what both agents are asked for.
func (c *Cell) spec(window time.Duration) (Spec, error) {
	s := Spec{Method: wire(c.Exp.Method), Direction: c.Exp.Direction, Streams: 1, Warmup: warmup, Window: window, Seed: 1, Samples: c.Samples,
		FromHost: c.Path.From, ToHost: c.Path.To, FromAddr: c.Path.FromPort.Address.Addr(), ToAddr: c.Path.ToPort.Address.Addr()}
	if text := c.Exp.Settings["streams"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxStreams {
			return s, fmt.Errorf("streams: %s is not a number from 1 to %d", text, maxStreams)
		}
		s.Streams = n
	}
	s.Warmup = warmupOf(s.connections())
	if text := c.Exp.Settings["size"]; text != "" {
		n, err := unit.ParseBytes(text)
		if err != nil {
			return s, fmt.Errorf("size: %w", err)
		}
		s.Size = n
	}
	if text := c.Exp.Settings["pace"]; text != "" {
		r, err := unit.ParseBitRate(text)
		if err != nil {
			return s, fmt.Errorf("pace: %w", err)
		}
		s.Pace = r
	}
	if text := c.Exp.Settings["every"]; text != "" {
		d, err := unit.ParseDuration(text)
		if err != nil {
			return s, fmt.Errorf("every: %w", err)
		}
		s.Every = d
	}
	var err error
	if s.Load, err = loadOf(c.Exp.Settings); err != nil {
		return s, err
	}
	s.PaceBy, s.Source = c.Exp.Settings["pace_by"], c.Exp.Settings["source"]
	if err := s.tune(c.Exp.Settings); err != nil {
		return s, err
	}
	if err := c.verbs(&s); err != nil {
		return s, err
	}
	s.Amount = c.amount()
	if s.Amount > 0 {
		s.Warmup = 0 // every byte counts
	}
	if s.Amount > 0 || s.Source != "" {
		s.Tuning.Trial = false
		if s.Tuning.Placement == traffic.PlaceAuto {
			s.Tuning.Placement = traffic.PlaceOff // the trial would have chosen it
		}
	}
	return s, nil
}

// connections is how many streams there are in all directions.
func (s Spec) connections() int {
	return connections(traffic.Setup{Direction: s.Direction, Streams: s.Streams})
}
