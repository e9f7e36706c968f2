package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// inProcess is a connection whose only program is the agent in this process.
type inProcess struct {
	opt Options
	end error
}

func (*inProcess) String() string { return "here" }
func (*inProcess) Close() error   { return nil }

func (r *inProcess) Start(ctx context.Context, c connect.Command) (connect.Process, error) {
	p := &served{done: make(chan struct{})}
	ctx, p.kill = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		r.end = Serve(ctx, c.Stdin, c.Stdout, r.opt)
		if r.end != nil {
			io.WriteString(c.Stderr, r.end.Error()+"\n")
			p.code = 1
		}
	}()
	return p, nil
}

type served struct {
	kill context.CancelFunc
	done chan struct{}
	code int
}

func (p *served) Wait() (int, error) { <-p.done; return p.code, nil }
func (p *served) Kill() error        { p.kill(); return nil }

// here is a client of an agent in this process.
func here(t *testing.T, opt Options) *Client {
	t.Helper()
	c := testenv.Must(Dial(t.Context(), &inProcess{opt: opt}, []string{"agent"}))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestHello(t *testing.T) {
	c := here(t, Options{Version: "v9"})
	h := c.Hello()
	if h.Protocol != Protocol || h.GOOS != runtime.GOOS || h.Arch != runtime.GOARCH || h.PID != os.Getpid() ||
		len(h.Features) == 0 {
		t.Errorf("%+v", h)
	}
	if w := c.Warnings(); len(w) == 0 || !strings.Contains(w[0].Text, "v9") {
		t.Errorf("another version was not warned of: %+v", w)
	}
	// Both ends have this process's clock.
	if o := c.Clock(); o.Nanoseconds > int64(o.RTT) || o.Nanoseconds < -int64(o.RTT) {
		t.Errorf("offset %v ns with a round trip of %v", o.Nanoseconds, o.RTT)
	}
	if err := c.Close(); err != nil {
		t.Errorf("closed: %v", err)
	}
	if c.Err() == nil {
		t.Error("a closed client has no error")
	}
}

func TestFacts(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 200_000) // some frames
	c := here(t, Options{Facts: func(_ context.Context, level string) ([]byte, error) {
		switch level {
		case "full":
			return []byte(long), nil
		case "panic":
			panic("a parser that panics")
		}
		return nil, errors.New("level " + level)
	}})
	if text, err := c.Facts(t.Context(), "full"); err != nil || string(text) != long {
		t.Errorf("%d bytes of %d, %v", len(text), len(long), err)
	}
	for level, want := range map[string]string{"none": "level none", "panic": "internal error"} {
		var e *failure.Error
		_, err := c.Facts(t.Context(), level)
		if !errors.As(err, &e) || e.Code != failure.CodeInternal || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "here: take facts") {
			t.Errorf("%s: %v", level, err)
		}
	}
	if text, err := c.Facts(t.Context(), "full"); err != nil || string(text) != long {
		t.Errorf("after a panic: %d bytes, %v", len(text), err)
	}
}

func TestRequestsRefused(t *testing.T) {
	c := here(t, Options{Memory: 8 << 20})
	for name, change := range map[string]func(*traffic.Setup){"2000": func(s *traffic.Setup) { s.Streams = 2000 },
		"memory": func(s *traffic.Setup) { s.Size = 32 << 20 },
		"method": func(s *traffic.Setup) { s.Method = "format-disk" }} {
		s := good()
		change(&s)
		if _, err := c.Prepare(t.Context(), s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x, err := c.Prepare(t.Context(), good())
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]int64{"1m0s": traffic.Now() + int64(time.Hour), "slow": 0} {
		y := x
		if name == "slow" {
			if y, err = c.Prepare(t.Context(), good()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := y.Start(t.Context(), at, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("start %s: %v", name, err)
		}
	}
	if err := x.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := x.Start(t.Context(), traffic.Now(), nil); err == nil || !strings.Contains(err.Error(), "not prepared") {
		t.Errorf("start after stop: %v", err)
	}
	for kind, body := range map[string]any{"dance": nil, kindStart: map[string]int{"experimant": 1},
		kindPrepare: []int{1}, kindFacts: nil} {
		err := c.ask(t.Context(), kind, kind, body, func(frame) (bool, error) { return true, nil })
		var e *failure.Error
		if !errors.As(err, &e) || e.Code != failure.CodeInput {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Hundreds of experiments in one agent leave no open descriptor, goroutine or memory.
func TestManyExperiments(t *testing.T) {
	c := here(t, Options{Memory: 64 << 20})
	cycle := func() {
		s := good()
		to := testenv.Must(c.Prepare(t.Context(), s))(t)
		s.Side, s.Listen, s.Port, s.Token = traffic.From, false, to.Port, to.Token
		from := testenv.Must(c.Prepare(t.Context(), s))(t)
		for _, x := range []*Experiment{from, to} {
			testenv.Check(t, x.Stop(t.Context()))
		}
	}
	for range 10 {
		cycle()
	}
	goroutines, files := runtime.NumGoroutine(), descriptors()
	for range 300 {
		cycle()
	}
	flat(t, "goroutines", goroutines, runtime.NumGoroutine)
	flat(t, "open descriptors", files, descriptors)
}

// descriptors is how many files this process has open; 0 where that cannot be counted.
func descriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

func flat(t *testing.T, what string, was int, count func() int) {
	t.Helper()
	now := 0
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if now = count(); now <= was+2 {
			return
		}
	}
	t.Errorf("%s: %d, were %d", what, now, was)
}

// A prepared experiment that is not started is given up.
func TestPreparedAndForgotten(t *testing.T) {
	s := newServer(strings.NewReader(""), io.Discard, Options{})
	testenv.Check(t, s.prepare(t.Context(), 5, good()))
	x := s.experiments[5]
	x.expire.Reset(time.Millisecond)
	flat(t, "experiments", -2, func() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.experiments) })
	if s.memory != 0 {
		t.Errorf("%d bytes of the memory are still taken", s.memory)
	}
	if b, err := json.Marshal(x.end.Ready()); err != nil || len(b) == 0 {
		t.Error(err)
	}
}
