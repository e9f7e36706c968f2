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

// Codes of Error; those that package traffic also has mean the same there.
const (
	CodeInput       = "input"       // the request is invalid
	CodeLimit       = "limit"       // the request exceeds a limit of an end
	CodeRefused     = "refused"     // the connection, the subsystem or the host is refused
	CodeUnreachable = "unreachable" // no route, or the network reports unreachable
	CodeTimeout     = "timed-out"
	CodeReset       = "reset" // the other end closed or reset the connection
	CodeUnsupported = "unsupported"
	CodeStopped     = "stopped"
	CodeInternal    = "internal"
	CodeProtocol    = "protocol"  // the other end violates the specification
	CodeStatus      = "status"    // the other end answered a command with an error
	CodeReadOnly    = "read-only" // writing was not enabled, or the namespace forbids it
)

// Error is a failure with one target: the code, the subject, the time, and the next step.
type Error struct {
	Code    string
	Subject string // "nvme-tcp://10.0.0.2:4420/nqn..: queue 1"
	Text    string
	At      time.Time
	Status  Status // of CodeStatus and CodeRefused, if a command was answered
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

// clock formats a time for errors, with fractions, to search for it in a log of the other end.
func clock(at time.Time) string { return at.Format("15:04:05.000") }

var errTimeout = os.ErrDeadlineExceeded

// connectionError converts the error of a connection to one of the codes. doing is the operation at that time:
// "connecting", "32 commands under way".
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
		code, text = CodeRefused, "connection refused: the host answers and nothing listens on that port: start its "+
			"target, or look which port it has (4420 for subsystems, 8009 for discovery)"
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
