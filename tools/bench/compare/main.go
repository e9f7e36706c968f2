//go:build linux

// Command compare measures how often a comparison is right. It records short runs of three sides alternating (A B C A B
// C ..): A and B are equal, C has an agent that wastes a known share of a CPU. It then draws comparisons from the
// recording, of which it knows the right result.
//
//	go build -C tools/bench -o /tmp/bench-compare ./compare
//	sudo /tmp/bench-compare -record tools/bench/compare/recording.csv -rounds 400
//	sudo /tmp/bench-compare -live /tmp/live.jsonl -comparisons 10
//	/tmp/bench-compare -live /tmp/live.jsonl -o tools/bench/compare/latest.md
//
// It needs root and iproute2. Both files are continued where they end, so that -for can measure them in parts.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/network"
	"linerate/internal/traffic"
	"linerate/tools/bench/harness"
	"linerate/tools/bench/wire"
)

func main() { wire.Main("compare", bench) }

// options are the flags of the command line.
type options struct {
	recording, live, out string
	rounds, comparisons  int
	interval             time.Duration
	until                time.Time
	waste                float64 // share of a CPU that C wastes
	rate                 unit.BitRate
}

func bench(ctx context.Context) error {
	var o options
	flag.StringVar(&o.recording, "record", "", "recording to continue")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of the recording when it is whole")
	flag.StringVar(&o.live, "live", "", "file of live comparisons to continue")
	flag.IntVar(&o.comparisons, "comparisons", 0, "live comparisons when it is whole")
	flag.StringVar(&o.out, "o", "", "file for the tables, beside standard output")
	flag.DurationVar(&o.interval, "window", 200*time.Millisecond, "window of each run")
	limit := flag.Duration("for", time.Hour, "after this time no further round or comparison is begun")
	flag.Float64Var(&o.waste, "waste", 0.009, "share of a processor that C wastes")
	rate := flag.Float64("rate", 5e9, "bits per second of the link's shaper")
	flag.Parse()
	o.rate = unit.BitRate(*rate)
	o.until = time.Now().Add(*limit)
	if o.rounds > 0 {
		if err := o.record(ctx); err != nil {
			return err
		}
	}
	if o.comparisons > 0 {
		if err := o.measureLive(ctx); err != nil {
			return err
		}
	}
	text, err := o.page()
	if err != nil {
		return err
	}
	return harness.Publish(text, o.out)
}

// testbed is two hosts with a link between them, and the agent of C at the first host.
type testbed struct {
	*wire.Net
	wasteful *agent.Client
}

func (o options) testbed(ctx context.Context) (*testbed, error) {
	w, err := wire.New(ctx, 2)
	if err != nil {
		return nil, err
	}
	b := &testbed{Net: w}
	if b.wasteful, err = w.Wasteful(ctx, w.Hosts[0], o.waste); err == nil {
		err = w.Shape(wire.Shape{Rate: o.rate, MTU: 1500})
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return b, nil
}

// measure makes one short run of a side. Each end has a core of its own.
func (o options) measure(ctx context.Context, w *testbed, side byte) (record.Repeat, error) {
	s := network.Spec{Method: "throughput", Direction: traffic.Out, Streams: 1, Warmup: 100 * time.Millisecond,
		Interval: o.interval, FromAddr: w.Hosts[0].V4, ToAddr: w.Hosts[1].V4, FromHost: "a", ToHost: "b", Seed: 1,
		FromCores: []int{0}, ToCores: []int{1}}
	from := w.Hosts[0].Agent
	if side == 'c' {
		from = w.wasteful
	}
	r, _, err := network.Repeat(ctx, from, w.Hosts[1].Agent, s, nil)
	return r, err
}

// cpuPerGigabit is the CPU time of both ends in seconds a gigabit.
func cpuPerGigabit(r record.Repeat) float64 {
	used := 0.0
	for _, c := range r.CPU {
		if c.Core < 0 {
			used += c.User + c.System
		}
	}
	if r.Goodput <= 0 {
		return 0
	}
	return used / (r.Goodput / 1e9)
}

// record continues a recording.
func (o options) record(ctx context.Context) error {
	have, err := load(o.recording)
	if err != nil {
		return err
	}
	var first time.Time
	start := time.Duration(0)
	if n := len(have); n > 0 {
		start = have[n-1][len(sides)-1].Begin + time.Second
	}
	w, err := o.testbed(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	for len(have) < o.rounds && time.Now().Before(o.until) {
		var round [len(sides)]value
		for i := range sides {
			r, err := o.measure(ctx, w, sides[i])
			if err != nil {
				return err
			}
			if first.IsZero() {
				first = r.Start
			}
			round[i] = value{Round: len(have), Side: sides[i], Begin: start + r.Start.Sub(first) + time.Millisecond,
				Goodput: r.Goodput, Cost: cpuPerGigabit(r), OtherProcesses: r.OtherProcesses}
			if !(round[i].Goodput > 0) || !(round[i].Cost > 0) {
				return errors.New("a run has measured nothing")
			}
		}
		have = append(have, round)
	}
	fmt.Fprintf(os.Stderr, "%d rounds\n", len(have))
	return have.save(o.recording)
}

func load(name string) (recording, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (r recording) save(name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".recording")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	c := csv.NewWriter(f)
	_ = c.Write(heading) // c.Error returns the first error
	for _, round := range r {
		for _, v := range round {
			_ = c.Write(v.record())
		}
	}
	c.Flush()
	if err := errors.Join(c.Error(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
