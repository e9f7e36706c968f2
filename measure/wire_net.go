//go:build !linux && !windows

package measure

import (
	"net"
	"sync"
	"time"
)

// wire is one data connection, through package net.
type wire struct {
	conn    *net.TCPConn
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
