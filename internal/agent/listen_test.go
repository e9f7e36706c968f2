package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// listener is an agent in this process that waits for its controller.
type listener struct {
	*Listener
	log   *lockedLog
	ended chan error
}

type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func listenHere(t *testing.T, timeout time.Duration) *listener {
	t.Helper()
	a := testenv.Must(listen("127.0.0.1:0", timeout))(t)
	l := &listener{a, &lockedLog{}, make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		l.ended <- a.Serve(ctx, Options{Log: l.log, Unguarded: true,
			Facts: func(context.Context, string) ([]byte, error) { return []byte("facts"), nil }})
	}()
	t.Cleanup(func() { cancel(); a.Close() })
	return l
}

func (l *listener) open(ctx context.Context) (*Client, error) {
	spec, err := connect.Parse(l.URL())
	if err != nil {
		return nil, err
	}
	return Open(ctx, spec, OpenOptions{Host: "far"})
}

// over waits for the end of the agent.
func (l *listener) over(t *testing.T) error {
	t.Helper()
	select {
	case err := <-l.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the agent is still there")
		return nil
	}
}

func TestListen(t *testing.T) {
	files := descriptors()
	l := listenHere(t, authTimeout)
	c := testenv.Must(l.open(t.Context()))(t)
	if text, err := c.Facts(t.Context(), "full"); err != nil || string(text) != "facts" {
		t.Errorf("%q, %v", text, err)
	}
	s := good()
	to := testenv.Must(c.Prepare(t.Context(), s))(t)
	if err := to.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	// There is no second controller, not even with the secret.
	if _, err := l.open(t.Context()); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("a second controller: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := l.over(t); err != nil {
		t.Errorf("the agent's end: %v", err)
	}
	flat(t, "open descriptors", files, descriptors)
}

// Over such a connection only the agent can be started, and once.
func TestListenRunsNoCommands(t *testing.T) {
	l := listenHere(t, authTimeout)
	spec := testenv.Must(connect.Parse(l.URL()))(t)
	r := testenv.Must(connect.Open(t.Context(), spec))(t)
	if _, err := connect.Run(t.Context(), r, nil, "uname", "-sm"); err == nil ||
		!strings.Contains(err.Error(), "no command can be run over tcp") {
		t.Errorf("%v", err)
	}
	c := testenv.Must(Dial(t.Context(), r, connect.AgentCommand()))(t)
	defer c.Close()
	if _, err := r.Start(t.Context(), connect.Command{Argv: connect.AgentCommand()}); err == nil ||
		!strings.Contains(err.Error(), "has its controller") {
		t.Errorf("a second start: %v", err)
	}
}

// The agent ends when the controller is gone without a bye.
func TestListenControllerVanishes(t *testing.T) {
	l := listenHere(t, authTimeout)
	spec, _ := connect.Parse(l.URL())
	r := testenv.Must(connect.Open(t.Context(), spec))(t)
	c := testenv.Must(Dial(t.Context(), r, connect.AgentCommand()))(t)
	r.Close()
	l.over(t)
	if _, err := c.Facts(t.Context(), "full"); err == nil || !strings.Contains(err.Error(), "connection") &&
		!strings.Contains(err.Error(), "channel") && !strings.Contains(err.Error(), "has ended") &&
		!strings.Contains(err.Error(), "agent ended") {
		t.Errorf("%v", err)
	}
	c.Close()
}

// An agent that is stopped sends the cause to the controller.
func TestListenAgentStopped(t *testing.T) {
	a := testenv.Must(Listen("127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	go a.Serve(ctx, Options{Unguarded: true})
	c := testenv.Must((&listener{Listener: a}).open(t.Context()))(t)
	cancel(errors.New("signal: terminated"))
	for end := time.Now().Add(time.Minute); c.Err() == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "terminated") {
		t.Errorf("%v", err)
	}
	c.Close()
}

// unauthenticated are connections that never send the secret.
func (l *listener) unauthenticated(t *testing.T, n int) (close func()) {
	t.Helper()
	var all []net.Conn
	for i := range n {
		c, err := net.Dial("tcp", l.listener.Addr().String())
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		all = append(all, c)
	}
	return func() {
		for _, c := range all {
			c.Close()
		}
	}
}

func TestListenHostilePeers(t *testing.T) {
	files, goroutines := descriptors(), runtime.NumGoroutine()
	l := listenHere(t, time.Hour) // no peer is closed for its time
	address := l.listener.Addr().String()
	closePeers := l.unauthenticated(t, mostPeers+100)
	defer closePeers()

	refused := func(name string, c net.Conn, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Minute))
		if b, err := io.ReadAll(io.LimitReader(c, 1000)); err == nil &&
			strings.HasSuffix(string(b), string(connect.TCPAccepted)) {
			t.Errorf("%s: taken", name)
		} else if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: not closed", name)
		}
	}
	dial := func(say string) (net.Conn, error) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_, err = io.WriteString(c, say)
		}
		return c, err
	}
	overTLS := func(version uint16, say string) (net.Conn, error) {
		c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: version})
		if err != nil {
			return nil, err
		}
		_, err = io.WriteString(c, say)
		return c, err
	}
	c, err := dial("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	refused("HTTP", c, err)
	c, err = dial("\x16\x03\x01\xff\xff" + strings.Repeat("\x00\xff", 40_000))
	refused("garbage that begins like TLS", c, err)
	c, err = overTLS(tls.VersionTLS13, strings.Repeat("\x00", connect.SecretBits/8))
	refused("wrong bits", c, err)
	if c, err := overTLS(tls.VersionTLS12, "x"); err == nil {
		c.Close()
		t.Error("TLS 1.2 was taken")
	}
	// The certificate of another agent: the controller refuses, and sends no secret.
	spec, _ := connect.Parse(l.URL())
	other, _ := Listen("127.0.0.1:0")
	defer other.Close()
	wrong, _ := connect.Parse(other.URL())
	wrong.Name = spec.Name
	if _, err := connect.Open(t.Context(), wrong); err == nil ||
		!strings.Contains(err.Error(), "its certificate is another one") {
		t.Errorf("wrong certificate: %v", err)
	}

	client, err := l.open(t.Context())
	if err != nil {
		t.Fatalf("the controller among unauthenticated peers: %v", err)
	}
	client.Close()
	if err := l.over(t); err != nil {
		t.Error(err)
	}
	if said := l.log.String(); !strings.Contains(said, "connections without the secret were refused") {
		t.Errorf("log: %q", said)
	}
	closePeers()
	flat(t, "open descriptors", files+1, descriptors) // other's
	flat(t, "goroutines", goroutines+1, runtime.NumGoroutine)
}

func TestListenBadAddress(t *testing.T) {
	taken := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for address, want := range map[string]struct{ code, text string }{
		taken.Addr().String(): {failure.CodeBusy, "in use by another program"},
		"192.0.2.77:7411":     {failure.CodeAddress, "its own are 127.0.0.1"},
		"0.0.0.0:7411":        {failure.CodeInput, "not on all"},
		"[::]:7411":           {failure.CodeInput, "not on all"},
		":7411":               {failure.CodeInput, "ADDRESS:PORT"},
		"nas:7411":            {failure.CodeInput, "ADDRESS:PORT"},
		"127.0.0.1":           {failure.CodeInput, "ADDRESS:PORT"},
		"127.0.0.1:70000":     {failure.CodeInput, "ADDRESS:PORT"},
	} {
		l, err := Listen(address)
		if err == nil {
			l.Close()
		}
		var e *failure.Error
		if !errors.As(err, &e) || e.Code != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
}

// An agent that listens reads a file for its controller only where that was allowed by name.
func TestListenSource(t *testing.T) {
	for _, allow := range [][]string{nil, {"copy"}, {"source"}} {
		a, err := listen("127.0.0.1:0", authTimeout)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go a.Serve(ctx, Options{Unguarded: true, Allow: allow})
		spec, err := connect.Parse(a.URL())
		if err != nil {
			t.Fatal(err)
		}
		c, err := Open(ctx, spec, OpenOptions{Host: "far"})
		if err != nil {
			t.Fatal(err)
		}
		s := good()
		s.Direction, s.Source = traffic.In, "/no/such/file"
		_, err = c.Prepare(ctx, s)
		want := "--allow source"
		if len(allow) > 0 && allow[0] == "source" {
			want = "no such file"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("allowed %v: %v; want %q", allow, err, want)
		}
		c.Close()
	}
}
