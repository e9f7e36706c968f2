package nvmetcp

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a network in memory with one listener: in a synctest bubble its time is simulated.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{accept: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, network, address string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.accept <- far:
		return near, nil
	case <-p.closed:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inTime runs a test with a target of 1 MiB in simulated time. connect connects to it through a relay.
func inTime(t *testing.T, target *Target, f func(t *testing.T, r *relay, connect func(o Options) *Controller)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		far, near := newPipes(), newPipes()
		serveOn(t, target, far)
		r := relayBetween(t, near, func() (net.Conn, error) { return far.dial(t.Context(), "", "") })
		f(t, r, func(o Options) *Controller {
			o.dial = near.dial
			return connect(t, inMemory, o)
		})
	})
}

var inMemory = Address{Host: "memory", Port: 4420, NQN: testNQN}

// oneDrive is a target with a drive in memory.
func oneDrive() *Target {
	return &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: NewMemory(1 << 20)}}}
}

// relay sits between both ends: it can change what it forwards, and stop.
type relay struct {
	stop  atomic.Bool
	cut   atomic.Bool
	spoil atomic.Int64 // position of a byte to change in the next bytes to the host; 0: none
	open  chan net.Conn
}

// relayTo is a relay to a target on loopback.
func relayTo(t *testing.T, a Address) (*relay, Address) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to := a.hostPort()
	r := relayBetween(t, ln, func() (net.Conn, error) { return net.Dial("tcp", to) })
	a.Port = uint16(ln.Addr().(*net.TCPAddr).Port)
	return r, a
}

// relayBetween forwards connections to a listener to what dial connects to.
func relayBetween(t *testing.T, ln net.Listener, dial func() (net.Conn, error)) *relay {
	r := &relay{open: make(chan net.Conn, 64)}
	t.Cleanup(func() {
		ln.Close()
		for {
			select {
			case c := <-r.open:
				c.Close()
			default:
				return
			}
		}
	})
	go func() {
		for {
			host, err := ln.Accept()
			if err != nil {
				return
			}
			target, err := dial()
			if err != nil {
				host.Close()
				continue
			}
			r.open <- host
			r.open <- target
			go r.copy(target, host, false)
			go r.copy(host, target, true)
		}
	}()
	return r
}

func (r *relay) copy(to, from net.Conn, back bool) {
	b := make([]byte, 65536)
	for {
		n, err := from.Read(b)
		if r.cut.Load() || err != nil {
			to.Close()
			from.Close()
			return
		}
		if r.stop.Load() {
			continue
		}
		if at := int(r.spoil.Load()); back && at > 0 && at < n {
			b[at] ^= 1
			r.spoil.Store(0)
		}
		to.Write(b[:n])
	}
}

// A target that vanishes is reported with the time and the outstanding commands, whether its connection ends or it
// falls silent.
func TestVanishes(t *testing.T) {
	for _, silent := range []bool{false, true} {
		inTime(t, oneDrive(), func(t *testing.T, r *relay, connect func(o Options) *Controller) {
			q := queue(t, connect(Options{Timeout: 3 * time.Second, KeepAlive: -1}), 4)
			if d := one(t, q, false, 0, make([]byte, 4096)); d.Err != nil {
				t.Fatal(d.Err)
			}
			r.stop.Store(silent)
			r.cut.Store(!silent)
			for at := range 4 {
				if err := q.Submit(at, false, 0, make([]byte, 4096)); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			_, err := q.Wait(4, time.Time{})
			took := time.Duration(0)
			if silent {
				says(t, err, CodeTimeout, ": queue 1: no answer to a read of 4096 bytes at offset 0 within 3s (sent at ",
					"with 4 commands under way")
				took = 3*time.Second + checkEvery
			} else {
				says(t, err, CodeReset, ": queue 1: 4 commands under way: the other end closed the connection", "(seen at ")
			}
			var e *Error
			if errors.As(err, &e) && e.At != began.Add(took) {
				t.Errorf("silent %v: seen %v after the commands, want %v", silent, e.At.Sub(began), took)
			}
			_, again := q.Wait(1, time.Time{})
			says(t, again, e.Code)
		})
	}
}

// The same on loopback: the target's end closes.
func TestVanishesOnLoopback(t *testing.T) {
	a, _ := serve(t, oneDrive(), false)
	r, a := relayTo(t, a)
	q := queue(t, connect(t, a, Options{}), 4)
	r.cut.Store(true)
	for at := range 4 {
		if err := q.Submit(at, false, 0, make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := q.Wait(4, time.Time{})
	says(t, err, CodeReset, ": queue 1: 4 commands under way: ", "(seen at ")
}

// slowDisk is a drive whose first sync takes longer than any other command.
type slowDisk struct {
	*Memory
	synced atomic.Bool
}

func (d *slowDisk) Sync() error {
	if !d.synced.Swap(true) {
		time.Sleep(110 * time.Second)
	}
	return nil
}

// A Flush may take longer than a command: a hard disk must first write what the target has in memory.
func TestFlushTakesItsTime(t *testing.T) {
	slow := &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: &slowDisk{Memory: NewMemory(1 << 20)}}}}
	inTime(t, slow, func(t *testing.T, _ *relay, connect func(o Options) *Controller) {
		q := queue(t, connect(Options{Timeout: time.Second, Write: true, KeepAlive: -1}), 1)
		began := time.Now()
		if err := q.Sync(0); err != nil {
			t.Fatal(err)
		}
		if done, err := q.Wait(1, time.Time{}); err != nil || len(done) != 1 || done[0].Err != nil ||
			time.Since(began) != 110*time.Second {
			t.Errorf("%+v, %v, after %v", done, err, time.Since(began))
		}
	})
}

// A controller without an answer to Keep Alive ends its queues, with the reason.
func TestKeepAliveOfTheHost(t *testing.T) {
	inTime(t, oneDrive(), func(t *testing.T, r *relay, connect func(o Options) *Controller) {
		c := connect(Options{KeepAlive: 6 * time.Second, Timeout: 1500 * time.Millisecond})
		q := queue(t, c, 1)
		r.stop.Store(true)
		time.Sleep(3500*time.Millisecond - 1) // a third of the time until Keep Alive, and the limit of its answer
		synctest.Wait()
		if c.Err() != nil {
			t.Errorf("before the limit: %v", c.Err())
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		says(t, c.Err(), CodeTimeout, "no answer in time")
		if err := q.Submit(0, false, 0, make([]byte, 512)); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Wait(1, time.Now().Add(time.Minute)); err != c.Err() {
			t.Errorf("the queue says %v, the controller %v", err, c.Err())
		}
	})
}

// A host that is silent longer than its keep alive time loses its connections; an idle one that sends Keep Alive does
// not.
func TestKeepAliveOfTheTarget(t *testing.T) {
	target, logged := oneDrive(), make(chan string, 10)
	target.Log = func(s string) { logged <- s }
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		serveOn(t, target, ln)
		o := Options{KeepAlive: time.Second, dial: ln.dial}
		idle := connect(t, inMemory, o)
		q := queue(t, idle, 1)
		began := time.Now()
		silent := &Controller{address: inMemory, o: o.identified(), subject: "silent", queues: map[uint16]*Queue{}}
		if err := silent.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer silent.admin.conn.Close()
		lost, err := silent.Queue(1)
		if err != nil {
			t.Fatal(err)
		}
		defer lost.Close()
		time.Sleep(2*time.Second - 1) // the target allows a second more
		synctest.Wait()
		if len(logged) > 0 {
			t.Errorf("after %v: %s", time.Since(began), <-logged)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		select {
		case s := <-logged:
			if !strings.Contains(s, "no sign of life from host nqn.2014-08.org.nvmexpress:uuid:") ||
				!strings.Contains(s, "keep alive time of 1s") {
				t.Error(s)
			}
		default:
			t.Fatal("a silent host is kept")
		}
		if err := lost.Submit(0, false, 0, make([]byte, 512)); err != nil {
			t.Fatal(err)
		}
		_, err = lost.Wait(1, time.Now().Add(5*time.Second))
		says(t, err, CodeReset)
		time.Sleep(time.Hour)
		if d := one(t, q, false, 0, make([]byte, 512)); d.Err != nil || idle.Err() != nil {
			t.Error(d.Err, idle.Err())
		}
	})
}

// A target accepts no more connections than its limit, and closes silent ones.
func TestConnectionLimits(t *testing.T) {
	target := oneDrive()
	target.Limits = Limits{Connections: 2, Handshake: 10 * time.Second}
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		serveOn(t, target, ln)
		began := time.Now()
		var open []net.Conn
		for range 2 {
			c, err := ln.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			open = append(open, c)
		}
		for _, c := range open {
			if _, err := c.Read(make([]byte, 1)); err != io.EOF || time.Since(began) != 10*time.Second {
				t.Errorf("a connection that says nothing ends after %v with %v", time.Since(began), err)
			}
		}
		synctest.Wait()
		c := connect(t, inMemory, Options{dial: ln.dial})
		queue(t, c, 1)
		_, err := c.Queue(1)
		says(t, err, CodeReset)
	})
}
