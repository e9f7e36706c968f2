package remote

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/traffic"
)

// An interval is read at its times; a reading that would begin late, because those before it took long, is left out.
func TestDuringInterval(t *testing.T) {
	for name, c := range map[string]struct {
		interval, takes time.Duration
		want            []time.Duration // since the interval opened
	}{
		"several": {8 * time.Second, 10 * time.Millisecond,
			[]time.Duration{time.Second, 4 * time.Second, 6500 * time.Millisecond}},
		"short":       {400 * time.Millisecond, 10 * time.Millisecond, []time.Duration{200 * time.Millisecond}},
		"slow":        {8 * time.Second, 3500 * time.Millisecond, []time.Duration{time.Second, 4500 * time.Millisecond}},
		"very slow":   {8 * time.Second, 6200 * time.Millisecond, []time.Duration{time.Second, 7200 * time.Millisecond}},
		"longer than": {8 * time.Second, time.Minute, []time.Duration{time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := time.Now().Add(time.Second)
				var got []time.Duration
				DuringInterval(t.Context(), traffic.Now()+int64(time.Second), c.interval, func() {
					got = append(got, time.Since(open))
					time.Sleep(c.takes)
				})
				if !slices.Equal(got, c.want) {
					t.Errorf("looks at %v, want %v", got, c.want)
				}
			})
		})
	}
}
