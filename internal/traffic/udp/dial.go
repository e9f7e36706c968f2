package udp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic/socket"
)

const (
	// greetEvery is the time after which a step of the greeting without an answer is retransmitted.
	greetEvery = 100 * time.Millisecond
	// refusals is the number of port-unreachable answers after which dialing fails.
	refusals = 3
)

// dial greets every socket of the other end, or none.
func dial(ctx context.Context, s options) ([]*wire, error) {
	return socket.DialAll(ctx, s.Connections(),
		func(ctx context.Context, i int) (*wire, error) { return dialOne(ctx, s, i) })
}

func dialOne(ctx context.Context, s options, index int) (*wire, error) {
	remote := netip.AddrPortFrom(s.Remote, s.Ports[index])
	subject := fmt.Sprintf("%s -> %s (UDP)", s.Local, remote)
	d := net.Dialer{LocalAddr: net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.Local, 0)),
		Control: socket.BindDevice(s.Device)}
	conn, err := d.DialContext(ctx, "udp", remote.String())
	if err != nil {
		return nil, failure.Of(subject, err)
	}
	c := conn.(*net.UDPConn)
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	err = greetOther(ctx, c, s.Token, index)
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		stop()
		c.Close()
		return nil, greetingError(subject, err)
	}
	_ = c.SetDeadline(time.Time{})
	return newWire(c, s, index, s.Token)
}

// greetingError is failure.Of in the words of UDP, which has no resets.
func greetingError(subject string, err error) error {
	failed := failure.Of(subject, err)
	var e *failure.Error
	if errors.As(failed, &e) && e.Code == failure.CodeRefused &&
		failure.IsErrno(err, syscall.ECONNREFUSED, "forcibly closed") {
		return &failure.Error{Code: e.Code, Subject: e.Subject,
			Text: "refused: the other host answered that nothing listens on the port (ICMP), so the link works; its firewall " +
				"rejects UDP, or its agent is gone: look at that host's firewall"}
	}
	return failed
}

// greetOther is the dialing end's part of the greeting.
func greetOther(ctx context.Context, c *net.UDPConn, token string, index int) error {
	g := greeting{step: stepHello, index: index, dialer: newNonce()}
	end := time.Now().Add(socket.ConnectTimeout)
	b := make([]byte, greetingSize+1)
	refused := 0
	for time.Now().Before(end) && context.Cause(ctx) == nil {
		_, err := c.Write(g.bytes(token))
		until := time.Now().Add(greetEvery)
		for err == nil {
			if ctx.Err() == nil {
				_ = c.SetReadDeadline(until)
			}
			var n int
			if n, err = c.Read(b); err != nil {
				break
			}
			a, ok := parseGreeting(token, b[:n])
			if !ok || a.index != index || a.dialer != g.dialer {
				continue
			}
			if a.step == stepAccept && g.step == stepConfirm && a.listening == g.listening {
				return nil
			}
			if a.step == stepChallenge && g.step == stepHello {
				g.step, g.listening = stepConfirm, a.listening
				_, err = c.Write(g.bytes(token))
				until = time.Now().Add(greetEvery)
			}
		}
		var timeout net.Error
		switch {
		case failure.IsErrno(err, syscall.ECONNREFUSED, "forcibly closed"):
			if refused++; refused == refusals {
				return err
			}
			time.Sleep(greetEvery)
		case errors.As(err, &timeout) && timeout.Timeout():
		default:
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return &failure.Error{Code: failure.CodeTimeout, Subject: c.LocalAddr().String() + " -> " + c.RemoteAddr().String(),
		Text: "no answer to UDP datagrams; a firewall drops them, or the link is down: try TCP, and ping between the two " +
			"addresses"}
}
