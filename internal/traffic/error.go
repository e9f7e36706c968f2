package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// Codes of Error.
const (
	CodeInput       = "input"       // the request makes no sense
	CodeLimit       = "limit"       // the request asks for more than a limit allows
	CodeRefused     = "refused"     // connection refused
	CodeUnreachable = "unreachable" // no route, or the route says no
	CodeTimeout     = "timed-out"
	CodeLate        = "late"  // the start came after the beginning of the window
	CodeReset       = "reset" // the other end closed or reset the connection
	CodeAddress     = "address"
	CodeUnsupported = "unsupported" // not on this system
	CodeStopped     = "stopped"
	CodeBusy        = "busy"
	CodeInternal    = "internal"
	CodeUnsafe      = "unsafe" // it would overwrite what is not ours; refused
)

// Error is a measurement that could not be made: one of the codes, what it is about, and what to do.
type Error struct {
	Code    string `json:"code"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

func (e *Error) Error() string {
	if e.Subject == "" {
		return e.Text
	}
	return e.Subject + ": " + e.Text
}

// connectError turns the failure of a connection into one of the codes, with the next step. subject is "10.0.0.1 -> 10.0.0.2:4711".
func connectError(subject string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e // also from inside of what package net puts round it
	}
	code, text := CodeInternal, plain(err)
	var timeout net.Error
	switch {
	case isErrno(err, syscall.ECONNREFUSED, "actively refused"):
		code, text = CodeRefused, "connection refused: the other host answered with a reset, so the link works; its firewall rejects the port, or its agent is gone: look at that host's firewall"
	case isErrno(err, syscall.EHOSTUNREACH, "unreachable host"), isErrno(err, syscall.ENETUNREACH, "unreachable network"):
		code, text = CodeUnreachable, "no way there ("+plain(err)+"); look at the link's carrier, the address and its prefix on both hosts, and the route"
	case isErrno(err, syscall.EADDRNOTAVAIL, "not valid in its context"):
		code, text = CodeAddress, "this host does not have the planned address; set it, or correct it in the fabric file"
	case isErrno(err, syscall.ECONNRESET, "forcibly closed"), isErrno(err, syscall.EPIPE, "aborted"),
		isErrno(err, syscall.ENOTCONN, ""), // one that was reset already
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		code, text = CodeReset, "the other end closed the connection; look whether its agent still runs"
	case errors.Is(err, context.Canceled):
		code, text = CodeStopped, "stopped"
	case isErrno(err, syscall.ETIMEDOUT, "did not properly respond"), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		code, text = CodeTimeout, "no answer at all: a firewall drops it, or the link is down; ping between the two addresses tells which: when it answers, it is a firewall"
	case isErrno(err, syscall.EMFILE, "too many open"), isErrno(err, syscall.ENFILE, "too many open"):
		code, text = CodeLimit, "no more file descriptors on this host; raise its limit (ulimit -n) or ask for fewer streams"
	case isErrno(err, syscall.EPERM, ""), isErrno(err, syscall.EACCES, "forbidden"):
		code, text = CodeRefused, "this host's own firewall or policy forbids it ("+plain(err)+")"
	}
	return &Error{Code: code, Subject: subject, Text: text}
}

// isErrno compares with the number that the system uses, or with the words of a system with numbers of its own.
func isErrno(err error, want syscall.Errno, words string) bool {
	var n syscall.Errno
	if !errors.As(err, &n) {
		return false
	}
	return n == want || n == systemErrno(want) || words != "" && strings.Contains(n.Error(), words)
}

// plain is the innermost message of err, without the addresses that package net puts before it.
func plain(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	var sys *os.SyscallError
	if errors.As(err, &sys) {
		return fmt.Sprintf("%s: %v", sys.Syscall, sys.Err)
	}
	return err.Error()
}
