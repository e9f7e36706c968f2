//go:build !linux

package udp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// wire is one connected UDP socket, through package net.
type wire struct {
	conn        net.Conn
	peer        string
	index       int
	tag         uint32
	size        int // of a message
	sendMode    string
	receiveMode string
	perCall     int
	in          []byte
	timeout     int64
	mu          sync.Mutex
	ended       bool
}

// newWire takes the socket over; c must not be used afterwards.
func newWire(c *net.UDPConn, s options, index int, token string) (*wire, error) {
	for _, want := range []string{s.UDP.Send, s.UDP.Receive} {
		if want != "" && want != traffic.UDPPlain {
			c.Close()
			return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "udp",
				Text: want + " is not supported on " + runtime.GOOS + "; leave the choice to linerate"}
		}
	}
	if s.Tuning.Spin {
		c.Close()
		return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "spin",
			Text: "spinning over UDP is not supported on " + runtime.GOOS}
	}
	s.Mark(c)
	_ = c.SetReadBuffer(4 << 20) // as much as the system allows
	return &wire{conn: c, peer: fmt.Sprintf("%s -> %s (UDP)", s.Local, s.Remote), index: index,
		tag: traffic.TagOf(token), size: int(s.size),
		sendMode: traffic.UDPPlain, receiveMode: traffic.UDPPlain, perCall: 1, in: make([]byte, traffic.LargestDatagram)}, nil
}

// newWireOver makes a wire over a connection that is not a socket, for simulations.
func newWireOver(c net.Conn, s options, index int) *wire {
	return &wire{conn: c, peer: "simulated", index: index, tag: traffic.TagOf("token"), size: int(s.size),
		sendMode: traffic.UDPPlain, receiveMode: traffic.UDPPlain, perCall: 1, in: make([]byte, traffic.LargestDatagram)}
}

// send sends n datagrams that follow one another in b, and returns how many the system took.
func (w *wire) send(b []byte, n int) (int, error) {
	for i := range n {
		if _, err := w.One(b[i*w.size : (i+1)*w.size]); err != nil {
			return i, err
		}
	}
	return n, nil
}

// One sends one datagram. It waits while the queue of the system is full (FreeBSD and macOS report that).
func (w *wire) One(b []byte) (int, error) {
	for {
		n, err := w.conn.Write(b)
		if !noBufferSpace(err) || w.IsEnded() {
			return n, err
		}
		time.Sleep(50 * time.Microsecond)
	}
}

// receive waits for a datagram and passes it to f, with the time at which the call returned.
func (w *wire) receive(f func(b []byte, now int64)) (n int, now int64, err error) {
	size, err := w.conn.Read(w.in)
	if err != nil {
		return 0, 0, err
	}
	now = traffic.Now()
	f(w.in[:size], now)
	return 1, now, nil
}

// rest is unknown: the socket does not report what it holds.
func (w *wire) rest(func(b []byte, now int64)) (buffers int, err error) { return 0, nil }

// exchangeTimeout makes reads return after a time, with errNoAnswer.
func (w *wire) exchangeTimeout(ns int64) error {
	w.timeout = ns
	return nil
}

// Read takes one datagram.
func (w *wire) Read(b []byte) (int, error) {
	w.mu.Lock()
	if !w.ended && w.timeout > 0 {
		_ = w.conn.SetReadDeadline(time.Now().Add(time.Duration(w.timeout)))
	}
	w.mu.Unlock()
	n, err := w.conn.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if w.IsEnded() {
			return 0, traffic.ErrEnded
		}
		return 0, traffic.ErrNoAnswer
	}
	return n, err
}

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	_ = w.conn.SetDeadline(time.Unix(1, 0))
}

func (w *wire) IsEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func (w *wire) Close() { w.conn.Close() }

// held is unknown on this system.
func (w *wire) held() int64 { return -1 }

// dropped is unknown on this system.
func (w *wire) dropped() (drops *int64, buffer int64) { return nil, 0 }

// evenly fails: the kernel of this system does not space datagrams.
func (w *wire) evenly(options) (by string, err error) {
	return "", errors.New("the kernel's pacing is not used on " + runtime.GOOS)
}

// noBufferSpace reports whether the interface's queue is full. 10055 is Windows' WSAENOBUFS.
func noBufferSpace(err error) bool {
	return errors.Is(err, syscall.ENOBUFS) || runtime.GOOS == "windows" && errors.Is(err, syscall.Errno(10055))
}
