//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/tools/bench/wire"
)

// live is one comparison that was measured, by the code that judges every run.
type live struct {
	At           time.Time
	Pairs        int
	Waste        float64           // of C, share of a processor
	Equal, Costs record.Comparison // processor time of B, and of C, beside A
}

func (o options) lives() ([]live, error) {
	if o.live == "" {
		return nil, nil
	}
	f, err := os.Open(o.live)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []live
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l live
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", o.live, len(all)+1, err)
		}
		all = append(all, l)
	}
	return all, nil
}

const (
	// livePairs is the least repeats a side of a live comparison: with as many the recording finds 97 of 100 differences of 5 %.
	livePairs = 80
	// liveMost is the most, on a machine that is noisier than that of the recording.
	liveMost = 200
	// liveSees is the difference that a live comparison goes on for: as small as it finds it 9 times in 10. What is
	// found meanwhile does not end it.
	liveSees = 0.05
)

// compareLive measures comparisons.
func (o options) compareLive(ctx context.Context) error {
	have, err := o.lives()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(o.live, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for len(have) < o.live10 && time.Now().Before(o.until) {
		l, err := o.liveOne(ctx)
		if err != nil {
			return err
		}
		have = append(have, l)
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		if _, err := f.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (o options) liveOne(ctx context.Context) (live, error) {
	w, err := o.bed(ctx)
	if err != nil {
		return live{}, err
	}
	defer w.Close()
	var sets [len(sides)]*record.Experiment
	for i := range sets {
		sets[i] = &record.Experiment{ID: string(sides[i]), Name: "live", Method: "stream", From: "a", To: "b", Direction: "out"}
	}
	l := live{At: time.Now().UTC(), Waste: o.waste}
	for l.Pairs < livePairs || l.Pairs < liveMost && max(*l.Equal.Resolution, *l.Costs.Resolution) > liveSees {
		for range livePairs / 4 {
			if err := o.round(ctx, w, &sets); err != nil {
				return live{}, err
			}
		}
		l.Pairs += livePairs / 4
		for i, to := range []*record.Comparison{&l.Equal, &l.Costs} {
			if err := costs(to, sets[0], sets[i+1], strings.ToUpper(sides[i+1:i+2])); err != nil {
				return live{}, err
			}
		}
	}
	return l, nil
}

// round adds a repeat of each side.
func (o options) round(ctx context.Context, w *bed, sets *[len(sides)]*record.Experiment) error {
	for i := range sets {
		r, err := o.one(ctx, w, sides[i])
		for try := 1; err != nil && try < 3 && ctx.Err() == nil; try++ {
			r, err = o.one(ctx, w, sides[i]) // a machine that stood still for a moment
		}
		if err != nil {
			return err
		}
		sets[i].Repeats = append(sets[i].Repeats, r)
	}
	return nil
}

// costs compares the processor time of two sides.
func costs(to *record.Comparison, a, b *record.Experiment, name string) error {
	for _, c := range report.Pair(a, b, "A", name) {
		if c.Metric == "cpu/goodput" {
			*to = c
		}
	}
	if to.Different == nil || to.Resolution == nil {
		return fmt.Errorf("a comparison that says nothing: %s", to.Why)
	}
	return nil
}

// page is the tables.
func (o options) page() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# How often a comparison is right\n\n%s. veth, reno, MTU 1500. %s", wire.Machine(), text)
	name := o.recording
	if name == "" {
		name = "tools/bench/compare/recording.csv"
	}
	r, err := load(name)
	if err != nil {
		return "", err
	}
	if len(r) >= numbers[len(numbers)-1] {
		tables, err := r.tables()
		if err != nil {
			return "", err
		}
		b.WriteString(tables)
	}
	all, err := o.lives()
	if err != nil || len(all) == 0 {
		return b.String(), err
	}
	fmt.Fprintf(&b, "\n## %d live comparisons\n\nC wastes %.2g %% of a processor in them. Could see is the difference that as many repeats of that noise find 9 times in 10.\n\n"+
		"| at | repeats a side | could see | B / A, processor time | says | C / A, processor time | says |\n|--|--|--|--|--|--|--|\n", len(all), 100*all[0].Waste)
	for _, l := range all {
		sees := max(*l.Equal.Resolution, *l.Costs.Resolution)
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %s | %s |\n", l.At.Format("15:04:05"), l.Pairs, 100*sees, words(l.Equal), words(l.Costs))
	}
	return b.String(), nil
}

func words(c record.Comparison) string {
	says := "no difference shown"
	if *c.Different {
		says = "different"
	}
	return fmt.Sprintf("%.3f (%.3f .. %.3f) | %s", *c.Ratio, *c.Low, *c.High, says)
}

const text = `One
stream on a link of 5 Gb/s, short runs in turns, A B C A B C ..: A and B are the same, C's sending agent wastes a share of a processor beside its work, 0.9 % when the runs were recorded. Processor
time is that of both ends' processes a gigabit. Every comparison is the product's own (stat.Paired through report.Pair).
`
