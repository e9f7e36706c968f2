package traffic

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
)

type nothing struct{}

func (nothing) close() {}

// A connection without an answer beside others that have one is not said to be blocked.
func TestSomeAreAnswered(t *testing.T) {
	const all = 8
	for _, c := range []struct {
		silent int // from this one on
		says   string
	}{{0, "a firewall drops it"}, {5, "5 of 8 connections were answered: no firewall"}} {
		var opened sync.WaitGroup
		opened.Add(c.silent)
		_, err := dialAll(t.Context(), all, func(ctx context.Context, i int) (nothing, error) {
			if i < c.silent {
				opened.Done()
				return nothing{}, nil
			}
			opened.Wait()
			if i == c.silent {
				return nothing{}, connectError("10.0.0.1 -> 10.0.0.2:4711", context.DeadlineExceeded)
			}
			<-ctx.Done()
			return nothing{}, context.Cause(ctx)
		})
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeTimeout || !strings.Contains(e.Text, c.says) || !strings.HasPrefix(e.Error(), "10.0.0.1 -> 10.0.0.2:4711: ") {
			t.Errorf("%d answered: %v", c.silent, err)
		}
	}
	if err := notAll(connectError("x", context.Canceled), 3, all); !strings.Contains(err.Error(), "stopped") {
		t.Errorf("what is no time-out became %v", err)
	}
}

// However the kernel says that the other end has closed a connection, it is worth another try.
func TestResetConnections(t *testing.T) {
	for _, err := range []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ENOTCONN, io.EOF, io.ErrUnexpectedEOF} {
		var e *Error
		if got := connectError("10.0.0.1 -> 10.0.0.2:4711", &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", err)}); !errors.As(got, &e) || e.Code != CodeReset {
			t.Errorf("%v: %v", err, got)
		}
	}
}
