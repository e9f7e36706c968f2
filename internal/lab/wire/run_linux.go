package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// way is one direction with its sockets.
type way struct {
	*Pipe
	from, to *port
	out      [][]byte
}

// Run carries frames until ctx is done, which is not an error, and returns what it did. It fails if a socket cannot be
// opened, or an interface disappears; the totals are valid then, too. It uses the calling thread's network namespace.
func (l Link) Run(ctx context.Context) (Totals, error) {
	if l.A == l.B {
		return Totals{}, fmt.Errorf("interface %s: it is both ends; a link is between two interfaces", l.A)
	}
	for i, s := range []Settings{l.ToB, l.ToA} {
		if wrong := s.Problems(); len(wrong) > 0 {
			return Totals{}, fmt.Errorf("what comes in at %s: %w", []string{l.A, l.B}[i], errors.Join(wrong...))
		}
	}
	// The goroutine keeps its thread, whose timer is set below, and which may be in a network namespace of its own.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a, err := openPort(l.A)
	if err != nil {
		return Totals{}, err
	}
	defer a.close()
	b, err := openPort(l.B)
	if err != nil {
		return Totals{}, err
	}
	defer b.close()
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return Totals{}, fmt.Errorf("eventfd: %w", err)
	}
	defer unix.Close(stop)
	defer wake(ctx, stop)()
	for _, p := range []*port{a, b} {
		if err := p.listen(); err != nil {
			return Totals{}, err
		}
	}
	defer promptly()()

	// There are two seeds, or both directions would lose the same packets.
	s := new(store)
	ways := [2]*way{
		{Pipe: newPipe(l.ToB, l.Seed*2, s), from: a, to: b, out: make([][]byte, 0, sendBatch)},
		{Pipe: newPipe(l.ToA, l.Seed*2+1, s), from: b, to: a, out: make([][]byte, 0, sendBatch)},
	}
	before, _ := os.ReadFile(devFile)
	if l.Forwarding != nil {
		l.Forwarding()
	}
	err = carry(ctx, ways, stop)
	after, _ := os.ReadFile(devFile)
	for _, w := range ways {
		w.Missed += w.from.missed()
		if was, is := txDropped(string(before), w.to.name), txDropped(string(after), w.to.name); is > was {
			w.Dropped = is - was
		}
	}
	return Totals{ToB: ways[0].Totals(), ToA: ways[1].Totals()}, err
}

// devFile has the counters of the interfaces of this thread's network namespace.
const devFile = "/proc/thread-self/net/dev"

// txDropped finds in /proc/net/dev how many packets an interface dropped instead of sending: the fourth of the eight
// send counters, which follow the eight receive counters. 0: there is no such interface.
func txDropped(text, name string) uint64 {
	for _, line := range strings.Split(text, "\n") {
		who, figures, _ := strings.Cut(line, ":")
		if f := strings.Fields(figures); strings.TrimSpace(who) == name && len(f) >= 12 {
			n, _ := strconv.ParseUint(f[11], 10, 64)
			return n
		}
	}
	return 0
}

// wake writes to an eventfd when ctx is done; the returned function ends the wait, before the eventfd is closed.
func wake(ctx context.Context, fd int) (end func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
			_, _ = unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		case <-ended:
		}
	}()
	return func() { close(ended); <-done }
}

// linkNice is the thread's nice value while it is a link: a real one waits for no CPU. On two busy cores a link of
// 300 Mb/s carried 7 % more with it (measured).
const linkNice = -15

// promptly makes the kernel wake this thread on time, as far as this user may request that. Otherwise it wakes up to 50
// us later (prctl(2), PR_SET_TIMERSLACK) and after other threads, an unconfigured delay.
func promptly() (back func()) {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	slacks := err == nil && unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) == nil
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // of this thread: the call itself returns 20 less the nice value
	nices := err == nil && unix.Setpriority(unix.PRIO_PROCESS, 0, linkNice) == nil
	return func() {
		if slacks {
			_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0)
		}
		if nices {
			_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 20-nice)
		}
	}
}

// carry runs the link.
func carry(ctx context.Context, ways [2]*way, stop int) error {
	start := time.Now()
	fds := []unix.PollFd{
		{Fd: int32(ways[0].from.in), Events: unix.POLLIN},
		{Fd: int32(ways[1].from.in), Events: unix.POLLIN},
		{Fd: int32(stop), Events: unix.POLLIN},
	}
	var now time.Duration
	var put func([]byte)
	puts := [2]func([]byte){}
	for i, w := range ways {
		puts[i] = func(frame []byte) { w.Put(now, frame) }
	}
	var at *way
	each := func(o offload, frame []byte) {
		if cut(o, frame, at.store, put) != nil {
			at.Uncut++
		}
	}
	for ctx.Err() == nil {
		more := false
		for i, w := range ways {
			if fds[i].Revents == 0 {
				continue
			}
			// Frames of one batch arrived at most one batch duration ago.
			now, at, put = time.Since(start), w, puts[i]
			n, uncut, err := w.from.receive(each)
			w.Uncut += uint64(uncut)
			if err != nil {
				return err
			}
			more = more || n == recvBatch
		}
		for _, w := range ways {
			if err := w.deliver(time.Since(start)); err != nil {
				return err
			}
		}
		if err := sleep(ways, start, fds, more); err != nil {
			return err
		}
	}
	return nil
}

// deliver sends one batch of due frames to the interface, so that the other direction and the receiving get their turn.
func (w *way) deliver(now time.Duration) error {
	w.out = w.out[:0]
	for len(w.out) < sendBatch {
		frame := w.Take(now)
		if frame == nil {
			break
		}
		w.out = append(w.out, frame)
	}
	for left := w.out; len(left) > 0; {
		n, err := w.to.send(left)
		if err != nil {
			for _, frame := range left {
				w.refuse(frame)
			}
			return err
		}
		left = left[n:]
		if n == 0 {
			w.refuse(left[0])
			left = left[1:]
		}
	}
	for _, frame := range w.out {
		w.store.put(frame)
	}
	return nil
}

// grain is the shortest sleep for the sake of a time: what is due within it leaves together at its end. Frames of a
// rate come every 41 us at 300 Mb/s, and to wake for each took a third more of a CPU than to wake for two or three
// (measured), which the hosts next to the link would have to do without. Times are drawn and kept as set: no lateness
// adds up.
const grain = 100 * time.Microsecond

// sleep waits until something comes in or is due; with more it only looks what has come in.
func sleep(ways [2]*way, start time.Time, fds []unix.PollFd, more bool) error {
	var wait *unix.Timespec
	set := func(d time.Duration) {
		t := unix.NsecToTimespec(max(0, d.Nanoseconds()))
		wait = &t
	}
	next := time.Duration(-1)
	for _, w := range ways {
		if at, ok := w.Next(); ok && (next < 0 || at < next) {
			next = at
		}
	}
	switch {
	case more:
		set(0)
	case next >= 0:
		set(max(next-time.Since(start), grain))
	}
	for i := range fds {
		fds[i].Revents = 0
	}
	if _, err := unix.Ppoll(fds, wait, nil); err != nil && err != unix.EINTR {
		return fmt.Errorf("ppoll: %w", err)
	}
	return nil
}
