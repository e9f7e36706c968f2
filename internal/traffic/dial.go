package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	connectTimeout = 5 * time.Second
	// acceptTimeout is how long the other end may take to take a connection; strangers may stand in the queue before it.
	acceptTimeout = 5 * time.Second
	// dialing is how many connections are opened at once.
	dialing = 64
	// attempts is how often a connection is tried that the data port closes: when many strangers knock there at once it
	// closes those that wait longest, and on a busy host that may be one of ours.
	attempts = 3
)

// dial opens every connection of the experiment, or none.
func dial(ctx context.Context, s Setup) ([]*wire, error) {
	return dialAll(ctx, s.connections(), func(ctx context.Context, i int) (*wire, error) { return dialAgain(ctx, s, i) })
}

// dialAgain opens one connection, and tries again where the data port closed it.
func dialAgain(ctx context.Context, s Setup, index int) (w *wire, err error) {
	for range attempts {
		var e *Error
		if w, err = dialOne(ctx, s, index); !errors.As(err, &e) || e.Code != CodeReset {
			break
		}
	}
	return w, err
}

// dialAll opens n connections, several at once, or none: the first error ends all.
func dialAll[W interface{ close() }](ctx context.Context, n int, one func(ctx context.Context, index int) (W, error)) ([]W, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wires, open := make([]W, n), make([]bool, n)
	slots := make(chan struct{}, dialing)
	var wg sync.WaitGroup
	for i := range wires {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			w, err := one(ctx, i)
			if err != nil {
				cancel(err) // the first one counts
				return
			}
			wires[i], open[i] = w, true
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		answered := 0
		for i, w := range wires {
			if open[i] {
				answered++
				w.close()
			}
		}
		return nil, notAll(context.Cause(ctx), answered, n)
	}
	return wires, nil
}

// notAll is the error of a connection that was not answered where others were: nothing blocks them then.
func notAll(err error, answered, all int) error {
	var e *Error
	if answered == 0 || !errors.As(err, &e) || e.Code != CodeTimeout {
		return err
	}
	return &Error{Code: e.Code, Subject: e.Subject, Text: fmt.Sprintf("no answer in %v, though %d of %d connections were answered: no firewall; packets are lost "+
		"on the way, in a queue that is too short for so many at once or on a bad link: ask for fewer streams, and look at the drops of both interfaces (ip -s link)", connectTimeout, answered, all)}
}

func dialOne(ctx context.Context, s Setup, index int) (*wire, error) {
	local := net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.Local, 0))
	remote := netip.AddrPortFrom(s.Remote, s.Port)
	subject := fmt.Sprintf("%s -> %s", s.Local, remote)
	if context.Cause(ctx) != nil {
		return nil, connectError(subject, context.Cause(ctx))
	}
	d := net.Dialer{LocalAddr: local, Timeout: connectTimeout, Control: bindDevice(s.Device), KeepAlive: -1}
	conn, err := d.DialContext(ctx, "tcp", remote.String())
	if err != nil {
		if context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
		return nil, connectError(subject, err)
	}
	c := conn.(*net.TCPConn)
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = c.SetDeadline(time.Now().Add(acceptTimeout))
	var answer [1]byte
	if _, err = c.Write(preamble(s.Token, index)); err == nil {
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
		return nil, connectError(subject, err)
	}
	_ = c.SetDeadline(time.Time{})
	w, err := prepareWire(c, s, subject)
	if err != nil {
		c.Close()
		return nil, err
	}
	return w, nil
}
