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
	// helloTimeout is how long a connection may take for its preamble, in all.
	helloTimeout = 2 * time.Second
	// waiting is how many connections may be without a valid preamble at once. Beyond that the oldest is closed: the
	// other end sends its preamble at once, so those that wait are strangers.
	waiting = 256
)

// port is a data port: open from prepare until the last expected connection is in, on the planned address only.
type port struct {
	setup    Setup
	token    string
	listener *net.TCPListener
	patience time.Duration // for a preamble
	expected map[int]bool  // the indices that may come; nil: all of them
	done     chan struct{} // closed when every connection is in, or none will come

	mu      sync.Mutex
	wires   []*wire // by index, nil while missing
	missing int
	hello   []*net.TCPConn // without a valid preamble yet, oldest first
	seen    int            // connections that came
	err     error
	closed  bool
	serving sync.WaitGroup
}

func listen(ctx context.Context, s Setup) (*port, error) {
	return listenFor(ctx, s, s.connections(), nil)
}

// listenFor waits for the expected ones of n connections, nil being all.
func listenFor(ctx context.Context, s Setup, n int, expected map[int]bool) (*port, error) {
	return listenPatient(ctx, s, n, expected, helloTimeout)
}

// listenPatient is listenFor with the time that a connection may take for its preamble.
func listenPatient(ctx context.Context, s Setup, n int, expected map[int]bool, patience time.Duration) (*port, error) {
	lc := net.ListenConfig{Control: bindDevice(s.Device)}
	at := netip.AddrPortFrom(s.Local, 0).String()
	l, err := lc.Listen(ctx, "tcp", at)
	if err != nil {
		return nil, connectError("data port on "+s.Local.String(), err)
	}
	p := &port{
		setup: s, token: newToken(), listener: l.(*net.TCPListener), expected: expected, patience: patience,
		done: make(chan struct{}), wires: make([]*wire, n), missing: n,
	}
	if expected != nil {
		p.missing = len(expected)
	}
	p.serving.Add(1)
	go p.serve()
	return p, nil
}

func (p *port) number() uint16 { return p.listener.Addr().(*net.TCPAddr).AddrPort().Port() }

func (p *port) serve() {
	defer p.serving.Done()
	for {
		c, err := p.listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// A stranger who takes all descriptors, or a connection that died in the queue: not the end of the port.
			select {
			case <-time.After(10 * time.Millisecond):
			case <-p.done:
				return
			}
			continue
		}
		if p.admit(c) {
			p.serving.Add(1)
			go p.greet(c)
		}
	}
}

// admit enters a connection among those that wait.
func (p *port) admit(c *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.Close()
		return false
	}
	p.seen++
	if len(p.hello) >= waiting {
		p.hello[0].Close()
		p.hello = p.hello[1:]
	}
	p.hello = append(p.hello, c)
	return true
}

// greet reads the preamble of one connection, and takes the connection or closes it.
func (p *port) greet(c *net.TCPConn) {
	defer p.serving.Done()
	_ = c.SetDeadline(time.Now().Add(p.patience))
	var b [preambleSize]byte
	_, err := io.ReadFull(c, b[:])
	index, ok := parsePreamble(p.token, b[:])
	if err != nil || !ok {
		p.refuse(c)
		return
	}
	if err := p.take(c, index); err != nil {
		p.refuse(c)
	}
}

func (p *port) refuse(c *net.TCPConn) {
	_ = c.SetLinger(0) // nothing of ours stays in the kernel for a stranger
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(c)
}

// strangers is how many connections came that were not taken. Called with the lock held, or when the port is closed.
func (p *port) strangers() int { return p.seen - (p.all() - p.missing) }

// all is how many connections are to come.
func (p *port) all() int {
	if p.expected != nil {
		return len(p.expected)
	}
	return len(p.wires)
}

func (p *port) forget(c *net.TCPConn) {
	for i, h := range p.hello {
		if h == c {
			p.hello = append(p.hello[:i:i], p.hello[i+1:]...)
			return
		}
	}
}

// take makes c connection number index; an index that is out of range or taken is refused.
func (p *port) take(c *net.TCPConn, index uint32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || int64(index) >= int64(len(p.wires)) || p.wires[index] != nil || p.expected != nil && !p.expected[int(index)] {
		return errors.New("not expected")
	}
	p.forget(c)
	subject := fmt.Sprintf("%s -> %s", c.RemoteAddr(), c.LocalAddr())
	_ = c.SetDeadline(time.Time{})
	w, err := prepareWire(c, p.setup, subject)
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte{accepted}); err != nil {
		w.close()
		return err
	}
	p.wires[index] = w
	p.missing--
	if p.missing == 0 {
		p.shut(nil)
	}
	return nil
}

// shut closes the port and all that wait at it. Called with the lock held.
func (p *port) shut(err error) {
	if p.closed {
		return
	}
	p.closed = true
	p.err = err
	p.listener.Close()
	for _, c := range p.hello {
		c.Close()
	}
	p.hello = nil
	close(p.done)
}

// wait returns the connections once all are in.
func (p *port) wait(ctx context.Context) ([]*wire, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.mu.Lock()
		p.shut(connectError("data port "+p.listener.Addr().String(),
			fmt.Errorf("%w with %d of %d connections missing", context.Cause(ctx), p.missing, p.all())))
		p.mu.Unlock()
	}
	p.serving.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil, p.err
	}
	return p.wires, nil
}

// close closes the port and every connection that it has taken.
func (p *port) close() {
	p.mu.Lock()
	p.shut(&Error{Code: CodeStopped, Text: "stopped"})
	wires := p.wires
	p.mu.Unlock()
	p.serving.Wait()
	for _, w := range wires {
		if w != nil {
			w.close()
		}
	}
}

// prepareWire sets what a method wants of its sockets and takes the connection over.
func prepareWire(c *net.TCPConn, s Setup, subject string) (*wire, error) {
	m, err := method(s.Method)
	if err != nil {
		return nil, err
	}
	if err := c.SetNoDelay(m.noDelay); err != nil {
		return nil, connectError(subject, err)
	}
	if s.Halo != nil {
		if err := c.SetWriteBuffer(s.Halo.sendRoom()); err != nil {
			return nil, connectError(subject, err)
		}
	}
	s.mark(c)
	return newWire(c, subject)
}
