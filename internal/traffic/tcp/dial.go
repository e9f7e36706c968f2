package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

const (
	// acceptTimeout is the time in which the other end must accept a connection; unauthenticated peers may be in the
	// queue before it.
	acceptTimeout = 5 * time.Second
	// attempts is how often a connection is tried that the data port closes: of many unauthenticated peers it closes
	// those that wait longest, and on a busy host that may be the right one.
	attempts = 3
)

// dial opens every connection of the experiment, or none.
func dial(ctx context.Context, s traffic.Endpoint, o SocketOptions) ([]*Wire, error) {
	return socket.DialAll(ctx, s.Connections(),
		func(ctx context.Context, i int) (*Wire, error) { return DialAgain(ctx, s, o, i) })
}

// DialAgain opens one connection, and tries again where the data port closed it.
func DialAgain(ctx context.Context, s traffic.Endpoint, o SocketOptions, index int) (w *Wire, err error) {
	for range attempts {
		var e *failure.Error
		if w, err = dialOne(ctx, s, o, index); !errors.As(err, &e) || e.Code != failure.CodeReset {
			break
		}
	}
	return w, err
}

func dialOne(ctx context.Context, s traffic.Endpoint, o SocketOptions, index int) (*Wire, error) {
	local := net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.Local, 0))
	remote := netip.AddrPortFrom(s.Remote, s.Port)
	subject := fmt.Sprintf("%s -> %s", s.Local, remote)
	if context.Cause(ctx) != nil {
		return nil, failure.Of(subject, context.Cause(ctx))
	}
	d := net.Dialer{LocalAddr: local, Timeout: socket.ConnectTimeout, Control: socket.BindDevice(s.Device), KeepAlive: -1}
	d.SetMultipathTCP(o.Multipath)
	conn, err := d.DialContext(ctx, "tcp", remote.String())
	if err != nil {
		if context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
		return nil, failure.Of(subject, err)
	}
	c := conn.(*net.TCPConn)
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = c.SetDeadline(time.Now().Add(acceptTimeout))
	var answer [1]byte
	if _, err = c.Write(Preamble(s.Token, index)); err == nil {
		_, err = io.ReadFull(c, answer[:])
	}
	if err == nil && answer[0] != accepted {
		err = fmt.Errorf("answered %q; another program has that port", answer)
	}
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.Close()
		return nil, failure.Of(subject, err)
	}
	_ = c.SetDeadline(time.Time{})
	w, err := prepareWire(c, s, o, subject)
	if err != nil {
		c.Close()
		return nil, err
	}
	return w, nil
}
