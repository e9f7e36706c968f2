package nvmetcp

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A full socket reports when sending can continue, and an interrupted one neither reads nor writes.
func TestSocket(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	s, err := newStream(conn)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	full, b := [][]byte{make([]byte, 1<<20)}, make([]byte, 100)
	for { // until the buffers of both ends are full
		n, err := s.send(full)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			continue
		}
		if _, err := s.receive(b, nil, 0, true); err == errTimeout {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(2*tick, func() { io.Copy(io.Discard, far) }) // longer than one call waits
	if n, err := s.receive(b, nil, time.Minute, true); n != 0 || err != nil {
		t.Errorf("it may go on: %d bytes, %v", n, err)
	}
	s.interrupt()
	if err := s.sendAll(full, time.Minute); !errors.Is(err, unix.EPIPE) {
		t.Errorf("it writes after that: %v", err)
	}
	if _, err := s.receive(b, nil, time.Minute, false); err != io.EOF {
		t.Errorf("it reads after that: %v", err)
	}
}

// mutedScript is a stream that cannot be written.
type mutedScript struct{ script }

func (*mutedScript) sendAll([][]byte, time.Duration) error { return unix.EPIPE }

// A host that reads no answers loses its connection.
func TestNoAnswerTaken(t *testing.T) {
	f := framing{align: 4}
	s := &mutedScript{script{piece: 1 << 20, in: capsule(f, func(e sqe) { e.begin(opFlush, 2, 1) }, 0)}}
	if err := testPeer(s, 1, false, f, NewMemory(4096)).serve(); !errors.Is(err, unix.EPIPE) {
		t.Error(err)
	}
}
