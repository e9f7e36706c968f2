package socket

import (
	"cmp"
	"fmt"
	"sync"
	"syscall"

	"linerate/internal/base/failure"
)

// ClassMark is the traffic class that an experiment's packets are sent in.
type ClassMark struct {
	DSCP int `json:"dscp"` // 0 to 63: IP_TOS, IPV6_TCLASS
	// Priority is the switch priority, 0 to 7, for NICs and VLANs that sort by it (SO_PRIORITY, Linux alone); -1: left
	// alone.
	Priority int `json:"priority"`
}

// String returns the mark in words.
func (m ClassMark) String() string {
	if m.Priority < 0 {
		return fmt.Sprintf("DSCP %d", m.DSCP)
	}
	return fmt.Sprintf("DSCP %d, priority %d", m.DSCP, m.Priority)
}

// Check reports what is wrong with a mark; nil is right.
func (m *ClassMark) Check() error {
	switch {
	case m == nil:
	case m.DSCP < 0 || m.DSCP > 63:
		return &failure.Error{Code: failure.CodeInput, Subject: "mark",
			Text: fmt.Sprintf("DSCP %d is not a number from 0 to 63", m.DSCP)}
	case m.Priority < -1 || m.Priority > 7:
		return &failure.Error{Code: failure.CodeInput, Subject: "mark",
			Text: fmt.Sprintf("priority %d is not a number from 0 to 7, or -1 for none", m.Priority)}
	}
	return nil
}

// Marked is the mark that an end's sockets have in effect.
type Marked struct {
	mu     sync.Mutex
	effect string // the mark that the first socket has, as it says itself
	why    string // why a socket has a mark other than the configured one
}

// Set gives a socket a mark.
func (m *Marked) Set(c syscall.Conn, ipv4 bool, mark ClassMark) {
	effect, why := "", ""
	raw, err := c.SyscallConn()
	if err == nil {
		ctl := raw.Control(func(fd uintptr) { effect, err = markSocket(fd, ipv4, mark) })
		err = cmp.Or(err, ctl)
	}
	if err != nil {
		why = err.Error()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.effect, m.why = cmp.Or(m.effect, effect), cmp.Or(m.why, why)
}

// InEffect returns the mark that the sockets have, and why it is not that of the setup.
func (m *Marked) InEffect() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why != "" {
		return fmt.Sprintf("%s: %s", cmp.Or(m.effect, "none"), m.why)
	}
	return m.effect
}
