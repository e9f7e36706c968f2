//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"linerate/tools/bench/harness"
)

func (c *benchCase) run(ctx context.Context, l *testbed, runs int) error {
	for i := range runs {
		for k := range c.tools {
			// Every second round has the reverse order, so that a drift affects all tools equally.
			if i%2 == 1 {
				k = len(c.tools) - 1 - k
			}
			t := c.tools[k]
			r, note, err := runOnce(ctx, l, t, c.latency)
			for try := 1; try < maxTries && (errors.Is(err, errSilent) || errors.Is(err, errEarly) || err == nil &&
				r.Steal > stealLimit); try++ {
				// The machine was too busy to start the server in time, or the hypervisor took too much of it.
				fmt.Fprintf(os.Stderr, "%s: %s: made again: %v, the hypervisor took %.2f cores\n", c.name, t.name, err, r.Steal)
				r, note, err = runOnce(ctx, l, t, c.latency)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			c.rows[t.name] = append(c.rows[t.name], r)
			if note != "" && !slices.Contains(c.notes[t.name], note) {
				c.notes[t.name] = append(c.notes[t.name], note)
			}
			fmt.Fprintf(os.Stderr, "%s: %s: %.1f Gb/s p50 %.1f us, %.2f + %.2f + %.2f cores, foreign %.2f %s\n", c.name,
				t.name, r.Rate/1e9, r.P50*1e6, r.Client, r.Server, r.SoftIRQ, r.OtherProcesses, note)
		}
	}
	c.at = time.Now()
	return nil
}

const (
	// maxTries is how often a run is made at most.
	maxTries = 3
	// stealLimit is how many cores the hypervisor may take during a run.
	stealLimit = 0.05
)

// errSilent is the error of a tool that has started and does not send.
var errSilent = errors.New("it does not send")

// errEarly is the error of a tool that does not send during the whole interval.
var errEarly = errors.New("it ended before the second reading")

// runOnce runs a tool and reads the counters twice meanwhile. The text is how the tool did its work.
func runOnce(ctx context.Context, l *testbed, t tool, latency bool) (row, string, error) {
	before := l.received()
	x, err := t.start(ctx, l)
	if err != nil {
		return row{}, "", err
	}
	enough := int64(5_000_000)
	if latency {
		enough = 50_000
	}
	for wait := time.Now(); l.received()-before < enough; {
		if time.Since(wait) > 5*time.Second {
			x.stop()
			return row{}, "", errSilent
		}
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(settle)
	a := l.read(x.pids)
	time.Sleep(interval)
	b := l.read(x.pids)
	if x.over() {
		// The tool has sent during a part of the interval only.
		x.stop()
		return row{}, "", errEarly
	}
	if !x.ends {
		x.stop()
	} else if err := x.wait(); err != nil {
		return row{}, "", err
	}
	d := b.at.Sub(a.at).Seconds()
	r := row{Rate: float64(b.received-a.received) * 8 / d, P50: x.p50, P99: x.p99, Lost: x.lost,
		Client: (b.cpu[0] - a.cpu[0]) / d, Server: (b.cpu[1] - a.cpu[1]) / d, SoftIRQ: (b.softirq - a.softirq) / d}
	if x.rate > 0 {
		r.Rate = x.rate
	}
	r.Steal = (b.steal - a.steal) / d
	r.OtherProcesses = max(0, (b.busy-a.busy)/d-r.Client-r.Server-r.SoftIRQ)
	return r, x.note, nil
}

// counters is all counters at one moment.
type counters struct {
	at       time.Time
	received int64      // bytes
	cpu      [2]float64 // seconds of the two processes
	softirq  float64    // seconds of the kernel's threads for packets
	busy     float64    // seconds of all cores together, without steal
	steal    float64    // seconds of all cores together
}

func (l *testbed) read(pids [2]int) counters {
	c := counters{at: time.Now(), received: l.received()}
	for i, pid := range pids {
		c.cpu[i], _ = harness.CPUTime(pid)
	}
	for _, pid := range l.packetThreads {
		seconds, _ := harness.CPUTime(pid)
		c.softirq += seconds
	}
	c.busy, c.steal = harness.SystemTime()
	return c
}
