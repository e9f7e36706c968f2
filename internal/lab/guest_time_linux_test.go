package lab

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/lab/guest"
	"linerate/internal/testenv"
)

// slowMachine is a guest's init that starts no command before release is closed. Once mute is closed, none of its
// messages arrive.
type slowMachine struct {
	release, mute chan struct{}
	net.Conn
}

func (m *slowMachine) Write(b []byte) (int, error) {
	select {
	case <-m.mute:
		return len(b), nil
	default:
		return m.Conn.Write(b)
	}
}

func (m *slowMachine) Handle(string, json.RawMessage) (any, error) { return nil, nil }

func (m *slowMachine) Start(guest.Command, []*os.File) (guest.Process, error) {
	<-m.release
	return m, nil
}

func (m *slowMachine) Kill()                    {}
func (m *slowMachine) Wait() (exit, signal int) { <-m.mute; return 0, 9 }

// The messages, and their times, for a guest that starts no command, and for one that falls silent during a command.
func TestSilentGuest(t *testing.T) {
	console := filepath.Join(t.TempDir(), "console")
	testenv.WriteFile(t, console, "its last line\n", 0o600)
	inTime := func(f func(t *testing.T, g *guestHost, m *slowMachine)) {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			m := &slowMachine{make(chan struct{}), make(chan struct{}), far}
			served := make(chan struct{})
			go func() {
				guest.Serve(m, m, nil)
				close(served)
			}()
			g := &guestHost{name: "a", dir: "/run/lab/1234", console: console, answerLimit: 8 * time.Second,
				channel: guest.NewChannel(near)}
			<-g.channel.Hello()
			f(t, g, m)
			far.Close()
			<-served
			<-g.channel.Done()
		})
	}
	start := func(g *guestHost) (*guest.Running, error) {
		ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
		defer cancel()
		r, _, err := g.channel.Start(ctx, guest.Command{Argv: [][]byte{[]byte("true")}},
			func(func() bool) io.Reader { return strings.NewReader("") }, io.Discard, io.Discard, func() {})
		return r, g.why(ctx, g.channel, g.answerLimit, err)
	}
	inTime(func(t *testing.T, g *guestHost, m *slowMachine) {
		began := time.Now()
		if _, err := start(g); err == nil {
			t.Error("a command that does not start has no error")
		} else {
			wantWords(t, err.Error(), "guest a has stopped answering: no answer within 8s; its init is alive",
				"linerate lab down 1234", "its last line")
		}
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("after %v", took)
		}
		close(m.release)
		close(m.mute)
	})
	inTime(func(t *testing.T, g *guestHost, m *slowMachine) {
		close(m.release)
		r, err := start(g)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Hour+time.Second/2, func() { close(m.mute) })
		_, err = g.wait(g.channel, r)
		if err == nil {
			t.Fatal("a guest that went mute has no error")
		}
		wantWords(t, err.Error(), "guest a has stopped answering: no answer within 32s; it has given no sign of life for 34s",
			"linerate lab down 1234", "its last line")
		// It is checked every two seconds; the last sign of life was a beat after an hour.
		if took := time.Since(began); took != time.Hour+34*time.Second {
			t.Errorf("after %v", took)
		}
	})
}

// The end of a command waits for its output, and at most a second after the last of it.
func TestOutputsSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			ends bool // nothing follows the last output
			want time.Duration
		}{{true, 2700 * time.Millisecond}, {false, 4 * time.Second}} {
			o := &outputs{done: make(chan struct{})}
			w := o.to(io.Discard)
			began := time.Now()
			go func() {
				for range 3 {
					time.Sleep(900 * time.Millisecond)
					w.Write([]byte("late"))
				}
				if c.ends {
					close(o.done)
				}
			}()
			if o.settle(); time.Since(began) != c.want {
				t.Errorf("settled after %v, want %v", time.Since(began), c.want)
			}
		}
	})
}
