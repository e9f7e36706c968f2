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
	"testing/synctest"
	"time"

	"linerate/measure"
	"linerate/reach"
)

// inProcess is a reach whose only program is the agent in this process.
type inProcess struct {
	opt Options
	end error
}

func (*inProcess) String() string { return "here" }
func (*inProcess) Close() error   { return nil }

func (r *inProcess) Start(ctx context.Context, c reach.Command) (reach.Process, error) {
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
	c, err := Dial(t.Context(), &inProcess{opt: opt}, []string{"agent"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestHello(t *testing.T) {
	c := here(t, Options{Version: "v9"})
	h := c.Hello()
	if h.Protocol != Protocol || h.OS != runtime.GOOS || h.Arch != runtime.GOARCH || h.PID != os.Getpid() || len(h.Features) == 0 {
		t.Errorf("%+v", h)
	}
	if w := c.Warnings(); len(w) == 0 || !strings.Contains(w[0].Text, "v9") {
		t.Errorf("another version was not warned of: %+v", w)
	}
	// Both ends have this process's clock.
	if o := c.Clock(); o.Nanoseconds > int64(o.RTT) || o.Nanoseconds < -int64(o.RTT) {
		t.Errorf("offset %v ns with a round trip of %v", o.Nanoseconds, o.RTT)
	}
	began := time.Now()
	if err := c.Close(); err != nil || time.Since(began) > 3*time.Second {
		t.Errorf("closed after %v: %v", time.Since(began), err)
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
		var e *measure.Error
		_, err := c.Facts(t.Context(), level)
		if !errors.As(err, &e) || e.Code != measure.CodeInternal || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "here: take facts") {
			t.Errorf("%s: %v", level, err)
		}
	}
	if text, err := c.Facts(t.Context(), "full"); err != nil || string(text) != long {
		t.Errorf("after a panic: %d bytes, %v", len(text), err)
	}
}

func TestRequestsRefused(t *testing.T) {
	c := here(t, Options{Memory: 8 << 20})
	for name, change := range map[string]func(*measure.Setup){
		"2000":   func(s *measure.Setup) { s.Streams = 2000 },
		"memory": func(s *measure.Setup) { s.Size = 32 << 20 },
		"method": func(s *measure.Setup) { s.Method = "format-disk" },
	} {
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
	for name, at := range map[string]int64{"1m0s": measure.Now() + int64(time.Hour), "slow": 0} {
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
	if _, err := x.Start(t.Context(), measure.Now(), nil); err == nil || !strings.Contains(err.Error(), "not prepared") {
		t.Errorf("start after stop: %v", err)
	}
	for kind, body := range map[string]any{"dance": nil, kindStart: map[string]int{"experimant": 1}, kindPrepare: []int{1}, kindFacts: nil} {
		err := c.ask(t.Context(), kind, kind, body, func(frame) (bool, error) { return true, nil })
		var e *measure.Error
		if !errors.As(err, &e) || e.Code != measure.CodeInput {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A thousand experiments in one agent leave no descriptor, goroutine or memory of the limit behind.
func TestManyExperiments(t *testing.T) {
	c := here(t, Options{Memory: 64 << 20})
	cycle := func() {
		s := good()
		to, err := c.Prepare(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		s.Side, s.Listen, s.Port, s.Token = measure.From, false, to.Port, to.Token
		from, err := c.Prepare(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*Experiment{from, to} {
			if err := x.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 10 {
		cycle()
	}
	goroutines, files := runtime.NumGoroutine(), descriptors()
	for range 1000 {
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
	for range 100 {
		if now = count(); now <= was+2 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: %d, were %d", what, now, was)
}

// far is the other end of an agent that runs in a synctest bubble: what the agent wrote, and how it ended.
type far struct {
	in    *io.PipeWriter
	out   *io.PipeReader
	ended chan error
}

func startAgent(t *testing.T, opt Options) far {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	f := far{in: inW, out: outR, ended: make(chan error, 1)}
	go func() {
		err := Serve(t.Context(), inR, outW, opt)
		inR.Close()
		outW.Close()
		f.ended <- err
	}()
	return f
}

func (f far) send(t *testing.T, kind string, body any) {
	t.Helper()
	b, err := encodeFrame(1, kind, body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.in.Write(b); err != nil {
		t.Fatal(err)
	}
}

// discard reads what the agent writes, so that it never waits, and returns its errors.
func (f far) discard() <-chan []string {
	c := make(chan []string, 1)
	go func() {
		var errs []string
		for {
			fr, err := readFrame(f.out)
			if err != nil {
				c <- errs
				return
			}
			if fr.Kind == kindError {
				errs = append(errs, remoteError(fr).Error())
			}
		}
	}()
	return c
}

func TestControllerFallsSilent(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(t *testing.T, f far)
		after time.Duration
		says  string
	}{
		{"never says hello", func(*testing.T, far) {}, 10 * time.Second, "no hello within 10s"},
		{"says hello one byte each 0.9 s", func(t *testing.T, f far) {
			b, _ := encodeFrame(0, kindHello, hello("x"))
			for i := range b {
				if _, err := f.in.Write(b[i : i+1]); err != nil {
					return
				}
				time.Sleep(900 * time.Millisecond)
			}
		}, 10 * time.Second, "no hello within 10s"},
		{"says hello and nothing more", func(t *testing.T, f far) { f.send(t, kindHello, hello("x")) }, 11 * time.Second, "silent for 10s"},
		{"sends a frame one byte each 0.9 s", func(t *testing.T, f far) {
			f.send(t, kindHello, hello("x"))
			b, _ := encodeFrame(1, kindFacts, factsRequest{Level: strings.Repeat("x", 100)})
			for i := range b {
				if _, err := f.in.Write(b[i : i+1]); err != nil {
					return
				}
				time.Sleep(900 * time.Millisecond)
			}
		}, 11 * time.Second, "silent for 10s"},
		{"beats for a minute", func(t *testing.T, f far) {
			f.send(t, kindHello, hello("x"))
			for range 60 {
				time.Sleep(time.Second)
				f.send(t, kindBeat, nil)
			}
		}, 71 * time.Second, "silent for 10s"},
		{"speaks another protocol", func(t *testing.T, f far) {
			h := hello("x")
			h.Protocol++
			f.send(t, kindHello, h)
		}, 0, "the controller speaks 2, this agent 1"},
		{"says something else first", func(t *testing.T, f far) { f.send(t, kindStop, stopRequest{}) }, 0, "not hello"},
		{"writes garbage", func(t *testing.T, f far) { f.in.Write([]byte("\x00\x00\x00\x04oops")) }, 0, "bad JSON"},
		{"writes garbage later", func(t *testing.T, f far) {
			f.send(t, kindHello, hello("x"))
			f.in.Write([]byte("\x00\x00\x00\x04oops"))
		}, 0, "bad JSON"},
		{"closes", func(t *testing.T, f far) { f.send(t, kindHello, hello("x")); f.in.Close() }, 0, ""},
		{"says bye", func(t *testing.T, f far) { f.send(t, kindHello, hello("x")); f.send(t, kindBye, nil) }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := startAgent(t, Options{unguarded: true, Version: "x"})
				wrote := f.discard()
				began := time.Now()
				go c.do(t, f)
				err := <-f.ended
				if took := time.Since(began); took < c.after || took > c.after+2*time.Second {
					t.Errorf("ended after %v, want %v", took, c.after)
				}
				said := strings.Join(<-wrote, "; ")
				if c.says == "" {
					if err != nil || said != "" {
						t.Errorf("%v, said %q", err, said)
					}
				} else if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(said, c.says) {
					t.Errorf("%v, said %q; want %q", err, said, c.says)
				}
				f.in.Close()
				time.Sleep(time.Minute) // whatever still drips notices
			})
		})
	}
}

// mute is a reach whose agent says hello, answers a few requests and is never heard again.
type mute struct{ answers int }

func (mute) String() string { return "nas" }
func (mute) Close() error   { return nil }

func (m mute) Start(ctx context.Context, c reach.Command) (reach.Process, error) {
	p := &served{done: make(chan struct{})}
	ctx, p.kill = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		b, _ := encodeFrame(0, kindHello, hello(Version()))
		c.Stdout.Write(b)
		for range m.answers {
			f, err := readFrame(c.Stdin)
			if err != nil {
				return
			}
			b, _ := encodeFrame(f.ID, kindReady, clockAnswer{})
			c.Stdout.Write(b)
		}
		<-ctx.Done()
	}()
	return p, nil
}

// An agent that is not heard for ten seconds is gone: whoever waits for it is told who was silent, and it is killed.
func TestAgentFallsSilent(t *testing.T) {
	for _, answers := range []int{0, 1 + exchanges} { // hello is one of them
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c, err := Dial(t.Context(), mute{answers}, []string{"agent"})
			if err == nil {
				_, err = c.Facts(t.Context(), "full")
			}
			if took := time.Since(began); took < 10*time.Second || took > 12*time.Second {
				t.Errorf("noticed after %v", took)
			}
			if err == nil || !strings.Contains(err.Error(), "silent for 10s") || !strings.HasPrefix(err.Error(), "nas: ") {
				t.Errorf("%d answers: %v", answers, err)
			}
			if c != nil {
				c.Close()
			}
			synctest.Wait()
		})
	}
}

// A request that does not end does not hold the agent's end up.
func TestEndWithRequestUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		f := startAgent(t, Options{unguarded: true, Version: "x", Facts: func(ctx context.Context, _ string) ([]byte, error) {
			<-ctx.Done()
			close(stopped)
			<-time.After(time.Hour) // deaf
			return nil, nil
		}})
		f.discard()
		f.send(t, kindHello, hello("x"))
		f.send(t, kindFacts, factsRequest{Level: "full"})
		time.Sleep(time.Second)
		began := time.Now()
		f.in.Close()
		if err := <-f.ended; err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("ended after %v: %v", time.Since(began), err)
		}
		<-stopped
		time.Sleep(2 * time.Hour)
	})
}

// A prepared experiment that nobody starts is given up.
func TestPreparedAndForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	s := &server{link: newLink(strings.NewReader(""), io.Discard), limits: limits(), experiments: map[uint64]*experiment{}}
	if err := s.prepare(t.Context(), 5, good()); err != nil {
		t.Fatal(err)
	}
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
