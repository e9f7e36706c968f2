//go:build !linux

package traffic

import (
	"errors"
	"runtime"
	"time"
)

// pages is memory of n bytes.
func pages(n int) ([]byte, func(), error) { return make([]byte, n), func() {}, nil }

// newPath: sending without copies is Linux's alone here.
func newPath(w way, _ *wire, _ []byte, _ int64) (path, error) {
	return nil, &Error{Code: CodeUnsupported, Subject: w.String(), Text: "not supported on " + runtime.GOOS + "; measure with copies at both ends"}
}

// order: no trial is made here.
func (w *wire) order() (candidate, bool) { return candidate{}, false }

func (w *wire) sendOrder(candidate) {}

// discard is not there.
func (w *wire) discard(int) (int, error) {
	return 0, &Error{Code: CodeUnsupported, Subject: w.peer, Text: "discarding at the receiver is not supported on " + runtime.GOOS + "; measure with copies at both ends"}
}

func (w *wire) lowWater(int) error { return errors.New("SO_RCVLOWAT is not used on " + runtime.GOOS) }

func (w *wire) rest(time.Duration) error { return errors.New("reads do not pause on " + runtime.GOOS) }

func (w *wire) room(int) error { return errors.New("SO_BUF_LOCK is not there on " + runtime.GOOS) }

// gather sends one message several times with one call for all of them.
func (w *wire) gather(p []byte, times int) (int, error) {
	all := make([]byte, 0, len(p)*times)
	for range times {
		all = append(all, p...)
	}
	return w.Write(all)
}

// spin is not there.
func (w *wire) spin([]byte) (int, error) {
	return 0, &Error{Code: CodeUnsupported, Subject: w.peer, Text: "spinning is not supported on " + runtime.GOOS + "; leave it out"}
}
