package tcp

import (
	"context"
	"io"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// WirePair is the two ends of a connection.
func WirePair(t testing.TB) (a, b *Wire) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var out [2]*Wire
	for i, c := range []net.Conn{near, far} {
		if out[i], err = newWire(c.(*net.TCPConn), "test"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(out[i].Close)
	}
	return out[0], out[1]
}

// A connection that is silent for longer than HoldTime is still read, and ends.
func TestHold(t *testing.T) {
	a, b := WirePair(t)
	b.Hold()
	a.Hold()
	if !a.holds || !b.holds {
		t.Fatal("a socket without time limits")
	}
	go func() {
		time.Sleep(5 * HoldTime)
		_, _ = a.Write([]byte{7})
		time.Sleep(5 * HoldTime)
		_ = a.CloseWrite()
	}()
	buf := make([]byte, 8)
	if n, err := b.Read(buf); n != 1 || err != nil || buf[0] != 7 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := b.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("after the end %d bytes, %v", n, err)
	}
	if _, err := b.Write([]byte{1}); err != nil {
		t.Error(err)
	}
	a.Close()
	for begin := time.Now(); time.Since(begin) < time.Minute; { // the first ones may still find room
		if _, err := b.Write(make([]byte, 100_000)); err != nil {
			return
		}
	}
	t.Error("writes to a connection that is gone")
}

// A message that is larger than all buffers arrives whole while its receiver pauses for longer than HoldTime.
func TestHoldCarriesAll(t *testing.T) {
	a, b := WirePair(t)
	a.Hold()
	b.Hold()
	const all = 32 << 20
	go func() {
		n, err := a.Write(make([]byte, all))
		if n != all || err != nil {
			t.Errorf("%d bytes sent, %v", n, err)
		}
		_ = a.CloseWrite()
	}()
	buf, got := make([]byte, 1<<20), 0
	for i := 0; ; i++ {
		if i%8 == 0 {
			time.Sleep(3 * HoldTime)
		}
		n, err := b.Read(buf)
		got += n
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got != all {
		t.Errorf("%d bytes, want %d", got, all)
	}
}

// A receiver that pauses loses nothing, sees the end, and takes one message with each read.
func TestReadsThatPause(t *testing.T) {
	a, b := WirePair(t)
	if err := b.rest(300 * time.Microsecond); err != nil {
		t.Fatal(err)
	}
	const size, rounds = 512, 200
	go func() {
		m := make([]byte, size)
		for i := range rounds {
			for j := range m {
				m[j] = byte(i)
			}
			if _, err := a.Write(m); err != nil {
				return
			}
			if i%16 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		_ = a.CloseWrite()
	}()
	at, buf := 0, make([]byte, size)
	for {
		n, err := b.Read(buf)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range buf[:n] {
			if v != byte(at/size) {
				t.Fatalf("byte %d is %d", at, v)
			}
			at++
		}
	}
	if at != size*rounds {
		t.Errorf("%d bytes, want %d", at, size*rounds)
	}
}

// A write that fits is known not to have slept; one that does not fit is known to have.
func TestSlept(t *testing.T) {
	a, b := WirePair(t)
	if _, err := a.Write(make([]byte, 512)); err != nil || a.slept() {
		t.Errorf("the first message slept: %v, %v", a.slept(), err)
	}
	// The receiver begins to read once the sender makes no progress for a while: then the write that is under way sleeps.
	var sent atomic.Int64
	over, drained := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(drained)
		for last := int64(-1); ; last = sent.Load() {
			select {
			case <-over:
				_, _ = io.Copy(io.Discard, b)
				return
			case <-time.After(20 * time.Millisecond):
			}
			if sent.Load() == last {
				_, _ = b.Read(make([]byte, 64<<10))
			}
		}
	}()
	slept := false
	for begin := time.Now(); time.Since(begin) < time.Minute && !slept; sent.Add(1) {
		if _, err := a.Write(make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		slept = a.slept()
	}
	close(over)
	_ = a.CloseWrite()
	<-drained
	if !slept {
		t.Error("no write slept at a receiver that reads only when the sender stands still")
	}
}

// The kernel has the pace before the interval begins: it is set although the experiment ends before.
func TestPaceBeforeTheInterval(t *testing.T) {
	const rate = 80e6
	w, _ := WirePair(t)
	s := traffictest.Setup("throughput", 1)
	s.Side, s.Pace, s.PaceBy = traffic.From, rate, traffic.PaceByKernel
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := &engine{setup: traffic.Endpoint{Setup: s}, service: streaming, size: unit.KiB, wires: []*Wire{w}}
	x := traffic.Execution{Interval: traffic.NewInterval(traffic.Now()+int64(time.Hour), s, 0), Watch: ctx,
		Fail: func(error) {}}
	if _, err := e.Run(ctx, x); err == nil {
		t.Error("an experiment that was stopped ended well")
	}
	if got, err := unix.GetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE); err != nil || got != rate/8 {
		t.Errorf("the kernel sends %d bytes a second, %v; want %v", got, err, rate/8)
	}
}
