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

// stream is a connection as one thread drives it. Nothing is allocated by a call.
type stream interface {
	// receive waits until something has come and reads it into a and, where it can, what follows into b. After left it ends with errTimeout; a
	// negative one is no limit. With sending it ends also, with 0 and no error, when send may go on.
	receive(a, b []byte, left time.Duration, sending bool) (int, error)
	// send hands over what it can without waiting and returns how many bytes that were. Until all of vec is handed over it is called with the rest of it.
	send(vec [][]byte) (int, error)
	// sendAll waits until all is handed over.
	sendAll(vec [][]byte, limit time.Duration) error
	// interrupt ends what another thread waits for in receive and sendAll, and all calls after it.
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

// netStream works over every net.Conn. What cannot be handed over at once is written by a goroutine, one a connection, for package net has no
// call that does not wait.
type netStream struct {
	conn    net.Conn
	write   chan net.Buffers
	written chan error
	busy    bool // the goroutine has a vector
	bytes   int  // of it
	done    atomic.Bool
	scratch net.Buffers // for sendAll: WriteTo consumes what it is called on
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
		s.conn.SetReadDeadline(time.Unix(1, 0)) // receive ends and sees done
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
	if sending && s.done.Load() { // looked at behind the deadline, which the writer sets after it
		return 0, nil
	}
	n, err := s.conn.Read(a)
	if n > 0 {
		return n, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if left < 0 || sending && s.done.Load() || time.Now().Before(deadline) {
			return 0, nil // the writer's
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
