package tcp

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

const (
	// helloTimeout is the time in which a connection must send its whole preamble.
	helloTimeout = 2 * time.Second
	// waiting is the most connections without a valid preamble at once. Beyond that the oldest is closed: the other end
	// sends its preamble at once, so those that wait are unauthenticated peers.
	waiting = 256
)

// Port is a data port, open on the planned address only, until the last expected connection is in.
type Port struct {
	setup    traffic.Endpoint
	options  SocketOptions
	Token    string
	Listener *net.TCPListener
	patience time.Duration // for a preamble
	expected map[int]bool  // the indices that may come; nil: all of them
	done     chan struct{} // closed when every connection is in, or none will come

	mu        sync.Mutex
	wires     []*Wire // by index, nil while missing
	missing   int
	hello     []*net.TCPConn // without a valid preamble yet, oldest first
	seen      int            // connections that came
	err       error
	closed    bool
	serving   sync.WaitGroup
	accepting sync.WaitGroup
}

func listen(ctx context.Context, s traffic.Endpoint, o SocketOptions) (*Port, error) {
	return ListenFor(ctx, s, o, s.Connections(), nil)
}

// ListenFor waits for the expected ones of n connections, nil being all.
func ListenFor(ctx context.Context, s traffic.Endpoint, o SocketOptions, n int, expected map[int]bool) (*Port, error) {
	return listenPatient(ctx, s, o, n, expected, helloTimeout)
}

// listenPatient is ListenFor with another time for the preamble.
func listenPatient(ctx context.Context, s traffic.Endpoint, o SocketOptions, n int, expected map[int]bool,
	patience time.Duration) (*Port, error) {
	lc := net.ListenConfig{Control: socket.BindDevice(s.Device)}
	address := s.Local
	if o.Multipath {
		lc.SetMultipathTCP(true)
		// Further paths of a connection come to the host's other addresses, at the same port.
		if address = netip.IPv4Unspecified(); s.Local.Is6() && !s.Local.Is4In6() {
			address = netip.IPv6Unspecified()
		}
	}
	l, err := lc.Listen(ctx, "tcp", netip.AddrPortFrom(address, 0).String())
	if err != nil {
		return nil, failure.Of("data port on "+s.Local.String(), err)
	}
	p := &Port{setup: s, options: o, Token: socket.NewToken(), Listener: l.(*net.TCPListener), expected: expected,
		patience: patience, done: make(chan struct{}), wires: make([]*Wire, n), missing: n}
	if expected != nil {
		p.missing = len(expected)
	}
	p.accepting.Go(p.serve)
	return p, nil
}

// Number returns the number of the port.
func (p *Port) Number() uint16 { return p.Listener.Addr().(*net.TCPAddr).AddrPort().Port() }

func (p *Port) serve() {
	for {
		c, err := p.Listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// The port goes on if an unauthenticated peer takes all descriptors, or a connection died in the queue.
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
func (p *Port) admit(c *net.TCPConn) bool {
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
func (p *Port) greet(c *net.TCPConn) {
	defer p.serving.Done()
	_ = c.SetDeadline(time.Now().Add(p.patience))
	var b [preambleSize]byte
	_, err := io.ReadFull(c, b[:])
	index, ok := parsePreamble(p.Token, b[:])
	if err != nil || !ok {
		p.refuse(c)
		return
	}
	if err := p.take(c, index); err != nil {
		p.refuse(c)
	}
}

func (p *Port) refuse(c *net.TCPConn) {
	_ = c.SetLinger(0) // nothing stays in the kernel for an unauthenticated peer
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(c)
}

// UnauthenticatedPeers returns the number of refused connections. Called with the lock held, or when the port is
// closed.
func (p *Port) UnauthenticatedPeers() int { return p.seen - (p.all() - p.missing) }

// all returns the number of expected connections.
func (p *Port) all() int {
	if p.expected != nil {
		return len(p.expected)
	}
	return len(p.wires)
}

func (p *Port) forget(c *net.TCPConn) {
	for i, h := range p.hello {
		if h == c {
			p.hello = append(p.hello[:i:i], p.hello[i+1:]...)
			return
		}
	}
}

// take makes c connection number index; an index that is out of range or taken is refused.
func (p *Port) take(c *net.TCPConn, index uint32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || int64(index) >= int64(len(p.wires)) || p.wires[index] != nil || p.expected != nil &&
		!p.expected[int(index)] {
		return errors.New("not expected")
	}
	p.forget(c)
	subject := fmt.Sprintf("%s -> %s", c.RemoteAddr(), c.LocalAddr())
	_ = c.SetDeadline(time.Time{})
	w, err := prepareWire(c, p.setup, p.options, subject)
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte{accepted}); err != nil {
		w.Close()
		return err
	}
	p.wires[index] = w
	p.missing--
	if p.missing == 0 {
		p.shut(nil)
	}
	return nil
}

// shut closes the port and the connections that wait at it. Called with the lock held.
func (p *Port) shut(err error) {
	if p.closed {
		return
	}
	p.closed = true
	p.err = err
	if !p.options.Multipath || err != nil { // further paths of a connection come to the listener, too
		p.Listener.Close()
	}
	for _, c := range p.hello {
		c.Close()
	}
	p.hello = nil
	close(p.done)
}

// Wait returns the connections once all are in.
func (p *Port) Wait(ctx context.Context) ([]*Wire, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.mu.Lock()
		p.shut(failure.Of("data port "+p.Listener.Addr().String(),
			fmt.Errorf("%w with %d of %d connections missing", context.Cause(ctx), p.missing, p.all())))
		p.mu.Unlock()
	}
	if !p.options.Multipath {
		p.accepting.Wait()
	}
	p.serving.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil, p.err
	}
	return p.wires, nil
}

// Close closes the port and every connection that it has taken.
func (p *Port) Close() {
	p.mu.Lock()
	p.shut(&failure.Error{Code: failure.CodeStopped, Text: "stopped"})
	wires := p.wires
	p.mu.Unlock()
	p.Listener.Close()
	p.accepting.Wait()
	p.serving.Wait()
	for _, w := range wires {
		if w != nil {
			w.Close()
		}
	}
}

// SocketOptions are the options of a method's sockets.
type SocketOptions struct {
	NoDelay    bool
	SendBuffer int  // bytes; 0: the system's own
	Multipath  bool // MPTCP, where both hosts have it
}

// prepareWire sets the options of a socket and takes the connection over.
func prepareWire(c *net.TCPConn, s traffic.Endpoint, o SocketOptions, subject string) (*Wire, error) {
	if err := c.SetNoDelay(o.NoDelay); err != nil {
		return nil, failure.Of(subject, err)
	}
	if o.SendBuffer > 0 {
		if err := c.SetWriteBuffer(o.SendBuffer); err != nil {
			return nil, failure.Of(subject, err)
		}
	}
	s.Mark(c)
	return newWire(c, subject)
}

// The first bytes of every data connection: the token as hexadecimal text, and the connection's index, big-endian.
// The passive party answers with one byte once it has taken the connection.
const (
	preambleSize = socket.TokenSize + 4
	accepted     = 'k'
)

// Preamble returns the first bytes of connection index.
func Preamble(token string, index int) []byte {
	return binary.BigEndian.AppendUint32([]byte(token), uint32(index))
}

// parsePreamble returns the index of a preamble that carries the token. The comparison takes the same time wherever
// the two differ.
func parsePreamble(token string, b []byte) (index uint32, ok bool) {
	if len(b) != preambleSize {
		return 0, false
	}
	ok = subtle.ConstantTimeCompare([]byte(token), b[:socket.TokenSize]) == 1
	return binary.BigEndian.Uint32(b[socket.TokenSize:]), ok
}

// connection is what a wire needs of a TCP connection of package net.
type connection interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}
