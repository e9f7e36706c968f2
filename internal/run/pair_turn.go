package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/traffic"
)

// connectSides opens the data connections of a repeat. When the end that listens cannot be connected to (a firewall in one
// direction), the other end listens; the direction of the data stays. It returns a note when that was so.
func connectSides(ctx context.Context, listener, dialer *side) (note string, err error) {
	way := listener.setup.Local.String() + " from " + dialer.setup.Local.String()
	why := listener.client.Closed(way)
	if why == "" {
		first := open(ctx, listener, dialer)
		if first == nil || !notThrough(first) || ctx.Err() != nil {
			return "", first
		}
		why = first.Error()
	}
	listener.setup.Listen, dialer.setup.Listen = false, true
	dialer.setup.Port, dialer.setup.Ports, dialer.setup.Token = 0, nil, ""
	if second := open(ctx, dialer, listener); second != nil {
		listener.client.SetClosed(way, "")
		return "", neitherWay(why, second)
	}
	listener.client.SetClosed(way, why)
	return fmt.Sprintf("%s cannot connect to %s (%s); %s connected to %s instead, the direction of the data is as asked",
		dialer.host, listener.host, why, listener.host, dialer.host), nil
}

// neitherWay is the error of two ends of which neither can connect to the other; what both say is said once.
func neitherWay(why string, second error) error {
	var e *traffic.Error
	if errors.As(second, &e) && strings.HasSuffix(why, ": "+e.Text) {
		return fmt.Errorf("%s; the other way round, %s, it is the same%w", why, e.Subject, quiet{second})
	}
	return fmt.Errorf("%s; the other way round: %w", why, second)
}

// quiet is an error that was told in other words.
type quiet struct{ error }

func (quiet) Error() string   { return "" }
func (q quiet) Unwrap() error { return q.error }

// open opens the data port of one end and connects the other end to it.
func open(ctx context.Context, listener, dialer *side) error {
	if listener.setup.Method == Verbs {
		return openVerbs(ctx, listener, dialer)
	}
	if listener.exp, listener.err = listener.client.Prepare(ctx, listener.setup); listener.err != nil {
		return listener.err
	}
	dialer.setup.Port, dialer.setup.Ports, dialer.setup.Token = listener.exp.Port, listener.exp.Ports, listener.exp.Token
	if dialer.exp, dialer.err = dialer.client.Prepare(ctx, dialer.setup); dialer.err != nil {
		stop(ctx, []*side{listener})
		listener.exp = nil
		return dialer.err
	}
	return nil
}

// notThrough says whether an end could not connect: nothing of the data path is known to be wrong then.
func notThrough(err error) bool {
	var e *traffic.Error
	return errors.As(err, &e) && (e.Code == traffic.CodeRefused || e.Code == traffic.CodeTimeout || e.Code == traffic.CodeUnreachable)
}
