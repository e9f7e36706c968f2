package traffic

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/testenv"
)

func FuzzToken(f *testing.F) {
	token := newToken()
	f.Add(preamble(token, 0))
	f.Add(preamble(token, 1<<31-1))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, preambleSize))
	f.Add(append(preamble(token, 3), 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		index, ok := parsePreamble(token, b)
		want := len(b) == preambleSize && string(b[:tokenSize]) == token
		if ok != want {
			t.Fatalf("%q: taken %v, want %v", b, ok, want)
		}
		if ok && !bytes.Equal(preamble(token, int(index)), b) {
			t.Fatalf("%q: index %d", b, index)
		}
	})
}

func TestTokensDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := newToken()
		if len(token) != tokenSize || seen[token] {
			t.Fatalf("token %q", token)
		}
		seen[token] = true
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("open descriptors are counted in /proc/self/fd, which is missing here")
	}
	return len(entries)
}

// settled waits until a count is back at what it was, or reports.
func settled(t *testing.T, what string, want int, count func() int) {
	t.Helper()
	got := 0
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if got = count(); got <= want {
			return
		}
	}
	t.Errorf("%s: %d, was %d", what, got, want)
}

// setup has a window in which each thread gets a turn on a busy machine.
func setup(method string, streams int) Setup {
	at := netip.MustParseAddr("127.0.0.1")
	return Setup{Method: method, Direction: Out, Streams: streams, Window: time.Second, Local: at, Remote: at}
}

// Strangers at the data port cost nobody but themselves: a thousand that say nothing and some that send garbage, before
// and while the connections come and the measurement runs.
func TestStrangersAtTheDataPort(t *testing.T) {
	testenv.Need(t, testenv.Live)
	before := descriptors(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := setup("stream", 2)
	s.Side, s.Listen = To, true
	to, err := Prepare(ctx, s)
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
	s.Side, s.Listen, s.Port, s.Token = From, false, to.Ready().Port, to.Ready().Token
	from, err := Prepare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	begin := Now() + int64(lead)
	var failed error
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_, failed = from.Run(ctx, begin, func([]Sample) {})
	}()
	got, err := to.Run(ctx, begin, func([]Sample) {})
	wg.Wait()
	close(garbage)
	noise.Wait()
	defer func() {
		for _, c := range idle {
			c.Close()
		}
		from.Close()
		to.Close()
		settled(t, "open descriptors", before, func() int { return descriptors(t) })
	}()
	if err != nil || failed != nil {
		t.Fatalf("%v, %v", err, failed)
	}
	if received(got) == 0 || got.Strangers < 1000 || !strings.Contains(strings.Join(got.Warnings, ""), "without the token") {
		t.Errorf("%d bytes, %d strangers, warnings %q", received(got), got.Strangers, got.Warnings)
	}
}

// What a stranger may try, one by one: each is closed without an answer, and the port goes on.
func TestPortRefuses(t *testing.T) {
	s := setup("stream", 2)
	s.Side, s.Listen = To, true
	p, err := listenPatient(t.Context(), s, s.connections(), nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	address := fmt.Sprintf("127.0.0.1:%d", p.number())
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
	wrong := preamble(newToken(), 0)
	for name, b := range map[string][]byte{
		"wrong token":        wrong,
		"index too high":     preamble(p.token, 2),
		"index far too high": preamble(p.token, 1<<32-1),
		"short":              preamble(p.token, 0)[:10],
		"an HTTP request":    []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n.............."),
	} {
		if got := knock(b); got != "" {
			t.Errorf("%s: answered %q", name, got)
		}
	}
	first, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	first.Write(preamble(p.token, 1))
	var answer [1]byte
	if _, err := io.ReadFull(first, answer[:]); err != nil || answer[0] != accepted {
		t.Fatalf("the right preamble: %q, %v", answer, err)
	}
	if got := knock(preamble(p.token, 1)); got != "" {
		t.Errorf("an index that is taken: answered %q", got)
	}
	p.mu.Lock()
	strangers, missing := p.strangers(), p.missing
	p.mu.Unlock()
	if strangers != 6 || missing != 1 {
		t.Errorf("%d strangers, %d connections missing", strangers, missing)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.wait(ctx); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("one connection missing: %v", err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the port is still open")
	}
}

// Who says the right preamble, but too slowly, is closed: the time of a connection is one for all its bytes.
func TestPortPatience(t *testing.T) {
	s := setup("stream", 1)
	s.Side, s.Listen = To, true
	p, err := listenPatient(t.Context(), s, 1, nil, 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.number()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, b := range preamble(p.token, 0)[:preambleSize-1] {
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
	s := setup("ping", 1)
	s.Side, s.Listen, s.Local = To, true, netip.MustParseAddr("127.0.0.2")
	p, err := listen(t.Context(), s)
	if err != nil {
		t.Skipf("127.0.0.2 is not an address of this system: %v", err)
	}
	defer p.close()
	if got := p.listener.Addr().(*net.TCPAddr).IP.String(); got != "127.0.0.2" {
		t.Errorf("listens on %s", got)
	}
	if c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", p.number()), time.Second); err == nil {
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
		change func(*Setup)
		code   string
	}{
		{"refused", func(s *Setup) { s.Port = port }, CodeRefused},
		{"not an address of this host", func(s *Setup) { s.Local = netip.MustParseAddr("192.0.2.7") }, CodeAddress},
		{"not an address to listen on", func(s *Setup) { s.Local, s.Listen = netip.MustParseAddr("192.0.2.7"), true }, CodeAddress},
		{"another program", func(s *Setup) { s.Port = uint16(other.Addr().(*net.TCPAddr).Port) }, ""},
		{"no such device", func(s *Setup) { s.Device, s.Listen = "nosuchdev0", true }, ""},
	} {
		s := setup("stream", 3)
		s.Side, s.Port, s.Token = From, 1, newToken()
		c.change(&s)
		before := runtime.NumGoroutine()
		e, err := Prepare(t.Context(), s)
		if err == nil {
			e.Close()
			t.Errorf("%s: prepared", c.name)
			continue
		}
		me, ok := err.(*Error)
		if !ok || c.code != "" && me.Code != c.code {
			t.Errorf("%s: %#v", c.name, err)
		}
		if !strings.Contains(err.Error(), ";") || !strings.Contains(err.Error(), s.Local.String()) && s.Device == "" {
			t.Errorf("%s: %q names no address or no next step", c.name, err)
		}
		settled(t, c.name+": goroutines", before, runtime.NumGoroutine)
		t.Log(err)
	}
}

// An end that vanishes in the window is an error of the other one.
func TestOtherEndVanishes(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	for _, m := range methods() {
		method := m.Name
		if m.active == nil {
			continue // a program beside this one does its work; its own test ends it
		}
		t.Run(method, func(t *testing.T) { otherEndVanishes(t, method) })
	}
}

func otherEndVanishes(t *testing.T, method string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := setup(method, 2)
	s.Window = 2 * time.Minute
	s.Side, s.Listen = To, true
	to, err := Prepare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	s.Side, s.Listen, s.Port, s.Token = From, false, to.Ready().Port, to.Ready().Token
	from, err := Prepare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	begin := Now() + int64(lead)
	vanished := make(chan error, 1)
	go func() {
		_, err := from.Run(ctx, begin, func([]Sample) {})
		vanished <- err
	}()
	go func() {
		sleepUntil(ctx, begin+300*ms)
		from.Close()
	}()
	_, err = to.Run(ctx, begin, func([]Sample) {})
	<-vanished
	if me, ok := err.(*Error); !ok || me.Code != CodeReset {
		t.Errorf("%v", err)
	}
}
