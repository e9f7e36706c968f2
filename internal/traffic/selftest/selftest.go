// Package selftest measures what a host's clock, timers, memory and scheduler can resolve.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/stat"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// Parts of a selftest. All together take half a second, the loopback another one.
const (
	clockReadings    = 20_000
	sleepAsked       = time.Millisecond
	sleeps           = 100
	copyTime         = 40 * time.Millisecond
	copyCached       = 128 << 10 // source and destination together stay in a second-level cache
	copyMemory       = 32 << 20  // more than most last-level caches share out to one core
	jitterTime       = 150 * time.Millisecond
	jitterGap        = 10 * time.Microsecond // longer than an interrupt, shorter than a time slice
	loopbackInterval = 500 * time.Millisecond
)

// Run measures what this machine's clock, timers, memory and scheduler can resolve, and with loopback what one stream
// carries from this process to itself. The error is ctx's; what else could not be measured is listed as unknown.
func Run(ctx context.Context, loopback bool) (*record.Instrument, error) {
	i := &record.Instrument{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0),
		SleepAsked: sleepAsked.Seconds()}
	for _, part := range []func(*record.Instrument) error{testClock, testSleep, testCopy, testJitter} {
		if err := part(i); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if !loopback {
		i.Unknown = append(i.Unknown, record.Unknown{Subject: "loopback",
			Reason: "not part of a run; linerate doctor --self measures it"})
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
	begin := traffic.Now()
	last := begin
	for range clockReadings {
		now := traffic.Now()
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
		begin := traffic.Now()
		time.Sleep(sleepAsked)
		over = append(over, max(0, float64(traffic.Now()-begin-int64(sleepAsked))/1e9))
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
		for begin := traffic.Now(); traffic.Now()-begin < int64(copyTime) || best == 0; {
			at, n := traffic.Now(), 0
			for n < copyMemory {
				n += copy(to, from)
			}
			best = max(best, float64(n)/(float64(max(1, traffic.Now()-at))/1e9))
		}
		return best
	}
	i.CopyCached, i.CopyMemory = rate(copyCached), rate(copyMemory)
	return nil
}

// testJitter reads the clock without a pause: the gaps went to other threads.
func testJitter(i *record.Instrument) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := traffic.Now()
	last, lost, longest := begin, int64(0), int64(0)
	for last-begin < int64(jitterTime) {
		now := traffic.Now()
		if gap := now - last; gap > int64(jitterGap) {
			lost += gap
			longest = max(longest, gap)
		}
		last = now
	}
	i.JitterLongest, i.JitterShare = float64(longest)/1e9, float64(lost)/float64(last-begin)
	return nil
}

// errStarved is the error of a loopback in whose interval nothing arrived.
var errStarved = fmt.Errorf("no byte arrived within %v: other work had the CPU", loopbackInterval)

// whenFree tries up to three times, each time further ahead, while the start comes late or nothing arrives: a host that
// was busy for a moment proves nothing.
func whenFree(ctx context.Context, lead time.Duration,
	try func(context.Context, time.Duration) (float64, error)) (rate float64, err error) {
	for range 3 {
		var e *failure.Error
		rate, err = try(ctx, lead)
		if late := errors.As(err, &e) && e.Code == failure.CodeLate; !late && !errors.Is(err, errStarved) ||
			ctx.Err() != nil {
			break
		}
		lead = max(time.Second, 2*lead)
	}
	return rate, err
}

// overLoopback runs the method throughput between two ends of this process, lead ahead.
func overLoopback(ctx context.Context, lead time.Duration) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	at := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	table := engines.All()
	s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 1, Warmup: 200 * time.Millisecond,
		Interval: loopbackInterval, Local: at, Remote: at, Side: traffic.To, Listen: true}
	to, err := table.Prepare(ctx, s, nil)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	s.Side, s.Listen, s.Port, s.Token = traffic.From, false, to.Ready().Port, to.Ready().Token
	from, err := table.Prepare(ctx, s, nil)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	begin := traffic.Now() + int64(lead)
	run := func(e *traffic.End) (*traffic.Outcome, error) {
		o, err := e.Run(ctx, begin, func([]traffic.Sample) {})
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

// Clock is the part of Run that is about clock and timer; it takes a quarter of a second, nearly all of it asleep.
func Clock() (*record.Instrument, error) {
	i := &record.Instrument{SleepAsked: sleepAsked.Seconds()}
	for _, part := range []func(*record.Instrument) error{testClock, testSleep} {
		if err := part(i); err != nil {
			return nil, err
		}
	}
	return i, nil
}
