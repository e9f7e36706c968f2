package tcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/traffictest"
)

func FuzzToken(f *testing.F) {
	token := socket.NewToken()
	f.Add(Preamble(token, 0))
	f.Add(Preamble(token, 1<<31-1))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, preambleSize))
	f.Add(append(Preamble(token, 3), 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		index, ok := parsePreamble(token, b)
		want := len(b) == preambleSize && string(b[:socket.TokenSize]) == token
		if ok != want {
			t.Fatalf("%q: taken %v, want %v", b, ok, want)
		}
		if ok && !bytes.Equal(Preamble(token, int(index)), b) {
			t.Fatalf("%q: index %d", b, index)
		}
	})
}

func TestTokensDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := socket.NewToken()
		if len(token) != socket.TokenSize || seen[token] {
			t.Fatalf("token %q", token)
		}
		seen[token] = true
	}
}

// Unauthenticated peers at the data port disturb no one: a thousand that send nothing and some that send garbage,
// before and while the connections come and the experiment runs.
func TestUnauthenticatedPeers(t *testing.T) {
	testenv.Need(t, testenv.Live)
	before := traffictest.Descriptors(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := traffictest.Setup("throughput", 2)
	s.Side, s.Listen = traffic.To, true
	to, err := table().Prepare(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	address := fmt.Sprintf("127.0.0.1:%d", to.Ready().Port)
	var idle []net.Conn
	for range 1000 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, c)
	}
	garbage := make(chan struct{})
	var noise sync.WaitGroup
	for i := range 4 {
		noise.Add(1)
		go func() {
			defer noise.Done()
			random := rand.New(rand.NewPCG(uint64(i), 0))
			for {
				select {
				case <-garbage:
					return
				case <-time.After(time.Millisecond):
				}
				if c, err := net.Dial("tcp", address); err == nil {
					b := make([]byte, random.IntN(200))
					for j := range b {
						b[j] = byte(random.Uint32())
					}
					c.Write(b)
					c.Close()
				}
			}
		}()
	}
	s.Side, s.Listen, s.Port, s.Token = traffic.From, false, to.Ready().Port, to.Ready().Token
	from, err := table().Prepare(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	begin := traffic.Now() + int64(traffictest.Lead)
	var failed error
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_, failed = from.Run(ctx, begin, func([]traffic.Sample) {})
	}()
	got, err := to.Run(ctx, begin, func([]traffic.Sample) {})
	wg.Wait()
	close(garbage)
	noise.Wait()
	defer func() {
		for _, c := range idle {
			c.Close()
		}
		from.Close()
		to.Close()
		traffictest.Settled(t, "open descriptors", before, func() int { return traffictest.Descriptors(t) })
	}()
	if err != nil || failed != nil {
		t.Fatalf("%v, %v", err, failed)
	}
	if traffictest.Received(got) == 0 || got.UnauthenticatedPeers < 1000 ||
		!strings.Contains(strings.Join(got.Warnings, ""), "without the token") {
		t.Errorf("%d bytes, %d unauthenticated peers, warnings %q", traffictest.Received(got), got.UnauthenticatedPeers,
			got.Warnings)
	}
}

// Whatever an unauthenticated peer tries, its connection is closed without an answer, and the port goes on.
func TestPortRefuses(t *testing.T) {
	s := traffictest.Setup("throughput", 2)
	s.Side, s.Listen = traffic.To, true
	p, err := listenPatient(t.Context(), traffic.Endpoint{Setup: s}, SocketOptions{}, s.Connections(), nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	address := fmt.Sprintf("127.0.0.1:%d", p.Number())
	knock := func(b []byte) string {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := c.Write(b); err != nil {
			return ""
		}
		if len(b) < preambleSize {
			_ = c.(*net.TCPConn).CloseWrite()
		}
		answer, _ := io.ReadAll(io.LimitReader(c, 1))
		return string(answer)
	}
	wrong := Preamble(socket.NewToken(), 0)
	for name, b := range map[string][]byte{"wrong token": wrong, "index too high": Preamble(p.Token, 2),
		"index far too high": Preamble(p.Token, 1<<32-1), "short": Preamble(p.Token, 0)[:10],
		"an HTTP request": []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n..............")} {
		if got := knock(b); got != "" {
			t.Errorf("%s: answered %q", name, got)
		}
	}
	first, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	first.Write(Preamble(p.Token, 1))
	var answer [1]byte
	if _, err := io.ReadFull(first, answer[:]); err != nil || answer[0] != accepted {
		t.Fatalf("the right preamble: %q, %v", answer, err)
	}
	if got := knock(Preamble(p.Token, 1)); got != "" {
		t.Errorf("an index that is taken: answered %q", got)
	}
	p.mu.Lock()
	unauthenticatedPeers, missing := p.UnauthenticatedPeers(), p.missing
	p.mu.Unlock()
	if unauthenticatedPeers != 6 || missing != 1 {
		t.Errorf("%d unauthenticated peers, %d connections missing", unauthenticatedPeers, missing)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("one connection missing: %v", err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the port is still open")
	}
}

// A peer that sends the right preamble too slowly is closed: its time is one for all its bytes.
func TestPortPatience(t *testing.T) {
	s := traffictest.Setup("throughput", 1)
	s.Side, s.Listen = traffic.To, true
	p, err := listenPatient(t.Context(), traffic.Endpoint{Setup: s}, SocketOptions{}, 1, nil, 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.Number()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, b := range Preamble(p.Token, 0)[:preambleSize-1] {
		if _, err := c.Write([]byte{b}); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// The data port is on the planned address only.
func TestPortAddress(t *testing.T) {
	s := traffictest.Setup("latency", 1)
	s.Side, s.Listen, s.Local = traffic.To, true, netip.MustParseAddr("127.0.0.2")
	p, err := listen(t.Context(), traffic.Endpoint{Setup: s}, SocketOptions{})
	if err != nil {
		t.Skipf("127.0.0.2 is not an address of this system: %v", err)
	}
	defer p.Close()
	if got := p.Listener.Addr().(*net.TCPAddr).IP.String(); got != "127.0.0.2" {
		t.Errorf("listens on %s", got)
	}
	if c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", p.Number()), time.Second); err == nil {
		c.Close()
		t.Error("answers on another address")
	}
}

func TestPrepareFails(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(closed.Addr().(*net.TCPAddr).Port)
	closed.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0") // another program
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("220 hello\r\n"))
			c.Close()
		}
	}()
	for _, c := range []struct {
		name   string
		change func(*traffic.Setup)
		code   string
	}{
		{"refused", func(s *traffic.Setup) { s.Port = port }, failure.CodeRefused},
		{"not an address of this host", func(s *traffic.Setup) { s.Local = netip.MustParseAddr("192.0.2.7") },
			failure.CodeAddress},
		{"not an address to listen on", func(s *traffic.Setup) {
			s.Local, s.Listen = netip.MustParseAddr("192.0.2.7"),
				true
		}, failure.CodeAddress},
		{"another program", func(s *traffic.Setup) { s.Port = uint16(other.Addr().(*net.TCPAddr).Port) }, ""},
		{"no such device", func(s *traffic.Setup) { s.Device, s.Listen = "nosuchdev0", true }, ""},
	} {
		s := traffictest.Setup("throughput", 3)
		s.Side, s.Port, s.Token = traffic.From, 1, socket.NewToken()
		c.change(&s)
		before := runtime.NumGoroutine()
		e, err := table().Prepare(t.Context(), s, nil)
		if err == nil {
			e.Close()
			t.Errorf("%s: prepared", c.name)
			continue
		}
		me, ok := err.(*failure.Error)
		if !ok || c.code != "" && me.Code != c.code {
			t.Errorf("%s: %#v", c.name, err)
		}
		if !strings.Contains(err.Error(), ";") || !strings.Contains(err.Error(), s.Local.String()) && s.Device == "" {
			t.Errorf("%s: %q names no address or no next step", c.name, err)
		}
		traffictest.Settled(t, c.name+": goroutines", before, runtime.NumGoroutine)
		t.Log(err)
	}
}

// An end that vanishes in the interval is an error of the other one.
func TestOtherEndVanishes(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	for _, method := range []string{"throughput", "latency"} {
		t.Run(method, func(t *testing.T) { otherEndVanishes(t, method) })
	}
}

func otherEndVanishes(t *testing.T, method string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := traffictest.Setup(method, 2)
	s.Interval = 2 * time.Minute
	s.Side, s.Listen = traffic.To, true
	to, err := table().Prepare(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	s.Side, s.Listen, s.Port, s.Token = traffic.From, false, to.Ready().Port, to.Ready().Token
	from, err := table().Prepare(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	begin := traffic.Now() + int64(traffictest.Lead)
	vanished := make(chan error, 1)
	go func() {
		_, err := from.Run(ctx, begin, func([]traffic.Sample) {})
		vanished <- err
	}()
	go func() {
		traffic.SleepUntil(ctx, begin+300*ms)
		from.Close()
	}()
	_, err = to.Run(ctx, begin, func([]traffic.Sample) {})
	<-vanished
	if me, ok := err.(*failure.Error); !ok || me.Code != failure.CodeReset {
		t.Errorf("%v", err)
	}
}
