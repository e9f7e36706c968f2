//go:build !linux && !windows

package block

import (
	"linerate/internal/base/failure"
)

// chooseWay returns the configured engine, or the best that works on this system, and the reason.
func chooseWay(j Job, t *target) (way, string, error) {
	switch {
	case t.volume != nil:
		return remoteWay(j, t)
	case j.Way == "":
		return way{name: WayThreads}, "io_uring is Linux's, completion ports are Windows'", nil
	case j.Way == WayThreads:
		return way{name: WayThreads}, "asked for", nil
	}
	return way{}, "", &failure.Error{Code: failure.CodeUnsupported, Subject: "way " + j.Way,
		Text: "this system does not have it; take threads"}
}
