//go:build linux

// Command compare measures how often a comparison is right. It records short runs of three sides in turns, A B C A B C ..: A
// and B are the same, C has an agent that wastes a known share of a processor. Comparisons are then drawn out of the
// recording, and held against what they ought to say.
//
//	go build -C tools/bench -o /tmp/bench-compare ./compare
//	sudo /tmp/bench-compare -record tools/bench/compare/recording.csv -rounds 400
//	sudo /tmp/bench-compare -live /tmp/live.jsonl -comparisons 10
//	/tmp/bench-compare -live /tmp/live.jsonl -o tools/bench/compare/latest.md
//
// It needs root and iproute2. Both files are continued where they end: with -for a part at a time.
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
	"linerate/internal/run"
	"linerate/internal/traffic"
	"linerate/tools/bench/wire"
)

func main() { wire.Main("compare", bench) }

// options of the command line.
type options struct {
	recording, live, out string
	rounds, live10       int
	window               time.Duration
	until                time.Time
	waste                float64 // of C, share of a processor
	rate                 unit.BitRate
}

func bench(ctx context.Context) error {
	var o options
	flag.StringVar(&o.recording, "record", "", "recording to continue")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of the recording when it is whole")
	flag.StringVar(&o.live, "live", "", "file of live comparisons to continue")
	flag.IntVar(&o.live10, "comparisons", 0, "live comparisons when it is whole")
	flag.StringVar(&o.out, "o", "", "file for the tables, beside standard output")
	flag.DurationVar(&o.window, "window", 200*time.Millisecond, "window of each run")
	most := flag.Duration("for", time.Hour, "after this time no further round or comparison is begun")
	flag.Float64Var(&o.waste, "waste", 0.009, "share of a processor that C wastes")
	rate := flag.Float64("rate", 5e9, "bits per second of the link's shaper")
	flag.Parse()
	o.rate = unit.BitRate(*rate)
	o.until = time.Now().Add(*most)
	if o.rounds > 0 {
		if err := o.record(ctx); err != nil {
			return err
		}
	}
	if o.live10 > 0 {
		if err := o.compareLive(ctx); err != nil {
			return err
		}
	}
	text, err := o.page()
	if err != nil {
		return err
	}
	_, _ = os.Stdout.WriteString(text)
	if o.out != "" {
		return os.WriteFile(o.out, []byte(text), 0o644)
	}
	return nil
}

// bed is two hosts with a link between them, and C's agent at the first.
type bed struct {
	*wire.Net
	wasteful *agent.Client
}

func (o options) bed(ctx context.Context) (*bed, error) {
	w, err := wire.New(ctx, 2)
	if err != nil {
		return nil, err
	}
	b := &bed{Net: w}
	if b.wasteful, err = w.Wasteful(ctx, w.Hosts[0], o.waste); err == nil {
		err = w.Shape(wire.Shape{Rate: o.rate, MTU: 1500})
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return b, nil
}

// one is one short run of a side. Each end has a core of its own.
func (o options) one(ctx context.Context, w *bed, side byte) (record.Repeat, error) {
	s := run.Spec{Method: "stream", Direction: traffic.Out, Streams: 1, Warmup: 100 * time.Millisecond, Window: o.window,
		FromAddr: w.Hosts[0].V4, ToAddr: w.Hosts[1].V4, FromHost: "a", ToHost: "b", Seed: 1, FromCores: []int{0}, ToCores: []int{1}}
	from := w.Hosts[0].Agent
	if side == 'c' {
		from = w.wasteful
	}
	r, _, err := run.Repeat(ctx, from, w.Hosts[1].Agent, s, nil)
	return r, err
}

// spent is the processor seconds of both ends a gigabit.
func spent(r record.Repeat) float64 {
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
	begin := time.Duration(0)
	if n := len(have); n > 0 {
		begin = have[n-1][len(sides)-1].Begin + time.Second
	}
	w, err := o.bed(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	for len(have) < o.rounds && time.Now().Before(o.until) {
		var round [len(sides)]value
		for i := range sides {
			r, err := o.one(ctx, w, sides[i])
			if err != nil {
				return err
			}
			if first.IsZero() {
				first = r.Start
			}
			round[i] = value{Round: len(have), Side: sides[i], Begin: begin + r.Start.Sub(first) + time.Millisecond, Goodput: r.Goodput, Cost: spent(r), Foreign: r.Foreign}
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
	_ = c.Write(heading) // the first error stays
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
