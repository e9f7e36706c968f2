package nvmetcp

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// stream is a connection driven by one thread. No call allocates.
type stream interface {
	// receive waits for data and reads it into a and, where possible, more of it into b. After left it fails with
	// errTimeout; a negative left: no limit. With sending it also returns, with 0 and no error, when send can continue.
	receive(a, b []byte, left time.Duration, sending bool) (int, error)
	// send sends what it can without waiting and returns the number of bytes. It is called with the rest until all of vec
	// is sent.
	send(vec [][]byte) (int, error)
	// sendAll waits until all is sent.
	sendAll(vec [][]byte, limit time.Duration) error
	// interrupt ends waits of another thread in receive and sendAll, and all later calls.
	interrupt()
	close()
}

// advance drops n bytes from the front of vec.
func advance(vec [][]byte, n int) [][]byte {
	for len(vec) > 0 && n >= len(vec[0]) {
		n -= len(vec[0])
		vec = vec[1:]
	}
	if n > 0 {
		vec[0] = vec[0][n:]
	}
	return vec
}

// netStream works with every net.Conn. What cannot be sent at once is written by a goroutine, one a connection, because
// package net has no call that does not block.
type netStream struct {
	conn    net.Conn
	write   chan net.Buffers
	written chan error
	busy    bool // the goroutine has a vector
	bytes   int  // of it
	done    atomic.Bool
	scratch net.Buffers // for sendAll: WriteTo consumes its receiver
	once    sync.Once
}

func newNetStream(conn net.Conn) *netStream {
	return &netStream{conn: conn, written: make(chan error, 1)}
}

func (s *netStream) writer() {
	for vec := range s.write {
		_, err := vec.WriteTo(s.conn)
		s.written <- err
		s.done.Store(true)
		s.conn.SetReadDeadline(time.Unix(1, 0)) // receive returns and checks done
	}
}

func (s *netStream) send(vec [][]byte) (int, error) {
	if !s.busy {
		if s.write == nil {
			s.write = make(chan net.Buffers, 1)
			go s.writer()
		}
		s.busy, s.bytes = true, 0
		s.scratch = s.scratch[:0]
		for _, b := range vec {
			s.bytes += len(b)
			s.scratch = append(s.scratch, b)
		}
		s.write <- s.scratch
	}
	if !s.done.Load() {
		return 0, nil
	}
	s.done.Store(false)
	s.busy = false
	return s.bytes, <-s.written
}

func (s *netStream) receive(a, b []byte, left time.Duration, sending bool) (int, error) {
	if len(a) == 0 {
		a = b
	}
	deadline := time.Time{}
	if left >= 0 {
		deadline = time.Now().Add(left)
	}
	if err := s.conn.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	if sending && s.done.Load() { // checked after the deadline, which the writer sets after done
		return 0, nil
	}
	n, err := s.conn.Read(a)
	if n > 0 {
		return n, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if left < 0 || sending && s.done.Load() || time.Now().Before(deadline) {
			return 0, nil // set by the writer
		}
		return 0, errTimeout
	}
	if err == nil {
		return 0, io.ErrNoProgress
	}
	return 0, err
}

func (s *netStream) sendAll(vec [][]byte, limit time.Duration) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	s.scratch = append(s.scratch[:0], vec...)
	keep := s.scratch
	_, err := s.scratch.WriteTo(s.conn)
	s.scratch = keep
	return err
}

func (s *netStream) interrupt() { s.conn.Close() }

func (s *netStream) close() {
	s.once.Do(func() {
		s.conn.Close()
		if s.write != nil {
			close(s.write)
		}
	})
}
