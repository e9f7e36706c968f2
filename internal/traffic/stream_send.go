package traffic

import "linerate/internal/base/unit"

// sender is the writing end of one stream.
type sender struct {
	t    *task
	buf  []byte
	size int // of one call
	way  way
	path path // nil: write
}

// path hands bytes over without copying them. What is under way is never changed.
type path interface {
	push(n int) (int, error)
	note() string // what else is to be said of it
	close()
}

func newSender(t *task) (*sender, error) {
	s := &sender{t: t, buf: t.buffer, size: int(t.size)}
	if g := t.setup.Tuning.Gather; g > 1 {
		t.effect.PerCall = g
	}
	t.effect.Path, t.effect.SendBuffer = wayWrite.String(), t.size
	if t.source != nil {
		return s, s.fromSource()
	}
	first := firstCandidate(t.setup)
	if first.way == wayWrite {
		if t.effect.PerCall <= 1 {
			t.wire.hold() // label A has no other way, whatever a trial wants
		}
		return s, nil
	}
	if t.setup.Size == 0 {
		return s, s.adopt(first)
	}
	return s, s.take(first.way, int(t.size))
}

// adopt does what a trial wants.
func (s *sender) adopt(c candidate) error {
	s.t.seat.move(c.place)
	if s.t.setup.Size > 0 {
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
		path, err := newPath(w, s.t.wire, s.buf[:size], s.t.window.deadline)
		if err != nil {
			return err
		}
		s.path = path
	}
	s.t.effect.Path, s.t.effect.SendBuffer = w.String(), unit.Bytes(size)
	return nil
}

// push hands one message over, or several where they are gathered.
func (s *sender) push(p pacer) (int, error) {
	n := min(p.message(s.size), s.t.left())
	switch {
	case s.path != nil:
		return s.path.push(n)
	case s.t.effect.PerCall > 1:
		return s.t.wire.gather(s.buf[:n], s.t.effect.PerCall)
	}
	return s.t.wire.Write(s.buf[:n])
}

// quick says whether the call that has just handed over n bytes was one that cannot have slept.
func (s *sender) quick(n int) bool {
	return s.path == nil && s.t.effect.PerCall <= 1 && n <= int(smallMessages) && !s.t.wire.slept()
}

func (s *sender) close() {
	if s.path != nil {
		if s.t.source == nil {
			s.t.effect.Path = s.way.String() + s.path.note()
		}
		s.path.close()
		s.path = nil
	}
}
