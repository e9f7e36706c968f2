package tcp

import "linerate/internal/base/unit"

// sender is the writing end of one stream.
type sender struct {
	t    *task
	buf  []byte
	size int // of one call
	way  way
	path path // nil: write
}

// path sends bytes without copying them. What is under way is never changed.
type path interface {
	push(n int) (int, error)
	note() string // a remark on it
	close()
}

func newSender(t *task) (*sender, error) {
	s := &sender{t: t, buf: t.buffer, size: int(t.Size)}
	if g := t.Setup.Tuning.Gather; g > 1 {
		t.Effect.PerCall = g
	}
	t.Effect.Path, t.Effect.SendBuffer = wayWrite.String(), t.Size
	if t.source != nil {
		return s, s.fromSource()
	}
	first := firstCandidate(t.Setup.Setup)
	if first.way == wayWrite {
		if t.Effect.PerCall <= 1 {
			t.wire.Hold() // copy mode both always writes, whatever a trial wants
		}
		return s, nil
	}
	if t.Setup.Size == 0 {
		return s, s.adopt(first)
	}
	return s, s.take(first.way, int(t.Size))
}

// adopt does what a trial wants.
func (s *sender) adopt(c candidate) error {
	s.t.Affinity.Move(c.place)
	if s.t.Setup.Size > 0 {
		return nil
	}
	return s.take(c.way, min(len(s.buf), int(c.bytes())))
}

func (s *sender) take(w way, size int) error {
	if w == s.way && size == s.size {
		return nil
	}
	s.close()
	s.way, s.size = w, size
	if w != wayWrite {
		path, err := newPath(w, s.t.wire, s.buf[:size], s.t.Interval.Deadline)
		if err != nil {
			return err
		}
		s.path = path
	}
	s.t.Effect.Path, s.t.Effect.SendBuffer = w.String(), unit.Bytes(size)
	return nil
}

// push sends one message, or several where they are gathered.
func (s *sender) push() (int, error) {
	n := min(s.t.pacer.Message(s.size), s.t.left())
	switch {
	case s.path != nil:
		return s.path.push(n)
	case s.t.Effect.PerCall > 1:
		return s.t.wire.gather(s.buf[:n], s.t.Effect.PerCall)
	}
	return s.t.wire.Write(s.buf[:n])
}

// quick reports whether the last call, which sent n bytes, cannot have slept.
func (s *sender) quick(n int) bool {
	return s.path == nil && s.t.Effect.PerCall <= 1 && n <= int(smallMessages) && !s.t.wire.slept()
}

func (s *sender) close() {
	if s.path != nil {
		if s.t.source == nil {
			s.t.Effect.Path = s.way.String() + s.path.note()
		}
		s.path.close()
		s.path = nil
	}
}
