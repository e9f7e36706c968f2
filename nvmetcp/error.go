package nvmetcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Codes of Error; those that package traffic has too mean the same there.
const (
	CodeInput       = "input"       // the request makes no sense
	CodeLimit       = "limit"       // the request asks for more than one of the ends allows
	CodeRefused     = "refused"     // the connection, the subsystem or the host is refused
	CodeUnreachable = "unreachable" // no route, or the route says no
	CodeTimeout     = "timed-out"
	CodeReset       = "reset" // the other end closed or reset the connection
	CodeUnsupported = "unsupported"
	CodeStopped     = "stopped"
	CodeInternal    = "internal"
	CodeProtocol    = "protocol"  // the other end does not keep to the specification
	CodeStatus      = "status"    // the other end answered a command with an error
	CodeReadOnly    = "read-only" // writing was not asked for, or the namespace forbids it
)

// Error is what went wrong with one target: one of the codes, what it is about, when it was seen, and what to do.
type Error struct {
	Code    string
	Subject string // "nvme-tcp://10.0.0.2:4420/nqn..: queue 1"
	Text    string
	At      time.Time
	Status  Status // of CodeStatus and CodeRefused, where a command was answered with it
}

func (e *Error) Error() string {
	if e.Subject == "" {
		return e.Text
	}
	return e.Subject + ": " + e.Text
}

func failure(code, subject, form string, args ...any) *Error {
	return &Error{Code: code, Subject: subject, Text: fmt.Sprintf(form, args...), At: time.Now()}
}

// clock is how a moment stands in errors: with the fraction, for a log of the other end is searched for it.
func clock(at time.Time) string { return at.Format("15:04:05.000") }

var errTimeout = os.ErrDeadlineExceeded

// connectionError turns what ended or prevented a connection into one of the codes. doing says what it was at: "connecting", "32 commands under way".
func connectionError(subject, doing string, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	now := time.Now()
	code, text := CodeInternal, err.Error()
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, net.ErrClosed):
		code, text = CodeStopped, "stopped"
	case isErrno(err, syscall.ECONNREFUSED):
		code, text = CodeRefused, "connection refused: the host answers and nothing listens on that port: start its target, or look which port it has (4420 for subsystems, 8009 for discovery)"
	case isErrno(err, syscall.EHOSTUNREACH), isErrno(err, syscall.ENETUNREACH):
		code, text = CodeUnreachable, "no way there; look at the link, the address and its prefix, and the route"
	case isErrno(err, syscall.ECONNRESET), isErrno(err, syscall.EPIPE), isErrno(err, syscall.ENOTCONN),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
		code, text = CodeReset, "the other end closed the connection; its log says why"
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded), isErrno(err, syscall.ETIMEDOUT),
		errors.As(err, &timeout) && timeout.Timeout():
		code, text = CodeTimeout, "no answer in time: the other end is busy or gone, or a firewall drops it"
	}
	if doing != "" {
		text = doing + ": " + text
	}
	return &Error{Code: code, Subject: subject, Text: fmt.Sprintf("%s (seen at %s)", text, clock(now)), At: now}
}

func isErrno(err error, want syscall.Errno) bool {
	var n syscall.Errno
	return errors.As(err, &n) && (n == want || n == systemErrno(want))
}
