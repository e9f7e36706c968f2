package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

const (
	// leadFirst is what a start has beyond what was measured of the way to the agents, once one came late; each further time twice that.
	leadFirst = time.Second
	// lateTries is how often a start is sent again.
	lateTries = 2
)

// punctual calls f again, with more time for the start to arrive, where an agent's start came after the beginning of its window: a host that was busy for a
// moment says nothing of the network. What was needed once is kept for all that follows. f's error is what was measured, or why it was not.
func (s *session) punctual(ctx context.Context, f func(lead time.Duration) error) error {
	return inTime(ctx, &s.lead, func(why error) {
		s.warn(fmt.Sprintf("%v; it is measured again, and starts are sent %s earlier from here on", why, unit.Seconds(s.lead.Seconds())))
	}, f)
}

// inTime is punctual for a lead of the caller's own, who is told why f is called again.
func inTime(ctx context.Context, lead *time.Duration, again func(why error), f func(lead time.Duration) error) error {
	for try := 0; ; try++ {
		err := f(*lead)
		var e *traffic.Error
		if !errors.As(err, &e) || e.Code != traffic.CodeLate || try == lateTries || ctx.Err() != nil {
			return err
		}
		*lead = max(leadFirst, 2**lead)
		again(err)
	}
}
