package traffic

import (
	"context"
	"errors"
	"fmt"
	"linerate/internal/record"
	"net/netip"
	"os"
	"runtime"
	"time"

	"linerate/internal/base/stat"
)

// Parts of a selftest. All together take half a second, the loopback another one.
const (
	clockReadings  = 20_000
	sleepAsked     = time.Millisecond
	sleeps         = 100
	copyTime       = 40 * time.Millisecond
	copyCached     = 128 << 10 // source and destination together stay in a second-level cache
	copyMemory     = 32 << 20  // more than most last-level caches share out to one core
	jitterTime     = 150 * time.Millisecond
	jitterGap      = 10 * time.Microsecond // longer than an interrupt, shorter than a time slice
	loopbackWindow = 500 * time.Millisecond
)

// Selftest measures what this machine's clock, timers, memory and scheduler can
// resolve, and with loopback what one stream carries from this process to itself.
// The error is ctx's; what else could not be measured is listed as unknown.
func Selftest(ctx context.Context, loopback bool) (*record.Instrument, error) {
	i := &record.Instrument{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), SleepAsked: sleepAsked.Seconds()}
	for _, part := range []func(*record.Instrument) error{testClock, testSleep, testCopy, testJitter} {
		if err := part(i); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if !loopback {
		i.Unknown = append(i.Unknown, record.Unknown{Subject: "loopback", Reason: "not part of a run; linerate selftest measures it"})
		return i, nil
	}
	rate, err := whenFree(ctx, 50*time.Millisecond, overLoopback)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		i.Unknown = append(i.Unknown, record.Unknown{Subject: "loopback", Reason: err.Error()})
	default:
		i.Loopback = &rate
	}
	return i, nil
}

// testClock reads the clock as fast as it can.
func testClock(i *record.Instrument) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	smallest := int64(0)
	begin := Now()
	last := begin
	for range clockReadings {
		now := Now()
		if d := now - last; d > 0 && (smallest == 0 || d < smallest) {
			smallest = d
		}
		last = now
	}
	i.ClockCost = float64(last-begin) / clockReadings / 1e9
	i.ClockResolution = float64(smallest) / 1e9
	if smallest == 0 { // the clock did not move at all: it is coarser than all readings together
		i.Unknown = append(i.Unknown, record.Unknown{Subject: "clock resolution", Reason: "the clock did not move"})
	}
	return nil
}

func testSleep(i *record.Instrument) error {
	var over []float64
	for range sleeps {
		begin := Now()
		time.Sleep(sleepAsked)
		over = append(over, max(0, float64(Now()-begin-int64(sleepAsked))/1e9))
	}
	var err error
	for _, q := range []struct {
		share float64
		to    *float64
	}{{0.5, &i.Overshoot.P50}, {0.99, &i.Overshoot.P99}, {1, &i.Overshoot.Max}} {
		if *q.to, err = stat.Quantile(over, q.share); err != nil {
			return err
		}
	}
	return nil
}

func testCopy(i *record.Instrument) error {
	rate := func(size int) float64 {
		from, to := make([]byte, size), make([]byte, size)
		for n := 0; n < size; n += os.Getpagesize() { // pages that were never written are all one page of zeros
			from[n], to[n] = 1, 1
		}
		best := 0.0
		for begin := Now(); Now()-begin < int64(copyTime) || best == 0; {
			at, n := Now(), 0
			for n < copyMemory {
				n += copy(to, from)
			}
			best = max(best, float64(n)/(float64(max(1, Now()-at))/1e9))
		}
		return best
	}
	i.CopyCached, i.CopyMemory = rate(copyCached), rate(copyMemory)
	return nil
}

// testJitter reads the clock without a pause: what it does not see, others had.
func testJitter(i *record.Instrument) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := Now()
	last, lost, longest := begin, int64(0), int64(0)
	for last-begin < int64(jitterTime) {
		now := Now()
		if gap := now - last; gap > int64(jitterGap) {
			lost += gap
			longest = max(longest, gap)
		}
		last = now
	}
	i.JitterLongest, i.JitterShare = float64(longest)/1e9, float64(lost)/float64(last-begin)
	return nil
}

// errStarved is the error of a loopback in whose window nothing arrived.
var errStarved = fmt.Errorf("no byte arrived within %v: other work had the processor", loopbackWindow)

// whenFree tries up to three times, each time further ahead, while the start comes late or nothing arrives: a host that
// was busy for a moment says nothing of itself.
func whenFree(
	ctx context.Context, lead time.Duration, try func(context.Context, time.Duration) (float64, error),
) (rate float64, err error) {
	for range 3 {
		var e *Error
		rate, err = try(ctx, lead)
		if late := errors.As(err, &e) && e.Code == CodeLate; !late && !errors.Is(err, errStarved) || ctx.Err() != nil {
			break
		}
		lead = max(time.Second, 2*lead)
	}
	return rate, err
}

// overLoopback runs the method stream between two ends of this process, lead ahead.
func overLoopback(ctx context.Context, lead time.Duration) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	at := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	s := Setup{Method: "stream", Direction: Out, Streams: 1, Warmup: 200 * time.Millisecond, Window: loopbackWindow, Local: at, Remote: at, Side: To, Listen: true}
	to, err := Prepare(ctx, s)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	s.Side, s.Listen, s.Port, s.Token = From, false, to.Ready().Port, to.Ready().Token
	from, err := Prepare(ctx, s)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	begin := Now() + int64(lead)
	run := func(e *End) (*Outcome, error) {
		o, err := e.Run(ctx, begin, func([]Sample) {})
		if err != nil {
			stop(err) // the other end would wait for this one, and say why it ended
		}
		return o, err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := run(from)
		sent <- err
	}()
	o, err := run(to)
	if err := errors.Join(err, <-sent); err != nil {
		return 0, err
	}
	if o.Goodput == 0 {
		return 0, errStarved
	}
	return o.Goodput, nil
}
