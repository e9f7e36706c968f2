package agent

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
)

const (
	// authTimeout is the limit for TLS and the secret together, however slowly bytes come.
	authTimeout = 10 * time.Second
	// mostPeers is the most unauthenticated peers at once. Beyond that the oldest is closed: a controller sends the
	// secret at once, so a peer that waits is not a controller.
	mostPeers = 256
)

// Listener waits at a control port for the one controller that knows its secret.
type Listener struct {
	secret   connect.Secret
	config   *tls.Config
	listener *net.TCPListener
	taken    chan *tls.Conn // the controller's; of capacity 1
	timeout  time.Duration

	mu      sync.Mutex
	waiting []net.Conn // unauthenticated peers, oldest first
	refused int
	closed  bool
	serving sync.WaitGroup
}

// Listen opens the control port at ADDRESS:PORT, an address of this host; with port 0 the system chooses a port. The
// listener has a certificate and a secret of its own. Errors say what to write instead.
func Listen(address string) (*Listener, error) { return listen(address, authTimeout) }

func listen(address string, timeout time.Duration) (*Listener, error) {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return nil, failure.Errorf(failure.CodeInput, "--listen "+address,
			"it is not ADDRESS:PORT; write an IP address of this host, such as 192.168.1.5:7411 or [fd00::5]:7411")
	case at.Addr().IsUnspecified():
		return nil, failure.Errorf(failure.CodeInput, "--listen "+address,
			"the agent listens on one address of this host, not on all; write that which controllers use")
	}
	certificate, err := newCertificate()
	if err != nil {
		return nil, err
	}
	var bits [connect.SecretBits / 8]byte
	rand.Read(bits[:]) // never fails: the program ends instead
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return nil, listenError(address, err)
	}
	a := &Listener{
		secret: connect.NewSecret(certificate.Certificate[0], bits), listener: l, taken: make(chan *tls.Conn, 1),
		timeout: timeout,
		config: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate},
			SessionTicketsDisabled: true},
	}
	a.serving.Add(1)
	go a.accept()
	return a, nil
}

// newCertificate is a self-signed certificate of this process: the controller knows its hash.
func newCertificate() (tls.Certificate, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, nil
}

// listenError is the error of a port that could not be opened, with what to do.
func listenError(address string, err error) error {
	e := &failure.Error{Code: failure.CodeInternal, Subject: "--listen " + address, Text: err.Error()}
	switch {
	case failure.IsInUse(err):
		e.Code, e.Text = failure.CodeBusy, "the port is in use by another program; choose another port (0: any), or end "+
			"that program"
	case failure.IsNotOurs(err):
		e.Code, e.Text = failure.CodeAddress, "this host does not have that address; its own are "+strings.Join(addresses(),
			", ")
	case failure.IsForbidden(err):
		e.Code, e.Text = failure.CodeRefused, "this user may not open that port; choose one above 1023"
	}
	return e
}

func addresses() []string {
	var out []string
	all, err := net.InterfaceAddrs()
	if err != nil {
		return []string{"not known: " + err.Error()}
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			out = append(out, n.IP.String())
		}
	}
	return out
}

// URL is the address for the controller: tcp://ADDRESS:PORT#SECRET.
func (a *Listener) URL() string { return "tcp://" + a.listener.Addr().String() + "#" + a.secret.Text() }

func (a *Listener) accept() {
	defer a.serving.Done()
	for {
		c, err := a.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Unauthenticated peers use all descriptors, or a connection was reset in the queue: the port stays open.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if a.admit(c) {
			a.serving.Add(1)
			go a.greet(c)
		}
	}
}

// admit adds a connection to those that wait.
func (a *Listener) admit(c net.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		c.Close()
		return false
	}
	if len(a.waiting) >= mostPeers {
		a.waiting[0].Close()
		a.waiting = a.waiting[1:]
	}
	a.waiting = append(a.waiting, c)
	return true
}

// greet accepts a peer that knows the secret, and closes every other.
func (a *Listener) greet(raw net.Conn) {
	defer a.serving.Done()
	_ = raw.SetDeadline(time.Now().Add(a.timeout))
	c := tls.Server(raw, a.config)
	var bits [connect.SecretBits / 8]byte
	if _, err := io.ReadFull(c, bits[:]); err != nil || !a.secret.Allows(bits[:]) || !a.take(raw, c) {
		if t, ok := raw.(*net.TCPConn); ok {
			_ = t.SetLinger(0) // the kernel keeps nothing for an unauthenticated peer
		}
		raw.Close()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.refused++
		a.forget(raw)
	}
}

func (a *Listener) forget(c net.Conn) {
	if i := slices.Index(a.waiting, c); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	}
}

// take makes the first peer that knows the secret the controller and closes the port: there is only one controller.
func (a *Listener) take(raw net.Conn, c *tls.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	if _, err := c.Write([]byte{connect.TCPAccepted}); err != nil {
		return false
	}
	a.forget(raw)
	_ = raw.SetDeadline(time.Time{})
	a.shut()
	a.taken <- c
	return true
}

// shut closes the port and all connections that wait. The caller holds the lock.
func (a *Listener) shut() {
	if a.closed {
		return
	}
	a.closed = true
	a.listener.Close()
	for _, c := range a.waiting {
		c.Close()
	}
	a.waiting = nil
}

// Close closes the port. It may be called more than once.
func (a *Listener) Close() error {
	a.mu.Lock()
	a.shut()
	a.mu.Unlock()
	a.serving.Wait()
	return nil
}

// Serve waits for the controller and is its agent, as function Serve, until it ends. Signals end it; the end of its
// parent process does not.
func (a *Listener) Serve(ctx context.Context, opt Options) error {
	defer a.Close()
	if opt.Log == nil {
		opt.Log = io.Discard
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !opt.Unguarded {
		defer guardProcess(cancel, false)()
		opt.Unguarded = true
	}
	opt.listens = true
	var c *tls.Conn
	select {
	case c = <-a.taken:
	case <-ctx.Done():
		return fmt.Errorf("agent: no controller came: %w", context.Cause(ctx))
	}
	a.Close()
	if a.refused > 0 {
		fmt.Fprintf(opt.Log, "agent: %d connections without the secret were refused at %s\n", a.refused, a.listener.Addr())
	}
	fmt.Fprintf(opt.Log, "agent: the controller is %s\n", c.RemoteAddr())
	defer c.Close()
	return Serve(ctx, c, c, opt)
}
