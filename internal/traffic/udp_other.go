//go:build !linux

package traffic

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

// udpWire is one connected UDP socket, through package net.
type udpWire struct {
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

// newUDPWire takes the socket over; c must not be used afterwards.
func newUDPWire(c *net.UDPConn, s Setup, index int, token string) (*udpWire, error) {
	for _, want := range []string{s.UDP.Send, s.UDP.Receive} {
		if want != "" && want != UDPPlain {
			c.Close()
			return nil, &Error{Code: CodeUnsupported, Subject: "udp", Text: want + " is not supported on " + runtime.GOOS + "; leave the choice to linerate"}
		}
	}
	if s.Tuning.Spin {
		c.Close()
		return nil, &Error{Code: CodeUnsupported, Subject: "spin", Text: "spinning over UDP is not supported on " + runtime.GOOS}
	}
	s.mark(c)
	_ = c.SetReadBuffer(4 << 20) // as much as the system allows
	return &udpWire{conn: c, peer: fmt.Sprintf("%s -> %s (UDP)", s.Local, s.Remote), index: index, tag: tagOf(token), size: int(s.udpSize()),
		sendMode: UDPPlain, receiveMode: UDPPlain, perCall: 1, in: make([]byte, largestDatagram)}, nil
}

// send hands n datagrams over that stand one behind the other in b, and returns how many the system took.
func (w *udpWire) send(b []byte, n int) (int, error) {
	for i := range n {
		if _, err := w.one(b[i*w.size : (i+1)*w.size]); err != nil {
			return i, err
		}
	}
	return n, nil
}

// one sends one datagram. A full queue of the system (FreeBSD and macOS say so) is waited for.
func (w *udpWire) one(b []byte) (int, error) {
	for {
		n, err := w.conn.Write(b)
		if !noBufferSpace(err) || w.isEnded() {
			return n, err
		}
		time.Sleep(50 * time.Microsecond)
	}
}

// receive waits for a datagram and hands it to f, with the time at which the call returned.
func (w *udpWire) receive(f func(b []byte, now int64)) (n int, now int64, err error) {
	size, err := w.conn.Read(w.in)
	if err != nil {
		return 0, 0, err
	}
	now = Now()
	f(w.in[:size], now)
	return 1, now, nil
}

// rest is not known here: the socket does not say what it holds.
func (w *udpWire) rest(func(b []byte, now int64)) (buffers int, err error) { return 0, nil }

// exchangeTimeout makes reads return after a time, with errNoAnswer.
func (w *udpWire) exchangeTimeout(ns int64) error {
	w.timeout = ns
	return nil
}

// read takes one datagram.
func (w *udpWire) read(b []byte) (int, error) {
	w.mu.Lock()
	if !w.ended && w.timeout > 0 {
		_ = w.conn.SetReadDeadline(time.Now().Add(time.Duration(w.timeout)))
	}
	w.mu.Unlock()
	n, err := w.conn.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if w.isEnded() {
			return 0, errEnded
		}
		return 0, errNoAnswer
	}
	return n, err
}

// interrupt makes calls that sleep return, now and later.
func (w *udpWire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	_ = w.conn.SetDeadline(time.Unix(1, 0))
}

func (w *udpWire) isEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func (w *udpWire) close() { w.conn.Close() }

// held is not known here.
func (w *udpWire) held() int64 { return -1 }

// dropped is not known here.
func (w *udpWire) dropped() (drops *int64, buffer int64) { return nil, 0 }
