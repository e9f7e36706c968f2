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

	"linerate/measure"
	"linerate/run"
	"linerate/unit"
)

// measured is the time between the two readings.
var measured = 2 * time.Second

// bench case: the first tool is compared with each of the others.
type benchCase struct {
	name    string
	label   string
	trips   bool // round trips instead of rates
	onlyMTU int
	tools   []tool
	rows    map[string][]row
	notes   map[string][]string
}

// row is one run of one tool.
type row struct {
	rate            float64 // bits per second
	client, server  float64 // cores
	foreign         float64
	p50, p99        float64
	perProcessorSec float64
}

// cases is the table. Pinned ends have a core each; unpinned ones are the system's to place, and the trial's.
func cases(l *link) []*benchCase {
	pinned := []int{0, 1}
	tuned := measure.Tuning{Trial: true, Placement: measure.PlaceAuto}
	stream := func(streams int, size unit.Bytes, t measure.Tuning, cores []int) run.Spec {
		s := run.Spec{Samples: run.DefaultSamples, Method: "stream", Streams: streams, Size: size, Tuning: t}
		if cores != nil {
			s.FromCores, s.ToCores = cores[:1], cores[1:]
		}
		return s
	}
	lengths := func(streams int, cores []int) []tool {
		var out []tool
		for _, size := range []string{"256K", "512K", "1M"} {
			out = append(out, iperf("iperf3 -l "+size, cores, "-P", strconv.Itoa(streams), "-l", size))
		}
		return out
	}
	var out []*benchCase
	add := func(label, name string, tools ...tool) *benchCase {
		c := &benchCase{name: name, label: label, tools: tools, rows: map[string][]row{}, notes: map[string][]string{}}
		out = append(out, c)
		return c
	}
	for _, n := range []int{1, 4} {
		p := strconv.Itoa(n)
		of := fmt.Sprintf("%d streams", n)
		add("A", "A, "+of+", pinned", []tool{engine("linerate", stream(n, 0, tuned, pinned)), iperf("iperf3", pinned, "-P", p), iperf("iperf3 -l 1M", pinned, "-P", p, "-l", "1M")}...)
		add("A", "A, "+of+", unpinned", append([]tool{engine("linerate", stream(n, 0, tuned, nil)), iperf("iperf3", nil, "-P", p)}, lengths(n, nil)...)...)
		b := tuned
		b.Copies = measure.CopiesReceive
		add("B", "B, "+of+", pinned", engine("linerate", stream(n, 0, b, pinned)), iperf("iperf3 -Z", pinned, "-Z", "-P", p))
		c := tuned
		c.Copies = measure.CopiesNone
		add("C", "C, "+of+", pinned", engine("linerate", stream(n, 0, c, pinned)))
	}
	for _, size := range []int{512, 4096} {
		bytes := strconv.Itoa(size)
		add("A", "A, messages of "+bytes+" B, pinned", engine("linerate", stream(1, unit.Bytes(size), tuned, pinned)), iperf("iperf3 -l "+bytes, pinned, "-l", bytes)).onlyMTU = 1500
		g := tuned
		g.Gather = 64 << 10 / size
		add("G", "G, gathered messages of "+bytes+" B, pinned", engine("linerate", stream(1, unit.Bytes(size), g, pinned))).onlyMTU = 1500
	}
	ping := func(spin bool) run.Spec {
		s := run.Spec{Samples: run.DefaultSamples, Method: "ping", Streams: 1, Size: 64, Tuning: measure.Tuning{Spin: spin}}
		s.FromCores, s.ToCores = pinned[:1], pinned[1:]
		return s
	}
	c := add("", "ping 64 B, blocking, pinned", engine("linerate", ping(false)), sock("sockperf", pinned))
	c.trips, c.onlyMTU = true, 1500
	c = add("", "ping 64 B, spinning, pinned", engine("linerate", ping(true)), sock("sockperf --nonblocked", pinned, "--nonblocked"))
	c.trips, c.onlyMTU = true, 1500
	if l.cloop != "" {
		for _, size := range []int{512, 4096, 1 << 20} {
			add("A", fmt.Sprintf("overhead, calls of %d B, pinned", size), engine("linerate", stream(1, unit.Bytes(size), measure.Tuning{}, pinned)),
				loop("C loop", pinned, 1, size)).onlyMTU = 1500
		}
	}
	return out
}

func (c *benchCase) run(ctx context.Context, l *link, runs int) error {
	for i := range runs {
		for k := range c.tools {
			// Every other round runs backwards: what drifts meets both sides alike.
			if i%2 == 1 {
				k = len(c.tools) - 1 - k
			}
			t := c.tools[k]
			r, note, err := once(ctx, l, t, c.trips)
			if errors.Is(err, errSilent) {
				// A server that was not there yet on a busy machine: once more.
				r, note, err = once(ctx, l, t, c.trips)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			c.rows[t.name] = append(c.rows[t.name], r)
			if note != "" && !slices.Contains(c.notes[t.name], note) {
				c.notes[t.name] = append(c.notes[t.name], note)
			}
			fmt.Fprintf(os.Stderr, "%s: %s: %.1f Gb/s p50 %.1f us, %.2f + %.2f cores, foreign %.2f %s\n", c.name, t.name, r.rate/1e9, r.p50*1e6, r.client, r.server, r.foreign, note)
		}
	}
	return nil
}

// errSilent is a tool that came up and does not send.
var errSilent = errors.New("it does not send")

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
	time.Sleep(600 * time.Millisecond)
	a := read(l, x.pids)
	time.Sleep(measured)
	b := read(l, x.pids)
	if err := x.wait(); err != nil {
		return row{}, "", err
	}
	d := b.at.Sub(a.at).Seconds()
	r := row{rate: float64(b.bytes-a.bytes) * 8 / d, client: (b.cpu[0] - a.cpu[0]) / d, server: (b.cpu[1] - a.cpu[1]) / d, p50: x.p50, p99: x.p99}
	r.foreign = max(0, (b.busy-a.busy)/d-r.client-r.server)
	if r.client+r.server > 0 {
		r.perProcessorSec = r.rate / (r.client + r.server)
	}
	return r, x.note, nil
}

// snapshot is all counters at one moment.
type snapshot struct {
	at    time.Time
	bytes int64
	cpu   [2]float64 // seconds of the two processes
	busy  float64    // seconds of all cores together, steal left out
}

const ticks = 100 // a second, of the kernel's user interface

func read(l *link, pids [2]int) snapshot {
	s := snapshot{at: time.Now(), bytes: l.bytes()}
	for i, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		// The name in brackets may hold anything; user and system time are fields 14 and 15.
		if _, rest, ok := strings.Cut(string(text), ") "); ok {
			if f := strings.Fields(rest); len(f) > 12 {
				s.cpu[i] = (number(f[11]) + number(f[12])) / ticks
			}
		}
	}
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	if f := strings.Fields(line); len(f) > 7 {
		s.busy = (number(f[1]) + number(f[2]) + number(f[3]) + number(f[6]) + number(f[7])) / ticks
	}
	return s
}

func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}
