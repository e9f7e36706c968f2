package remote

import (
	"context"
	"slices"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// WhileMeasuring calls during, if it is not nil, and observes the tasks of this machine, if an end is on it, until wg
// is done. It returns when both have ended, with what was observed.
func WhileMeasuring(ctx context.Context, interval time.Duration, amount bool, open int64, during func(),
	wg *sync.WaitGroup, ends ...*End) *traffic.Work {
	whole := ctx
	ctx, over := context.WithCancel(ctx)
	defer over()
	look := interval
	if amount {
		look = min(interval, 3*ReadAfter) // the duration of an amount is not known beforehand
	}
	var reading sync.WaitGroup
	if during != nil {
		reading.Go(func() { DuringInterval(ctx, open, look, during) })
	}
	looking := whole // to the end of the interval
	if amount {
		looking = ctx
	}
	seen := WatchTasks(looking, open, open+int64(interval), amount, ends...)
	wg.Wait()
	over()
	reading.Wait()
	return seen()
}

// ReadAfter is when hosts are read while an amount is under way.
const ReadAfter = 200 * time.Millisecond

// readingMoments are when hosts are read in a steady interval, as shares of it: as far apart as a slow host needs.
var readingMoments = [...]float64{1. / 8, 1. / 2, 13. / 16}

// minSeveralReadings is the shortest interval with more than one reading: each takes CPU time from what is measured, on
// an emulated machine some 50 ms.
const minSeveralReadings = 800 * time.Millisecond

// DuringInterval calls during at its times in an interval that opens at a stamp of this process's clock, until ctx
// ends. A call that would begin late, because those before it took long, is left out.
func DuringInterval(ctx context.Context, open int64, interval time.Duration, during func()) {
	shares := readingMoments[:]
	if interval < minSeveralReadings {
		shares = readingMoments[1:2]
	}
	for _, share := range shares {
		at := open + int64(share*float64(interval))
		t := time.NewTimer(time.Duration(at - traffic.Now()))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
		if late := time.Duration(traffic.Now() - at); late <= interval/10 {
			during()
		}
	}
}

// onThisMachine reports whether one of the ends runs on the machine of this program.
func onThisMachine(ends ...*End) bool {
	own := agent.BootID()
	return own != "" && slices.ContainsFunc(ends, func(e *End) bool { return e.Client.Hello().BootID == own })
}

// WatchTasks observes the tasks of this machine over the interval if an end is on it. The returned function waits for
// the interval's end, or with early for that of ctx, and returns the observation, nil if there is none.
func WatchTasks(ctx context.Context, open, close int64, early bool, ends ...*End) func() *traffic.Work {
	if !onThisMachine(ends...) {
		return func() *traffic.Work { return nil }
	}
	done := make(chan *traffic.Work, 1)
	go func() { done <- watch.HostWork(ctx, open, close, early) }()
	return func() *traffic.Work { return <-done }
}

// StorageHost is the load of a host in the interval.
func StorageHost(host string, asks bool, out *agent.BlockOutcome) record.BlockHost {
	w := out.Watch
	h := record.BlockHost{Host: host, Asks: asks, Stores: !asks, Seconds: float64(w.EndNS-w.StartNS) / 1e9,
		Of: out.Cores, Drives: w.Drives, AllDrives: out.Physical}
	h.Cores = CoresInUse(w.CPU)
	if w.CPU.User != nil && w.CPU.System != nil {
		own := *w.CPU.User + *w.CPU.System
		h.Own = &own
	}
	h.Processes = w.Processes
	if !seesNoKernelThreads(&w) && len(w.Work.Threads) > 0 {
		kernel := 0.0
		for _, t := range w.Work.Threads {
			if t.Kind == record.KernelThread {
				kernel += t.User + t.System
			}
		}
		h.Kernel = &kernel
	}
	if w.Link != nil {
		h.Interface = w.Link.Interface
		for name, to := range map[string]**int64{"rx_bytes": &h.Received, "tx_bytes": &h.Sent} {
			if v, ok := w.Link.Counters[name]; ok {
				*to = &v
			}
		}
	}
	return h
}
