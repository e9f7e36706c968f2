package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// tcpTimeout bounds connecting, TLS and the secret together.
const tcpTimeout = 10 * time.Second

// winRefused is WSAECONNREFUSED, which is not syscall.ECONNREFUSED on Windows.
const winRefused = syscall.Errno(10061)

// TCPAccepted is the answer of an agent that listens to a controller that knows the secret.
const TCPAccepted = 'k'

// AgentCommand is the one command that a connection without commands starts.
func AgentCommand() []string { return []string{"linerate", "agent"} }

// OnlyAgent reports whether r is connected to a running agent and cannot run commands. A connection reports it by a
// method OnlyAgent() bool.
func OnlyAgent(r Connection) bool {
	s, ok := r.(interface{ OnlyAgent() bool })
	return ok && s.OnlyAgent()
}

// tcpHost is an agent that listens (linerate agent --listen): one connection, which is the agent's standard input and
// output.
type tcpHost struct {
	address string

	mu      sync.Mutex
	conn    *tls.Conn
	started bool
}

func (h *tcpHost) String() string  { return "tcp " + h.address }
func (h *tcpHost) OnlyAgent() bool { return true }

// Close closes the connection, which ends the agent.
func (h *tcpHost) Close() error {
	if err := h.conn.NetConn().Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// openTCP connects, checks that the agent has the certificate of the secret, and sends the secret's bits.
func openTCP(ctx context.Context, s Spec) (Connection, error) {
	h := &tcpHost{address: s.Name}
	fail := func(cause error, try string) (Connection, error) {
		return nil, &Error{Connection: h.String(), Exit: -1, Cause: cause, Try: try}
	}
	if err := checkHostPort(s.Name); err != nil {
		return fail(err, "tcp ADDRESS:PORT")
	}
	if s.Secret.IsZero() {
		return fail(errors.New("it needs the secret that the agent printed"), "tcp://"+s.Name+"#SECRET on the command line")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, tcpTimeout, fmt.Errorf("no answer within %v", tcpTimeout))
	defer cancel()
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.Name)
	if err != nil {
		return nil, h.connectError(ctx, err)
	}
	wrong := errors.New("the program there is not the agent whose secret this is: its certificate is another one")
	h.conn = tls.Client(raw, &tls.Config{
		MinVersion: tls.VersionTLS13,
		// No authority has signed the certificate: so its hash is compared instead. TLS itself checks that the agent has the
		// certificate's key.
		InsecureSkipVerify: true,
		VerifyPeerCertificate: func(certificates [][]byte, _ [][]*x509.Certificate) error {
			if len(certificates) != 1 || !s.Secret.isCertificate(certificates[0]) {
				return wrong
			}
			return nil
		},
	})
	stop := context.AfterFunc(ctx, func() { raw.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	err = h.conn.HandshakeContext(ctx)
	said := false
	if err == nil {
		said = true
		err = h.authenticate(s.Secret)
	}
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err == nil {
		return h, nil
	}
	raw.Close()
	switch {
	case errors.Is(err, wrong):
		return fail(wrong, "the line that the agent printed at its last start; each start makes another secret")
	case ctx.Err() != nil:
		return nil, h.connectError(ctx, err)
	case said:
		return fail(errors.New("the agent refused the secret, or was taken by another controller at this moment"),
			"the line that the agent printed at its last start")
	}
	return fail(fmt.Errorf("no TLS 1.3 with an agent there: %w", err),
		"look whether `linerate agent --listen` still runs there; it ends with its controller")
}

// connectError returns the error of a failed connection, with the next step.
func (h *tcpHost) connectError(ctx context.Context, err error) *Error {
	e := &Error{Connection: h.String(), Exit: -1, Cause: err, Try: "on the host: linerate agent --listen " + h.address}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		e.Cause, e.Try = fmt.Errorf("the name cannot be resolved: %w", err), "an address instead of the name"
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, winRefused) ||
		strings.Contains(err.Error(), "actively refused"):
		e.Cause = errors.New("connection refused: the host answers, but nothing listens there, or its firewall rejects it")
		e.Try += " (it ends with its controller: start it again)"
	case ctx.Err() != nil:
		e.Cause = fmt.Errorf("filtered or switched off: %w", context.Cause(ctx))
		e.Try = "ping the host: when it answers, a firewall drops the port (on Windows: allow it for linerate.exe)"
	}
	return e
}

func (h *tcpHost) authenticate(s Secret) error {
	if _, err := h.conn.Write(s.bits[:]); err != nil {
		return err
	}
	var answer [1]byte
	if _, err := io.ReadFull(h.conn, answer[:]); err != nil {
		return err
	}
	if answer[0] != TCPAccepted {
		return fmt.Errorf("it answered %q", answer)
	}
	return nil
}

// Start uses the connection as the agent's standard input and output. It works once.
func (h *tcpHost) Start(ctx context.Context, c Command) (Process, error) {
	fail := func(cause, try string) (Process, error) {
		return nil, &Error{Connection: h.String(), Command: c.Argv, Exit: -1, Cause: errors.New(cause), Try: try}
	}
	if !slices.Equal(c.Argv, AgentCommand()) {
		return fail("only the agent is there; no command can be run over tcp", "ssh [USER@]HOST for what needs commands")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.started {
		return fail("the agent has its controller", "start another agent there")
	}
	h.started = true
	p := &tcpProcess{host: h, argv: c.Argv, done: make(chan struct{})}
	p.stopCtx = context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	if c.Stdin != nil {
		go func() {
			_, err := io.Copy(h.conn, c.Stdin)
			// The controller has sent everything: the agent ends, and closes.
			if p.closing(); err == nil {
				_ = h.conn.CloseWrite()
			}
		}()
	}
	go func() {
		out := c.Stdout
		if out == nil {
			out = io.Discard
		}
		_, err := io.Copy(out, h.conn)
		if err == nil {
			err = errors.New("the agent closed the connection; it was stopped, or its host ends")
		} else {
			err = fmt.Errorf("the connection to the agent broke: %w", err)
		}
		p.end(err)
	}()
	return p, nil
}

// tcpProcess is the agent at the other end of the connection.
type tcpProcess struct {
	host    *tcpHost
	argv    []string
	stopCtx func() bool
	done    chan struct{}

	mu     sync.Mutex
	over   bool // done is closed
	asked  bool // standard input has ended: the agent ends as expected
	killed bool
	err    error
}

func (p *tcpProcess) closing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
}

// end ends the connection, and with it the agent.
func (p *tcpProcess) end(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.over = true
	if !p.asked && !p.killed {
		p.err = &Error{Connection: p.host.String(), Command: p.argv, Exit: -1, Cause: why}
	}
	p.host.Close()
	close(p.done)
}

func (p *tcpProcess) Wait() (int, error) {
	<-p.done
	p.stopCtx()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.killed:
		return 128 + int(syscall.SIGKILL), nil
	case p.err != nil:
		return -1, p.err
	}
	return 0, nil
}

// Kill closes the connection; which ends the agent.
func (p *tcpProcess) Kill() error {
	p.mu.Lock()
	p.killed = !p.over
	p.mu.Unlock()
	p.end(nil)
	return nil
}
