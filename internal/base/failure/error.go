// Package failure has the error that crosses the agent's protocol: a code, its subject, and the next step.
package failure

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
	CodeInput       = "input"       // the request is not valid
	CodeLimit       = "limit"       // the request asks for more than a limit allows
	CodeRefused     = "refused"     // connection refused
	CodeUnreachable = "unreachable" // no route, or the route says no
	CodeTimeout     = "timed-out"
	CodeLate        = "late"  // the start came after the beginning of the interval
	CodeReset       = "reset" // the other end closed or reset the connection
	CodeAddress     = "address"
	CodeUnsupported = "unsupported" // not on this system
	CodeStopped     = "stopped"
	CodeBusy        = "busy"
	CodeInternal    = "internal"
	CodeUnsafe      = "unsafe" // it would overwrite something that linerate did not write
)

// Error is a request that failed: one of the codes, its subject, and what to do.
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

// Errorf returns an Error with a formatted text.
func Errorf(code, subject, format string, a ...any) *Error {
	return &Error{Code: code, Subject: subject, Text: fmt.Sprintf(format, a...)}
}

// Of turns a connection failure into one of the codes, with the next step. subject is "10.0.0.1 -> 10.0.0.2:4711". Of
// returns an Error inside err unchanged.
func Of(subject string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e // also inside a *net.OpError
	}
	code, text := CodeInternal, Innermost(err)
	var timeout net.Error
	switch {
	case IsErrno(err, syscall.ECONNREFUSED, "actively refused"):
		code, text = CodeRefused, "connection refused: the other host answered with a reset, so the link works; "+
			"its firewall rejects the port, or its agent is gone: look at that host's firewall"
	case IsErrno(err, syscall.EHOSTUNREACH, "unreachable host"), IsErrno(err, syscall.ENETUNREACH, "unreachable network"):
		code, text = CodeUnreachable, "no way there ("+Innermost(err)+
			"); look at the link's carrier, the address and its prefix on both hosts, and the route"
	case IsErrno(err, syscall.EADDRNOTAVAIL, "not valid in its context"):
		code, text = CodeAddress,
			"this host does not have the planned address; set it, or correct it in the fabric file"
	case IsErrno(err, syscall.ECONNRESET, "forcibly closed"), IsErrno(err, syscall.EPIPE, "aborted"),
		IsErrno(err, syscall.ENOTCONN, ""), // already reset
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		code, text = CodeReset, "the other end closed the connection; look whether its agent still runs"
	case errors.Is(err, context.Canceled):
		code, text = CodeStopped, "stopped"
	case IsErrno(err, syscall.ETIMEDOUT, "did not properly respond"), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		code, text = CodeTimeout, "no answer at all: a firewall drops it, or the link is down; "+
			"ping between the two addresses shows which: if it answers, it is a firewall"
	case IsErrno(err, syscall.EMFILE, "too many open"), IsErrno(err, syscall.ENFILE, "too many open"):
		code, text = CodeLimit,
			"no more file descriptors on this host; raise its limit (ulimit -n) or ask for fewer streams"
	case IsErrno(err, syscall.EPERM, ""), IsErrno(err, syscall.EACCES, "forbidden"):
		code, text = CodeRefused, "this host's own firewall or policy forbids it ("+Innermost(err)+")"
	}
	return &Error{Code: code, Subject: subject, Text: text}
}

// IsErrno compares err with the number that the system uses, or with the text of a system with its own numbers.
func IsErrno(err error, want syscall.Errno, words string) bool {
	var n syscall.Errno
	if !errors.As(err, &n) {
		return false
	}
	return n == want || n == systemErrno(want) || words != "" && strings.Contains(n.Error(), words)
}

// Innermost returns the innermost message of err, without the addresses that package net puts before it.
func Innermost(err error) string {
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
