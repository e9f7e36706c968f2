package halo

import (
	"io"
	"linerate/internal/traffic/tcp"
	"sync/atomic"
)

// link is one end of an edge: what a process sends over it reaches the neighbour's side, in the order in which it was
// sent.
type link interface {
	send(p []byte) error
	receive(p []byte) error // a whole message; io.EOF: the neighbour is done
	done()                  // nothing more is sent
	Interrupt()             // calls that wait return
}

// wireLink leads to a process on another host.
type wireLink struct {
	*tcp.Wire
	polls bool
}

func (l wireLink) send(p []byte) error {
	_, err := l.Write(p)
	return err
}

func (l wireLink) receive(p []byte) error {
	var err error
	if l.polls {
		_, err = l.Spin(p)
	} else {
		_, err = io.ReadFull(l.Wire, p)
	}
	return err
}

func (l wireLink) done() { _ = l.CloseWrite() }

// memoryLink leads to a process of the same host, or back to the process itself.
type memoryLink struct{ to, from *box }

func (l memoryLink) send(p []byte) error    { l.to.put(p); return nil }
func (l memoryLink) receive(p []byte) error { return l.from.take(p) }
func (l memoryLink) done()                  { l.to.close() }
func (l memoryLink) Interrupt()             { l.to.close(); l.from.close() }

// box is one way of an edge in memory. It has room for two messages, which is enough: a process that is through with an
// exchange has had
// this neighbour's message of it, so that the neighbour has at most this one and the one before still to take.
type box struct {
	slots  [2][]byte
	sent   uint32 // messages that were put; of the one who sends
	taken  uint32 // messages that were taken; of the one who receives
	there  atomic.Uint32
	closed atomic.Bool
	polls  bool
	bell   bell
}

func newBox(size int, polls bool) *box {
	return &box{slots: [2][]byte{make([]byte, size), make([]byte, size)}, polls: polls, bell: newBell()}
}

func (b *box) put(p []byte) {
	copy(b.slots[b.sent&1], p)
	b.sent++
	b.there.Store(b.sent)
	b.bell.ring(&b.there)
}

func (b *box) take(p []byte) error {
	for b.there.Load() == b.taken {
		if b.closed.Load() && b.there.Load() == b.taken {
			return io.EOF
		}
		if !b.polls {
			b.bell.await(&b.there, b.taken, &b.closed)
		}
	}
	copy(p, b.slots[b.taken&1])
	b.taken++
	return nil
}

func (b *box) close() {
	b.closed.Store(true)
	b.bell.ring(&b.there)
}
