package network

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// After nothing got through, the tests of the same path fail at once: all of them where there is no way, those of the
// same transport where nothing was answered. Later they are tried again.
func TestSilentPaths(t *testing.T) {
	of := func(from, to, transport string) *experiment.Combination {
		return &experiment.Combination{Record: &record.Experiment{Name: "first", From: from, To: to, Links: []string{"l"},
			Settings: map[string]string{"transport": transport}}}
	}
	failed := func(code string) error {
		second := &failure.Error{Code: code, Text: "x"}
		return fmt.Errorf("repeat 1: %w", &noWay{neitherDirection("y", second), code})
	}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			err     error
			tcp     bool // a test over TCP is left out
			udp, in bool
		}{
			{failed(failure.CodeTimeout), true, false, true},
			{failed(failure.CodeUnreachable), true, true, true},
			{&failure.Error{Code: failure.CodeTimeout, Text: "one way only"}, false, false, false},
		} {
			p := silentPaths{}
			p.note(of("a", "b", ""), c.err)
			in := of("a", "b", "tcp")
			in.Record.Direction = "in"
			for name, x := range map[string]struct {
				c    *experiment.Combination
				want bool
			}{"tcp": {of("a", "b", "tcp"), c.tcp}, "udp": {of("a", "b", "udp"), c.udp}, "in": {in, c.in},
				"another host": {of("a", "c", "tcp"), false}} {
				why := p.why(x.c)
				if (why != "") != x.want || x.want && !strings.Contains(why, "between a and b in the test first") {
					t.Errorf("%v: %s: %q, left out: want %v", c.err, name, why, x.want)
				}
			}
			time.Sleep(silentFor + time.Second)
			if why := p.why(of("a", "b", "tcp")); why != "" {
				t.Errorf("%v: later still %q", c.err, why)
			}
		}
	})
}
