package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// blockTable is one experiment of block: what storage gave for each value of its axes, and what the hosts did meanwhile.
type blockTable struct {
	Title   string
	Heads   []string
	Rows    [][]string
	Said    []string
	Crystal string          // the rows of a CrystalDiskMark profile as its users post them; empty: another profile
	Charts  []template.HTML // over the size of the blocks; none where there are few
	Anchor  string
	// Tails are the percentiles of every row, where no row has a curve of its own.
	TailHeads []string
	Tails     [][]string

	of gathered // what it shows
}

// blockTables gathers the experiments of block, those of one name and path in one table, after those of several that were asked the same.
func blockTables(r *record.Run) []blockTable {
	out := storageSides(r)
	for _, g := range gather(r, ": ", isBlock) {
		t := newBlockTable(g.title, g.all, g.keys)
		t.Crystal, t.of = crystal(g.all), g
		out = append(out, t)
	}
	return out
}

func newBlockTable(title string, all []*record.Experiment, keys []string) blockTable {
	t := blockTable{Title: title}
	t.Heads = append(settingHeads(keys), "throughput", "spread", "IOPS", "p50", "p99", "processor", "drive busy")
	for _, e := range all {
		row := settingCells(e, keys)
		p50, p99 := notKnown, notKnown
		if e.Latency != nil {
			p50, p99 = seconds(e.Latency.P50), seconds(e.Latency.P99)
		}
		t.Rows = append(t.Rows, append(row, unit.BytesPerSecond(e.Bytes.Median), byteSpread(e.Bytes), unit.Count(e.IOPS.Median), p50, p99, processorShare(e.Block), drivesBusy(e.Block)))
	}
	t.Said = blockSaid(all)
	if len(all) > latencyCurves {
		t.TailHeads = settingHeads(keys)
		for _, q := range percentileNames {
			t.TailHeads = append(t.TailHeads, q.name)
		}
		t.TailHeads = append(t.TailHeads, "max", "requests")
		for _, e := range all {
			if e.Latency != nil {
				t.Tails = append(t.Tails, append(settingCells(e, keys), tail(e.Latency)...))
			}
		}
	}
	return t
}

// BlockText is what an experiment of block gave, in a few words.
func BlockText(e *record.Experiment) string {
	return unit.BytesPerSecond(e.Bytes.Median) + ", " + unit.Count(e.IOPS.Median) + " IOPS"
}

func byteSpread(e *record.Estimate) string {
	if e.Repeats < 2 {
		return "one repeat"
	}
	kind := fmt.Sprintf("range of %d", e.Repeats)
	if e.Interval != "range" {
		kind = fmt.Sprintf("%s interval of %d", clean(e.Interval), e.Repeats)
	}
	low, high := unit.BytesPerSecond(e.Low), unit.BytesPerSecond(e.High)
	if l, h, ok := sameUnit(low, high); ok {
		low, high = l, h
	}
	return low + " .. " + high + ", " + kind
}

// processorShare is the share of all cores of the hosts that ask.
func processorShare(b *record.Block) string {
	if b.PerPercentAsking == nil {
		return notKnown
	}
	return unit.Percent(b.PerPercentAsking.Percent / 100)
}

// drivesBusy is the busiest drive's share of the time.
func drivesBusy(b *record.Block) string {
	most, known := 0.0, false
	for _, h := range b.Hosts {
		for _, d := range h.Drives {
			most, known = max(most, d.Busy), true
		}
	}
	if !known {
		return notKnown
	}
	return unit.Percent(most)
}

// blockSaid is what was asked and how, and all that takes from the figures' worth.
func blockSaid(all []*record.Experiment) (out []string) {
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(out, text) && len(out) < 16 {
			out = append(out, text)
		}
	}
	for _, text := range workersSaid(all) {
		say("%s", text)
	}
	unsteady := unsteadySaid(all)
	manyUnsteady := unsteady != ""
	if manyUnsteady {
		say("%s", unsteady)
	}
	for _, e := range all {
		for _, w := range e.Block.Workers {
			at := atSettings(e)
			if w.ErrorCount > 0 {
				text := fmt.Sprintf("%s%s: %s failed", clean(w.Host), at, Count(int(w.ErrorCount), "request"))
				if len(w.Errors) > 0 {
					f := w.Errors[0]
					text += fmt.Sprintf(", the first one a %s at offset %d, after %s: %s", clean(f.Op), f.Offset, seconds(f.Seconds), clean(f.Text))
				}
				say("%s", text)
			}
			if v := w.Verified; v != nil {
				text := fmt.Sprintf("%s%s: %s compared and right, %d wrong, %s written and not read back", clean(w.Host), at, Count(int(v.Right), "block"), v.Wrong, Count(int(v.NotReadBack), "block"))
				if len(v.Blocks) > 0 {
					text += fmt.Sprintf("; the first wrong one at offset %d: %s", v.Blocks[0].Offset, clean(v.Blocks[0].Text))
				}
				say("%s", text)
			}
			if w.Hanging > 0 {
				say("%s%s: %s did not come back", clean(w.Host), at, Count(int(w.Hanging), "request"))
			}
		}
		if e.Block.SharedSeconds > 0 {
			say("%s", endedApart(e))
		}
		if s := e.Block.Steady; s != nil && !s.Is && !manyUnsteady {
			say("not steady%s: over the last %s the range is %s and the slope %s of the mean (at most 20 and 10 %%)", atSettings(e), seconds(s.Seconds), unit.Percent(s.Range), unit.Percent(max(s.Slope, -s.Slope)))
		}
	}
	return append(append(out, volumeSaid(all)...), perPercentSaid(all)...)
}

// fewUnsteady is how many cells that did not come to a steady state have a sentence each.
const fewUnsteady = 3

// unsteadySaid tells of many cells without a steady state in one sentence; empty: they are few.
func unsteadySaid(all []*record.Experiment) string {
	n, wide, steep := 0, 0.0, 0.0
	for _, e := range all {
		if s := e.Block.Steady; s != nil && !s.Is {
			n, wide, steep = n+1, max(wide, s.Range), max(steep, s.Slope, -s.Slope)
		}
	}
	if n <= fewUnsteady {
		return ""
	}
	return fmt.Sprintf("not steady in %d of %s: over the last part of the window the range is up to %s and the slope up to %s of the mean (at most 20 and 10 %%)", n, count(len(all), "cell"), unit.Percent(wide), unit.Percent(steep))
}

// atSettings says which cell of an experiment a sentence is about.
func atSettings(e *record.Experiment) string {
	var words []string
	for _, k := range []string{"load", "size", "read", "depth", "threads", "streams", "files", "tool", "cache"} {
		if v := e.Settings[k]; v != "" {
			if k == "load" {
				words = append(words, clean(v))
			} else {
				words = append(words, k+" "+clean(v))
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// perPercentSaid is work for each percent of processor, of both ends where both are known.
func perPercentSaid(all []*record.Experiment) (out []string) {
	var best *record.Experiment
	for _, e := range all {
		if e.Block.PerPercentAsking != nil && (best == nil || e.Block.PerPercentAsking.IOPS > best.Block.PerPercentAsking.IOPS) {
			best = e
		}
	}
	if best == nil {
		return nil
	}
	text := fmt.Sprintf("work for each percent of processor%s: %s IOPS where it is asked", atSettings(best), unit.Count(best.Block.PerPercentAsking.IOPS))
	if s := best.Block.PerPercentStoring; s != nil {
		text += fmt.Sprintf(", %s IOPS where it is stored", unit.Count(s.IOPS))
	}
	return []string{text}
}

// storage prints the tables of block and copy.
func (l *lines) storage(r *record.Run) {
	for _, t := range slices.Concat(blockTables(r), copyTables(r)) {
		l.gap()
		l.line(l.ink(bold, t.Title))
		drop := []string{}
		if l.Width < 120 {
			drop = []string{"drive busy"}
		}
		if l.Width < 100 {
			drop = []string{"spread", "drive busy"}
		}
		t.Heads, t.Rows = withoutColumn(t.Heads, t.Rows, drop...)
		l.figures(t.Heads, t.Rows, t.Said)
		if t.Crystal != "" {
			l.gap()
			for line := range strings.Lines(t.Crystal) {
				l.line(strings.TrimRight(line, "\n"))
			}
		}
	}
}
