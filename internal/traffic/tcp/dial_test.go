package tcp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"linerate/internal/base/failure"
	"linerate/internal/traffic/socket"
)

type nothing struct{}

func (nothing) Close() {}

// A connection without an answer is not reported as blocked if others have one.
func TestSomeAreAnswered(t *testing.T) {
	const all = 8
	for _, c := range []struct {
		silent int // from this one on
		says   string
	}{{0, "a firewall drops it"}, {5, "5 of 8 connections were answered, so a firewall is not the cause"}} {
		var opened sync.WaitGroup
		opened.Add(c.silent)
		_, err := socket.DialAll(t.Context(), all, func(ctx context.Context, i int) (nothing, error) {
			if i < c.silent {
				opened.Done()
				return nothing{}, nil
			}
			opened.Wait()
			if i == c.silent {
				return nothing{}, failure.Of("10.0.0.1 -> 10.0.0.2:4711", context.DeadlineExceeded)
			}
			<-ctx.Done()
			return nothing{}, context.Cause(ctx)
		})
		var e *failure.Error
		if !errors.As(err, &e) || e.Code != failure.CodeTimeout || !strings.Contains(e.Text, c.says) ||
			!strings.HasPrefix(e.Error(), "10.0.0.1 -> 10.0.0.2:4711: ") {
			t.Errorf("%d answered: %v", c.silent, err)
		}
	}
	if err := socket.NotAll(failure.Of("x", context.Canceled), 3, all); !strings.Contains(err.Error(), "stopped") {
		t.Errorf("another error than a time-out became %v", err)
	}
}

// A connection that the other end has closed is tried again, whatever error the kernel reports.
func TestResetConnections(t *testing.T) {
	for _, err := range []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ENOTCONN, io.EOF, io.ErrUnexpectedEOF} {
		var e *failure.Error
		if got := failure.Of("10.0.0.1 -> 10.0.0.2:4711",
			&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", err)}); !errors.As(got, &e) ||
			e.Code != failure.CodeReset {
			t.Errorf("%v: %v", err, got)
		}
	}
}
