package network

import (
	"testing"
	"time"

	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

// A repeat whose interval contains warm-up causes a warning, and is recorded unchanged.
func TestSteadyWarns(t *testing.T) {
	r := record.Repeat{Slice: 0.1, SeriesOut: []float64{1, 1, 9, 9, 9.1, 9, 8.9, 9, 9, 9},
		SeriesIn: []float64{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}
	steady(&r)
	if len(r.Warnings) != 1 || len(r.SeriesOut) != 10 {
		t.Errorf("%q", r.Warnings)
	}
}

// Agents report a start that comes too late, as from a host that was stopped for a moment.
func TestStartThatIsLate(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	spec := loopback("throughput", traffic.Out, 1)
	lead, warnings := -5*time.Second, 0
	tries := 0
	err := remote.InTime(t.Context(), &lead, func(error) { warnings++ }, func(lead time.Duration) error {
		tries++
		spec.Lead = lead
		_, _, err := Repeat(t.Context(), from, to, spec, nil)
		return err
	})
	if err != nil || tries < 2 || lead < time.Second || warnings != tries-1 {
		t.Errorf("%d tries, then a lead of %v, %d warnings: %v", tries, lead, warnings, err)
	}
}
