//go:build !linux

package tcp

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// Wire is one data connection through package net, which on Windows means overlapped calls at a completion port.
type Wire struct {
	conn    connection
	peer    string
	mu      sync.Mutex
	closed  bool
	drained bool
}

// newWire takes the connection over; c must not be used afterwards.
func newWire(c *net.TCPConn, subject string) (*Wire, error) {
	return &Wire{conn: c, peer: subject}, nil
}

func (w *Wire) Read(p []byte) (int, error) {
	n, err := w.conn.Read(p)
	return n, endOf(w.peer, err)
}

func (w *Wire) Write(p []byte) (int, error) {
	n, err := w.conn.Write(p)
	return n, endOf(w.peer, err)
}

// Hold does nothing: package net's poller wakes these calls.
func (w *Wire) Hold() {}

// slept reports true: any write may have slept.
func (w *Wire) slept() bool { return true }

// CloseWrite ends this direction of the connection.
func (w *Wire) CloseWrite() error { return w.conn.CloseWrite() }

// Interrupt makes calls that sleep return, now and later.
func (w *Wire) Interrupt() { _ = w.conn.SetDeadline(time.Unix(1, 0)) }

// Close closes the socket. Without drained, what is still in its buffer is thrown away, so that it cannot disturb what
// is measured next.
func (w *Wire) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	if !w.drained {
		_ = w.conn.SetLinger(0)
	}
	w.conn.Close()
}

// Arrival is unknown on this system.
func (w *Wire) Arrival() traffic.Arrival { return traffic.Arrival{} }

// held is unknown on this system.
func (w *Wire) held() int64 { return -1 }

func (w *Wire) Reading() (*traffic.Reading, error) {
	return nil, errors.New("the kernel's view of a socket is not read on " + runtime.GOOS)
}

// endOf keeps the end of a stream as it is and explains every other error.
func endOf(subject string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failure.Of(subject, err)
}

// Option needs Linux.
func (w *Wire) Option(int, int, []byte) (int, error) {
	return 0, errors.New("options of a socket are not read on " + runtime.GOOS)
}

func (w *Wire) Ask([]byte, bool) (*traffic.Reading, error) { return w.Reading() }

func (w *Wire) pace(unit.BitRate) error {
	return errors.New("the kernel's pacing is not used on " + runtime.GOOS)
}

const openNonblock = 0

func fileSystem(*os.File) string { return "" }

func blockDevice(*os.File) string { return "" }

func newSourcePath(*task) (path, error) {
	return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "source",
		Text: "handing a file over without copies is not supported on " + runtime.GOOS + "; measure with copies at both ends"}
}

// pages is memory of n bytes.
func pages(n int) ([]byte, func(), error) { return make([]byte, n), func() {}, nil }

// newPath fails: sending without copies needs Linux.
func newPath(w way, _ *Wire, _ []byte, _ int64) (path, error) {
	return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: w.String(),
		Text: "not supported on " + runtime.GOOS + "; measure with copies at both ends"}
}

// order returns nothing: a trial needs Linux.
func (w *Wire) order() (candidate, bool) { return candidate{}, false }

func (w *Wire) sendOrder(candidate) {}

// discard needs Linux.
func (w *Wire) discard(int) (int, error) {
	return 0, &failure.Error{Code: failure.CodeUnsupported, Subject: w.peer,
		Text: "discarding at the receiver is not supported on " + runtime.GOOS + "; measure with copies at both ends"}
}

func (w *Wire) lowWater(int) error { return errors.New("SO_RCVLOWAT is not used on " + runtime.GOOS) }

func (w *Wire) rest(time.Duration) error { return errors.New("reads do not pause on " + runtime.GOOS) }

func (w *Wire) room(int) error { return errors.New("SO_BUF_LOCK is not there on " + runtime.GOOS) }

// gather sends one message several times with one call for all of them.
func (w *Wire) gather(p []byte, times int) (int, error) {
	all := make([]byte, 0, len(p)*times)
	for range times {
		all = append(all, p...)
	}
	return w.Write(all)
}

// Spin needs Linux.
func (w *Wire) Spin([]byte) (int, error) {
	return 0, &failure.Error{Code: failure.CodeUnsupported, Subject: w.peer,
		Text: "spinning is not supported on " + runtime.GOOS + "; leave it out"}
}
