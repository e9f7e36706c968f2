package tcp

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/traffictest"
	"linerate/internal/traffic/watch"
)

// Every way to send delivers every byte, and the outcome names it.
func TestWays(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var names, labels []string
	var setups []traffic.Setup
	for name, c := range map[string]struct {
		tuning traffic.Tuning
		size   unit.Bytes
		label  string
	}{
		"copies at both ends":      {traffic.Tuning{Trial: true, Placement: traffic.PlaceAuto, Together: true}, 0, "A"},
		"copies at the receiver":   {traffic.Tuning{Trial: true, Copies: traffic.CopiesReceive}, 0, "B"},
		"no trial":                 {traffic.Tuning{Copies: traffic.CopiesReceive}, 0, "B"},
		"a size of its own":        {traffic.Tuning{Trial: true, Copies: traffic.CopiesReceive}, 3000, "B"},
		"discarded":                {traffic.Tuning{Trial: true, Copies: traffic.CopiesNone}, 0, "C"},
		"messages":                 {traffic.Tuning{Trial: true}, 512, "A"},
		"gathered":                 {traffic.Tuning{Gather: 100}, 512, "G"},
		"gathered, much at a time": {traffic.Tuning{Gather: traffic.MostGather}, 5000, "G"},
	} {
		names = append(names, name)
		labels = append(labels, c.label)
		s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2,
			Warmup: 500 * time.Millisecond, Interval: 1500 * time.Millisecond, Size: c.size, Tuning: c.tuning}
		if c.tuning.Gather == 0 && !c.tuning.Trial { // gathering has no pace, and at a pace nothing is tried
			s.Pace = 300e6
		}
		setups = append(setups, s)
	}
	for i, r := range traffictest.Pairs(t, table(), traffictest.Drained, setups...) {
		from, to := r.From, r.To
		if from.InEffect.Label != labels[i] || to.InEffect.Label != labels[i] || from.InEffect.SendBuffer == 0 ||
			to.InEffect.ReceiveBuffer == 0 {
			t.Errorf("%s: in effect: %+v, %+v", names[i], from.InEffect, to.InEffect)
		}
		if traffictest.Received(to) == 0 {
			t.Errorf("%s: nothing was received", names[i])
		}
		for k := range from.Streams {
			if a, b := from.Streams[k], to.Streams[k]; !a.Drained || !b.Drained || a.Sent != b.Received {
				t.Errorf("%s: stream %d: sent %d, received %d, drained %v %v", names[i], k, a.Sent, b.Received, a.Drained,
					b.Drained)
			}
		}
	}
}

// Each way by itself: bytes arrive in order, as they are.
func TestPathsDeliver(t *testing.T) {
	for _, w := range []way{waySplice, wayTee, waySendfile, wayZeroCopy} {
		t.Run(w.String(), func(t *testing.T) { delivers(t, w) })
	}
}

func delivers(t *testing.T, w way) {
	if w == wayZeroCopy {
		// The kernel pins what it sends in place, and counts it against this limit (mm_account_pinned_pages in
		// net/core/skbuff.c).
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil || os.Geteuid() != 0 && limit.Cur < 4<<20 {
			testenv.Missing(t, "4 MiB of memory that may be locked (ulimit -l 4096), which MSG_ZEROCOPY pins")
		}
	}
	from, to := WirePair(t)
	data := make([]byte, 512<<10+300) // no multiple of anything
	for i := range data {
		data[i] = byte(i*7 + i>>8*13 + i>>16*29)
	}
	p, err := newPath(w, from, data, 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 0, 2*len(data))
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 64<<10)
		for len(got) < 2*len(data) {
			n, err := unix.Read(to.fd, buf)
			if err != nil || n == 0 {
				return
			}
			got = append(got, buf[:n]...)
		}
	}()
	for range 2 {
		if n, err := p.push(len(data)); err != nil || n != len(data) {
			t.Fatal(n, err)
		}
	}
	<-done
	if !slices.Equal(got, append(slices.Clone(data), data...)) {
		t.Errorf("%d bytes arrived, not as they were sent", len(got))
	}
	p.close()
}

// A receiver of small messages that lets them gather has a small receive buffer and sleeps, and gives both back.
func TestReceiverGathers(t *testing.T) {
	_, w := WirePair(t)
	r := &receiver{t: &task{Flow: &traffic.Flow{}, wire: w}}
	r.gather(true)
	if got := r.t.Effect; got.TCPWindow != messageRoom || got.Pause != messagePause || w.pause != messagePause {
		t.Errorf("gathering: in effect %+v, the wire sleeps %v", got, w.pause)
	}
	if size, err := unix.GetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err != nil || size != int(messageRoom) {
		t.Errorf("a receive buffer of %d bytes, %v; want %d", size, err, int(messageRoom))
	}
	r.gather(false)
	if got := r.t.Effect; got.TCPWindow != 0 || got.Pause != 0 || w.pause != 0 {
		t.Errorf("no longer gathering: in effect %+v, the wire sleeps %v", got, w.pause)
	}
	if closed := (&task{Flow: &traffic.Flow{}, wire: &Wire{fd: -1}}); closed.near() {
		t.Error("a connection that does not say its round trip is near")
	}
	for set, effect := range map[int]unit.Bytes{int(lowWater): lowWater, 1: 0} {
		r.t.lowWater(set)
		got, err := unix.GetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT)
		if err != nil || got != set || r.t.Effect.LowWater != effect {
			t.Errorf("low water %d, %v; want %d; in effect %v, want %v", got, err, set, r.t.Effect.LowWater, effect)
		}
	}
}

// The CPU time of a process that does the work for this one counts as its own.
func TestReadCPUOfAChild(t *testing.T) {
	own := watch.ReadCPU(0)
	for own.Process == nil && own.User+own.System < 0.3 {
		own = watch.ReadCPU(0)
	}
	both := watch.ReadCPU(os.Getpid()) // itself, as if it were the other process
	if own.Process != nil || both.Process != nil {
		t.Fatalf("process: %v, %v", own.Process, both.Process)
	}
	const tick = 0.01 // seconds, in which the kernel counts for other processes
	if used := both.User + both.System; used < 2*(own.User+own.System)-3*tick {
		t.Errorf("%.3f s with the child, %.3f s without", used, own.User+own.System)
	}
	if gone := watch.ReadCPU(1 << 30); gone.Process == nil {
		t.Error("a process that is gone has CPU time")
	}
}

// Threads go to the cores of the setup, and back.
func TestAffinity(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := placement.AllowedCores()
	if len(before) == 0 {
		t.Fatal("the kernel does not say which cores are allowed")
	}
	last := before[len(before)-1]
	x := placement.NewAffinity(placement.Seating{First: true, Fixed: []int{last}}, 7, "send 7")
	if now := placement.AllowedCores(); x.Err != nil || !slices.Equal(now, []int{last}) ||
		placement.CoresText(x.Now) == "free" {
		t.Errorf("asked for core %d: %v %v %v", last, now, x.Now, x.Err)
	}
	x.Move(placement.Free) // configured cores stay
	if now := placement.AllowedCores(); !slices.Equal(now, []int{last}) {
		t.Errorf("a trial moved a thread away from its core: %v", now)
	}
	x.Leave()
	if now := placement.AllowedCores(); !slices.Equal(now, before) {
		t.Errorf("after: %v, before: %v", now, before)
	}
	if x := placement.NewAffinity(placement.Seating{First: true, Fixed: []int{placement.MostCores - 1}}, 0,
		"send 0"); x.Err == nil {
		t.Error("a core that is not there was taken")
	}
}

// A receive buffer that was bounded is the kernel's again afterwards.
func TestRoom(t *testing.T) {
	testenv.Need(t, testenv.Live) // net.core.rmem_max bounds what a socket is given
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	w := &Wire{fd: fd}
	if err := w.room(int(messageRoom)); err != nil {
		t.Fatal(err)
	}
	if n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err != nil || n != int(messageRoom) {
		t.Errorf("asked for %v: %d %v", messageRoom, n, err)
	}
	if err := w.room(0); err != nil {
		t.Fatal(err)
	}
	if locks, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_BUF_LOCK); err == nil && locks != 0 {
		t.Errorf("the buffer is still locked: %d", locks)
	}
}
