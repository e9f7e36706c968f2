//go:build !linux && !windows

package block

import (
	"context"

	"linerate/internal/traffic"
)

// way is how the workers get to the target; without queue they make calls that return when they are done.
type way struct {
	name  string
	queue func(ctx context.Context, w *worker, memory []byte) (q Queue, says string, err error)
}

// chooseWay is the way that was asked for, or the best that works here, and why it is that one.
func chooseWay(j Job, t *target) (way, string, error) {
	switch {
	case t.volume != nil:
		return remoteWay(j, t)
	case j.Way == "":
		return way{name: WayThreads}, "io_uring is Linux's, completion ports are Windows'", nil
	case j.Way == WayThreads:
		return way{name: WayThreads}, "asked for", nil
	}
	return way{}, "", &traffic.Error{Code: traffic.CodeUnsupported, Subject: "way " + j.Way, Text: "this system does not have it; take threads"}
}
