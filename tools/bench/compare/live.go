//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/record"
	"linerate/internal/report/compare"
	"linerate/tools/bench/harness"
)

// live is one comparison that was measured. The code that judges every run has judged it.
type live struct {
	At           time.Time
	Pairs        int
	Waste        float64           // share of a CPU that C wastes
	Equal, Costs record.Comparison // CPU time of B, and of C, next to A
}

// resolution is the difference that both comparisons find 9 times in 10, as a share.
func (l live) resolution() float64 { return max(*l.Equal.Resolution, *l.Costs.Resolution) }

const (
	// liveMinPairs is the least number of repeats a side of a live comparison: with as many, comparisons drawn from the
	// recording find 97 of 100 differences of 5 %.
	liveMinPairs = 80
	// liveMaxPairs is the largest number, on a machine that is noisier than that of the recording.
	liveMaxPairs = 200
	// liveResolution is the difference that a live comparison has to be able to find 9 times in 10: until then it measures
	// further pairs. To end with the first difference found would favour differences.
	liveResolution = 0.05
)

// measureLive measures comparisons until the file has enough.
func (o options) measureLive(ctx context.Context) error {
	if o.live == "" {
		return errors.New("-comparisons needs the file of -live")
	}
	have, err := harness.ReadRows[live](o.live)
	if err != nil {
		return err
	}
	for n := len(have); n < o.comparisons && time.Now().Before(o.until); n++ {
		l, err := o.measureOne(ctx)
		if err != nil {
			return err
		}
		if err := harness.AddRow(o.live, l); err != nil {
			return err
		}
	}
	return nil
}

func (o options) measureOne(ctx context.Context) (live, error) {
	w, err := o.testbed(ctx)
	if err != nil {
		return live{}, err
	}
	defer w.Close()
	var sets [len(sides)]*record.Experiment
	for i := range sets {
		sets[i] = &record.Experiment{ID: string(sides[i]), Name: "live", Method: "throughput", From: "a",
			To: "b", Direction: "out"}
	}
	l := live{At: time.Now().UTC(), Waste: o.waste}
	for l.Pairs < liveMinPairs || l.Pairs < liveMaxPairs && l.resolution() > liveResolution {
		for range liveMinPairs / 4 {
			if err := o.round(ctx, w, &sets); err != nil {
				return live{}, err
			}
		}
		l.Pairs += liveMinPairs / 4
		for i, to := range []*record.Comparison{&l.Equal, &l.Costs} {
			if err := costs(to, sets[0], sets[i+1], strings.ToUpper(sides[i+1:i+2])); err != nil {
				return live{}, err
			}
		}
	}
	return l, nil
}

// round adds one repeat of each side.
func (o options) round(ctx context.Context, w *testbed, sets *[len(sides)]*record.Experiment) error {
	for i := range sets {
		r, err := o.measure(ctx, w, sides[i])
		for try := 1; err != nil && try < 3 && ctx.Err() == nil; try++ {
			r, err = o.measure(ctx, w, sides[i]) // the machine may have paused
		}
		if err != nil {
			return err
		}
		sets[i].Repeats = append(sets[i].Repeats, r)
	}
	return nil
}

// costs sets a comparison to that of the CPU time of two sides.
func costs(to *record.Comparison, a, b *record.Experiment, name string) error {
	for _, c := range compare.Pair(a, b, "A", name) {
		if c.Metric == "cpu/goodput" {
			*to = c
		}
	}
	if to.Different == nil || to.Resolution == nil {
		return fmt.Errorf("a comparison that says nothing: %s", to.Why)
	}
	return nil
}

// page is the tables as Markdown.
func (o options) page() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# How often a comparison is right\n\n%s. veth, reno, MTU 1500. %s", harness.Machine(), introduction)
	name := o.recording
	if name == "" {
		name = "tools/bench/compare/recording.csv"
	}
	r, err := load(name)
	if err != nil {
		return "", err
	}
	if len(r) >= pairNumbers[len(pairNumbers)-1] {
		tables, err := r.tables()
		if err != nil {
			return "", err
		}
		b.WriteString(tables)
	}
	all, err := harness.ReadRows[live](o.live)
	if err != nil || len(all) == 0 {
		return b.String(), err
	}
	fmt.Fprintf(&b,
		"\n## %d live comparisons\n\nC wastes %.2g %% of a processor in them. Could see is the difference that as many "+
			"repeats of that noise find 9 times in 10.\n\n"+
			"| at | repeats a side | could see | B / A, processor time | says | C / A, processor time | says "+
			"|\n|--|--|--|--|--|--|--|\n", len(all), 100*all[0].Waste)
	for _, l := range all {
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %s | %s |\n", l.At.Format("15:04:05"), l.Pairs, 100*l.resolution(),
			ratio(l.Equal), ratio(l.Costs))
	}
	return b.String(), nil
}

func ratio(c record.Comparison) string {
	says := "no difference shown"
	if *c.Different {
		says = "different"
	}
	return fmt.Sprintf("%.3f (%.3f .. %.3f) | %s", *c.Ratio, *c.Low, *c.High, says)
}

const introduction = `One
stream on a link of 5 Gb/s, short runs in turns, A B C A B C ..: A and B are the same, C's sending agent wastes a share of a processor beside its work, 0.9 % when the runs were recorded. Processor
time is that of both ends' processes a gigabit. Every comparison is the product's own (stat.Paired through compare.Pair).
`
