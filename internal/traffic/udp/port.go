package udp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic/socket"
)

// port is the listening end of UDP connections: a socket for each of them on the planned address, each connected to
// the one sender that has greeted it.
type port struct {
	setup   options
	token   string
	conns   []*net.UDPConn
	ports   []uint16
	done    chan struct{} // closed when every connection is established, or none will be
	serving sync.WaitGroup

	mu         sync.Mutex
	missing    int
	fromOthers int // datagrams of others
	err        error
	finished   bool
	closed     bool
}

func listen(ctx context.Context, s options) (*port, error) {
	p := &port{setup: s, token: socket.NewToken(), done: make(chan struct{}), missing: s.Connections()}
	lc := net.ListenConfig{Control: socket.BindDevice(s.Device)}
	for range s.Connections() {
		c, err := lc.ListenPacket(ctx, "udp", netip.AddrPortFrom(s.Local, 0).String())
		if err != nil {
			p.close()
			return nil, failure.Of("data port on "+s.Local.String(), err)
		}
		u := c.(*net.UDPConn)
		p.conns = append(p.conns, u)
		p.ports = append(p.ports, u.LocalAddr().(*net.UDPAddr).AddrPort().Port())
	}
	for i := range p.conns {
		p.serving.Add(1)
		go p.greet(i)
	}
	return p, nil
}

// greet answers the greetings at one socket until the port is handed over or closed.
func (p *port) greet(i int) {
	defer p.serving.Done()
	c, own, stands := p.conns[i], newNonce(), false
	var dialer [nonceSize]byte
	b := make([]byte, greetingSize+1)
	for {
		n, from, err := c.ReadFromUDPAddrPort(b)
		p.mu.Lock()
		over := p.finished
		p.mu.Unlock()
		if over || errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond) // an ICMP message, perhaps forged
			continue
		}
		from = netip.AddrPortFrom(from.Addr().Unmap().WithZone(""), from.Port())
		g, ok := parseGreeting(p.token, b[:n])
		ok = ok && from.Addr() == p.setup.Remote.WithZone("") && g.index == i
		switch {
		case ok && g.step == stepHello && !stands:
			g.step, g.listening = stepChallenge, own
			_, _ = c.WriteToUDPAddrPort(g.bytes(p.token), from)
		case ok && g.step == stepConfirm && g.listening == own && (!stands || g.dialer == dialer):
			if !stands {
				if err := connectUDP(c, netip.AddrPortFrom(p.setup.Remote, from.Port())); err != nil {
					p.mu.Lock()
					p.finish(failure.Of(fmt.Sprintf("%s -> %s", c.LocalAddr(), from), err))
					p.mu.Unlock()
					return
				}
				dialer, stands = g.dialer, true
				p.stand()
			}
			g.step = stepAccept
			_, _ = c.Write(g.bytes(p.token)) // it is connected by now; a lost one is requested again
		case !stands:
			p.mu.Lock()
			p.fromOthers++
			p.mu.Unlock()
		}
	}
}

func (p *port) stand() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missing--; p.missing == 0 {
		select {
		case <-p.done:
		default:
			close(p.done)
		}
	}
}

// finish ends the greeting. Called with the lock held.
func (p *port) finish(err error) {
	if p.finished {
		return
	}
	p.finished, p.err = true, err
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	for _, c := range p.conns {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// wait returns the sockets once all connections are established.
func (p *port) wait(ctx context.Context) ([]*wire, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	p.mu.Lock()
	var err error
	if p.missing > 0 {
		err = failure.Of("data port of "+p.setup.Local.String(),
			fmt.Errorf("%w with %d of %d connections missing", context.Cause(ctx), p.missing, len(p.conns)))
	}
	p.finish(err)
	err = p.err
	p.mu.Unlock()
	p.serving.Wait()
	if err != nil {
		return nil, err
	}
	wires := make([]*wire, len(p.conns))
	for i, c := range p.conns {
		_ = c.SetReadDeadline(time.Time{})
		if wires[i], err = newWire(c, p.setup, i, p.token); err != nil {
			for _, w := range wires[:i] {
				w.Close()
			}
			return nil, err
		}
	}
	return wires, nil
}

// close closes every socket that was not handed over; it may be called more than once.
func (p *port) close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	p.finish(&failure.Error{Code: failure.CodeStopped, Text: "stopped"})
	p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.serving.Wait()
}
