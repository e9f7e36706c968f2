//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (c *benchCase) run(ctx context.Context, l *link, runs int) error {
	for i := range runs {
		for k := range c.tools {
			// Every other round runs backwards: what drifts meets both sides alike.
			if i%2 == 1 {
				k = len(c.tools) - 1 - k
			}
			t := c.tools[k]
			r, note, err := once(ctx, l, t, c.trips)
			for try := 1; try < tries && (errors.Is(err, errSilent) || errors.Is(err, errEarly) || err == nil && r.Stolen > stealLimit); try++ {
				// A server that was not there yet on a busy machine, or a machine that was not ours: once more.
				fmt.Fprintf(os.Stderr, "%s: %s: made again: %v, the hypervisor took %.2f cores\n", c.name, t.name, err, r.Stolen)
				r, note, err = once(ctx, l, t, c.trips)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			c.rows[t.name] = append(c.rows[t.name], r)
			if note != "" && !slices.Contains(c.notes[t.name], note) {
				c.notes[t.name] = append(c.notes[t.name], note)
			}
			fmt.Fprintf(os.Stderr, "%s: %s: %.1f Gb/s p50 %.1f us, %.2f + %.2f + %.2f cores, foreign %.2f %s\n", c.name, t.name,
				r.Rate/1e9, r.P50*1e6, r.Client, r.Server, r.SoftIRQ, r.Foreign, note)
		}
	}
	c.at = time.Now()
	return nil
}

const (
	// tries is how often a run is made at most.
	tries = 3
	// stealLimit is how many cores the hypervisor may take of a run.
	stealLimit = 0.05
)

// errSilent is a tool that came up and does not send.
var errSilent = errors.New("it does not send")

// errEarly is a tool that does not send for as long as it is looked at.
var errEarly = errors.New("it ended before the second reading")

// once runs one tool between two readings.
func once(ctx context.Context, l *link, t tool, trips bool) (row, string, error) {
	before := l.bytes()
	x, err := t.start(ctx, l)
	if err != nil {
		return row{}, "", err
	}
	enough := int64(5_000_000)
	if trips {
		enough = 50_000
	}
	for wait := time.Now(); l.bytes()-before < enough; {
		if time.Since(wait) > 5*time.Second {
			x.stop()
			return row{}, "", errSilent
		}
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(settle)
	a := read(l, x.pids)
	time.Sleep(measured)
	b := read(l, x.pids)
	if x.over() {
		// A tool that has ended by itself before the second reading has sent for a part of the time only.
		x.stop()
		return row{}, "", errEarly
	}
	if !x.ends {
		x.stop()
	} else if err := x.wait(); err != nil {
		return row{}, "", err
	}
	d := b.at.Sub(a.at).Seconds()
	r := row{Rate: float64(b.bytes-a.bytes) * 8 / d, P50: x.p50, P99: x.p99, Lost: x.lost,
		Client: (b.cpu[0] - a.cpu[0]) / d, Server: (b.cpu[1] - a.cpu[1]) / d, SoftIRQ: (b.softirq - a.softirq) / d}
	if x.rate > 0 {
		r.Rate = x.rate
	}
	r.Stolen = (b.stolen - a.stolen) / d
	r.Foreign = max(0, (b.busy-a.busy)/d-r.Client-r.Server-r.SoftIRQ)
	return r, x.note, nil
}

// snapshot is all counters at one moment.
type snapshot struct {
	at      time.Time
	bytes   int64
	cpu     [2]float64 // seconds of the two processes
	softirq float64    // seconds of the kernel's threads for packets
	busy    float64    // seconds of all cores together, steal left out
	stolen  float64    // seconds of all cores together
}

const ticks = 100 // a second, of the kernel's user interface

func read(l *link, pids [2]int) snapshot {
	s := snapshot{at: time.Now(), bytes: l.bytes()}
	for i, pid := range pids {
		s.cpu[i] = processTime(pid)
	}
	for _, pid := range l.softirq {
		s.softirq += processTime(pid)
	}
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	if f := strings.Fields(line); len(f) > 8 {
		s.stolen = number(f[8]) / ticks
		s.busy = (number(f[1]) + number(f[2]) + number(f[3]) + number(f[6]) + number(f[7])) / ticks
	}
	return s
}

// processTime is user and system time of a process in seconds.
func processTime(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name in brackets may hold anything; user and system time are fields 14 and 15.
	if _, rest, ok := strings.Cut(string(text), ") "); ok {
		if f := strings.Fields(rest); len(f) > 12 {
			return (number(f[11]) + number(f[12])) / ticks
		}
	}
	return 0
}

func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}
