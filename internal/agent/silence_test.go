package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/testenv"
)

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
	b := testenv.Must(encodeFrame(1, kind, body))(t)
	testenv.Must(f.in.Write(b))(t)
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
		{"says hello and nothing more", func(t *testing.T, f far) { f.send(t, kindHello, hello("x")) }, 11 * time.Second,
			"silent for 10s"},
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
				f := startAgent(t, Options{Unguarded: true, Version: "x"})
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
				time.Sleep(time.Minute) // a peer that still sends a byte now and then ends
			})
		})
	}
}

// mute is a connection whose agent sends hello, answers a few requests and is silent then.
type mute struct{ answers int }

func (mute) String() string { return "nas" }
func (mute) Close() error   { return nil }

func (m mute) Start(ctx context.Context, c connect.Command) (connect.Process, error) {
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

// An agent that is silent for ten seconds is gone: requests fail with its name, and it is killed.
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

// Dial of an agent that sends nothing ends with its context.
func TestDialEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if c, err := Dial(ctx, dumb{}, []string{"agent"}); err == nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %v", c, err)
		}
		if took := time.Since(began); took < 3*time.Second || took > 3*time.Second+closeWait+killWait {
			t.Errorf("it took %v", took)
		}
	})
}

// dumb is a connection whose agent never sends anything.
type dumb struct{}

func (dumb) String() string { return "nas" }
func (dumb) Close() error   { return nil }

func (dumb) Start(ctx context.Context, _ connect.Command) (connect.Process, error) {
	p := &served{done: make(chan struct{})}
	ctx, p.kill = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		<-ctx.Done()
	}()
	return p, nil
}

// An agent that does not end by itself, as one that is stopped, is killed after a moment.
func TestCloseDeafAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testenv.Must(Dial(t.Context(), mute{1 + exchanges}, []string{"agent"}))(t)
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if took := time.Since(began); took < closeWait || took >= closeWait+killWait {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
	})
}

// A peer that sends a byte each second is closed after authTimeout.
func TestListenSlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		certificate := testenv.Must(newCertificate())(t)
		a := &Listener{timeout: authTimeout, config: &tls.Config{MinVersion: tls.VersionTLS13,
			Certificates: []tls.Certificate{certificate}}}
		near, far := net.Pipe()
		if !a.admit(far) {
			t.Fatal("it was not let in")
		}
		began := time.Now()
		a.serving.Add(1)
		go a.greet(far)
		hello := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("x", 500)
		sent := 0
		for ; sent < len(hello); sent++ {
			if _, err := near.Write([]byte{hello[sent]}); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		a.serving.Wait()
		if took := time.Since(began); sent < 5 || took < authTimeout || took > authTimeout+2*time.Second ||
			len(a.waiting) != 0 || a.refused != 1 {
			t.Errorf("%d bytes were taken in %v; %d wait, %d were refused", sent, took, len(a.waiting), a.refused)
		}
	})
}

// A request that does not end does not delay the agent's end.
func TestEndWithRequestUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		f := startAgent(t, Options{Unguarded: true, Version: "x", Facts: func(ctx context.Context, _ string) ([]byte, error) {
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
