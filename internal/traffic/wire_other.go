//go:build !linux

package traffic

import (
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// wire is one data connection, through package net, which on Windows means overlapped calls at a completion port.
type wire struct {
	conn    connection
	peer    string
	mu      sync.Mutex
	closed  bool
	drained bool
}

// newWire takes the connection over; c must not be used afterwards.
func newWire(c *net.TCPConn, subject string) (*wire, error) {
	return &wire{conn: c, peer: subject}, nil
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.conn.Read(p)
	return n, endOf(w.peer, err)
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.conn.Write(p)
	return n, endOf(w.peer, err)
}

// hold is not needed: package net's poller wakes these calls.
func (w *wire) hold() {}

// slept: any write may have.
func (w *wire) slept() bool { return true }

// closeWrite tells the other end that nothing more comes.
func (w *wire) closeWrite() error { return w.conn.CloseWrite() }

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() { _ = w.conn.SetDeadline(time.Unix(1, 0)) }

// close closes the socket. Without drained, what is still in its buffer is thrown away, so that it cannot disturb what
// is measured next.
func (w *wire) close() {
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

// arrival is not known here.
func (w *wire) arrival() arrival { return arrival{} }

// held is not known here.
func (w *wire) held() int64 { return -1 }

func (w *wire) reading() (*reading, error) {
	return nil, errors.New("the kernel's view of a socket is not read on " + runtime.GOOS)
}

// reserve has nothing to do: sockets that wait hold no thread.
func reserve(int) (release func()) { return func() {} }

// bindDevice is what a socket's control function does to bind it to an interface.
func bindDevice(name string) func(string, string, syscall.RawConn) error {
	if name == "" {
		return nil
	}
	return func(string, string, syscall.RawConn) error {
		return &Error{Code: CodeUnsupported, Subject: "device " + name, Text: "binding to an interface is not supported on " + runtime.GOOS + "; leave it out"}
	}
}

// endOf keeps the end of a stream as it is and explains every other error.
func endOf(subject string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return connectError(subject, err)
}
