package network

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/base/failure"
	"linerate/internal/run/remote"
)

// connectSides opens the data connections of a repeat. If the listening end cannot be connected to (a firewall in one
// direction), the other end listens; the direction of the data stays. It returns a note in that case.
func connectSides(ctx context.Context, listener, dialer *remote.End) (note string, err error) {
	connect := engineOf(listener.Setup.Method)
	way := listener.Setup.Local.String() + " from " + dialer.Setup.Local.String()
	why := listener.Client.Closed(way)
	if why == "" {
		first := connect.open(ctx, listener, dialer)
		if first == nil || !couldNotConnect(first) || ctx.Err() != nil {
			return "", first
		}
		why = first.Error()
	}
	listener.Setup.Listen, dialer.Setup.Listen = false, true
	dialer.Setup.Port, dialer.Setup.Ports, dialer.Setup.Token = 0, nil, ""
	if second := connect.open(ctx, dialer, listener); second != nil {
		listener.Client.SetClosed(way, "")
		both := neitherDirection(why, second)
		if code := codeOf(second); code == failure.CodeTimeout || code == failure.CodeUnreachable {
			return "", &noWay{both, code}
		}
		return "", both
	}
	listener.Client.SetClosed(way, why)
	return fmt.Sprintf("%s cannot connect to %s (%s); %s connected to %s instead, the direction of the data is as asked",
		dialer.Host, listener.Host, why, listener.Host, dialer.Host), nil
}

// neitherDirection is the error when neither of two ends can connect to the other; a message that both give appears
// once.
func neitherDirection(why string, second error) error {
	var e *failure.Error
	if errors.As(second, &e) && strings.HasSuffix(why, ": "+e.Text) {
		return fmt.Errorf("%s; the other way round, %s, it is the same%w", why, e.Subject, retold{second})
	}
	return fmt.Errorf("%s; the other way round: %w", why, second)
}

// retold is an error with its text replaced.
type retold struct{ error }

func (retold) Error() string { return "" }

func (q retold) Unwrap() error { return q.error }

// couldNotConnect reports whether an end could not connect: the data path itself may be fine.
func couldNotConnect(err error) bool {
	code := codeOf(err)
	return code == failure.CodeRefused || code == failure.CodeTimeout || code == failure.CodeUnreachable
}

// codeOf is the code of a failure; empty: it has none.
func codeOf(err error) string {
	var e *failure.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}
