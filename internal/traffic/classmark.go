package traffic

import (
	"cmp"
	"fmt"
	"sync"
	"syscall"
)

// ClassMark is the traffic class that an experiment's packets are sent in.
type ClassMark struct {
	DSCP int `json:"dscp"` // 0 to 63: IP_TOS, IPV6_TCLASS
	// Priority is the switch priority, 0 to 7, for cards and VLANs that sort by it (SO_PRIORITY, Linux alone); -1: left alone.
	Priority int `json:"priority"`
}

// String is the mark in words.
func (m ClassMark) String() string {
	if m.Priority < 0 {
		return fmt.Sprintf("DSCP %d", m.DSCP)
	}
	return fmt.Sprintf("DSCP %d, priority %d", m.DSCP, m.Priority)
}

func (m *ClassMark) check() error {
	switch {
	case m == nil:
	case m.DSCP < 0 || m.DSCP > 63:
		return &Error{Code: CodeInput, Subject: "mark", Text: fmt.Sprintf("DSCP %d is not a number from 0 to 63", m.DSCP)}
	case m.Priority < -1 || m.Priority > 7:
		return &Error{Code: CodeInput, Subject: "mark", Text: fmt.Sprintf("priority %d is not a number from 0 to 7, or -1 for none", m.Priority)}
	}
	return nil
}

// marked is what became of the mark of an end's sockets.
type marked struct {
	mu     sync.Mutex
	effect string // the mark that the first socket has, as it says itself
	why    string // why one has another mark than was asked for
}

// mark gives a socket the class that is asked for. A system that does not take it is no reason not to measure: what is in effect is told.
func (s Setup) mark(c syscall.Conn) {
	if s.ClassMark == nil || s.marked == nil {
		return
	}
	effect, why := "", ""
	raw, err := c.SyscallConn()
	if err == nil {
		ctl := raw.Control(func(fd uintptr) { effect, err = markSocket(fd, s.Local.Unmap().Is4(), *s.ClassMark) })
		err = cmp.Or(err, ctl)
	}
	if err != nil {
		why = err.Error()
	}
	s.marked.mu.Lock()
	defer s.marked.mu.Unlock()
	s.marked.effect, s.marked.why = cmp.Or(s.marked.effect, effect), cmp.Or(s.marked.why, why)
}

// markEffect is the mark in effect for the record; empty: none was asked for.
func (s Setup) markEffect() string {
	if s.marked == nil || s.ClassMark == nil {
		return ""
	}
	s.marked.mu.Lock()
	defer s.marked.mu.Unlock()
	if s.marked.why != "" {
		return fmt.Sprintf("%s: %s", cmp.Or(s.marked.effect, "none"), s.marked.why)
	}
	return s.marked.effect
}
