package tables

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// LatencyCurves is the largest number of experiments of a storage table with a curve each. With more, the table has
// their percentiles.
const LatencyCurves = 3

// BlockTable is one storage experiment: the figures for each value of its parameters, and the work of the hosts
// meanwhile.
type BlockTable struct {
	Title   string
	Headers []string
	Rows    [][]string
	Said    []string
	Crystal string          // a CrystalDiskMark profile in the form that its users post; empty: another profile
	Charts  []template.HTML // over the size of the blocks; none where there are few
	Anchor  string
	// Tails are the percentiles of every row, where no row has a curve of its own.
	TailHeaders []string
	Tails       [][]string

	Of result.Table // what it shows
}

// BlockTables groups the storage experiments by name and path, after tables of several experiments with the same loads.
func BlockTables(r *record.Run) []BlockTable {
	out := StorageSides(r)
	for _, g := range result.Tables(r, ": ", result.IsBlock) {
		t := newBlockTable(g.Title, g.All, g.Keys)
		t.Crystal, t.Of = crystal(g.All), g
		out = append(out, t)
	}
	return out
}

func newBlockTable(title string, all []*record.Experiment, keys []string) BlockTable {
	t := BlockTable{Title: title}
	t.Headers = append(result.SettingHeaders(keys), "throughput", "spread", "IOPS", "p50", "p99", "CPU",
		"drive busy")
	for _, e := range all {
		row := result.SettingValues(e, keys)
		p50, p99 := format.NotKnown, format.NotKnown
		if e.Latency != nil {
			p50, p99 = format.Seconds(e.Latency.P50), format.Seconds(e.Latency.P99)
		}
		t.Rows = append(t.Rows,
			append(row, unit.BytesPerSecond(e.Bytes.Median), format.SpreadAs(e.Bytes, unit.BytesPerSecond),
				unit.Count(e.IOPS.Median), p50, p99, cpuShare(e.Block), drivesBusy(e.Block)))
	}
	t.Said = BlockSaid(all)
	if len(all) > LatencyCurves {
		t.TailHeaders = result.SettingHeaders(keys)
		for _, q := range Percentiles() {
			t.TailHeaders = append(t.TailHeaders, q.Name)
		}
		t.TailHeaders = append(t.TailHeaders, "max", "requests")
		for _, e := range all {
			if e.Latency != nil {
				t.Tails = append(t.Tails, append(result.SettingValues(e, keys), tail(e.Latency)...))
			}
		}
	}
	return t
}

// BlockText describes the result of a storage experiment in a few words.
func BlockText(e *record.Experiment) string {
	return unit.BytesPerSecond(e.Bytes.Median) + ", " + unit.Count(e.IOPS.Median) + " IOPS"
}

// cpuShare returns the share of all cores of the clients.
func cpuShare(b *record.Block) string {
	if b.PerPercentAsking == nil {
		return format.NotKnown
	}
	return unit.Percent(b.PerPercentAsking.Percent / 100)
}

// drivesBusy returns the busiest drive's share of time with requests.
func drivesBusy(b *record.Block) string {
	most, known := 0.0, false
	for _, h := range b.Hosts {
		for _, d := range h.Drives {
			most, known = max(most, d.Busy), true
		}
	}
	if !known {
		return format.NotKnown
	}
	return unit.Percent(most)
}

// BlockSaid describes the loads, and all limits on the meaning of the figures.
func BlockSaid(all []*record.Experiment) (out []string) {
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
				text := fmt.Sprintf("%s%s: %s failed", format.Clean(w.Host), at, unit.Counted(int(w.ErrorCount), "request"))
				if len(w.Errors) > 0 {
					f := w.Errors[0]
					text += fmt.Sprintf(", the first one a %s at offset %d, after %s: %s", format.Clean(f.Op), f.Offset,
						format.Seconds(f.Seconds), format.Clean(f.Text))
				}
				say("%s", text)
			}
			if v := w.Verified; v != nil {
				text := fmt.Sprintf("%s%s: %s compared and right, %d wrong, %s written and not read back", format.Clean(w.Host),
					at, unit.Counted(int(v.Right), "block"), v.Wrong, unit.Counted(int(v.NotReadBack), "block"))
				if len(v.Blocks) > 0 {
					text += fmt.Sprintf("; the first wrong one at offset %d: %s", v.Blocks[0].Offset, format.Clean(v.Blocks[0].Text))
				}
				say("%s", text)
			}
			if w.Hanging > 0 {
				say("%s%s: %s did not come back", format.Clean(w.Host), at, unit.Counted(int(w.Hanging), "request"))
			}
		}
		if e.Block.SharedSeconds > 0 {
			say("%s", endedApart(e))
		}
		if s := e.Block.Steady; s != nil && !s.Is && !manyUnsteady {
			say("not steady%s: over the last %s the range is %s and the slope %s of the mean (at most 20 and 10 %%)",
				atSettings(e), format.Seconds(s.Seconds), unit.Percent(s.Range), unit.Percent(max(s.Slope, -s.Slope)))
		}
	}
	return append(append(out, volumeSaid(all)...), perPercentSaid(all)...)
}

// fewUnsteady is the number of combinations without a steady state up to which each has a sentence.
const fewUnsteady = 3

// unsteadySaid reports many combinations without a steady state in one sentence; empty: they are few.
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
	return fmt.Sprintf(
		"not steady in %d of %s; over the last part of the interval the range is up to %s and the slope up to %s of the "+
			"mean (at most 20 and 10 %%)", n, unit.Counted(len(all), "combination"), unit.Percent(wide), unit.Percent(steep),
	)
}

// atSettings names the combination of an experiment that a sentence is about.
func atSettings(e *record.Experiment) string {
	var words []string
	for _, k := range []string{"load", "size", "read", "depth", "threads", "streams", "files", "tool", "cache"} {
		if v := e.Settings[k]; v != "" {
			if k == "load" {
				words = append(words, format.Clean(v))
			} else {
				words = append(words, k+" "+format.Clean(v))
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// perPercentSaid describes the work per percent of CPU time, of both ends where both are known.
func perPercentSaid(all []*record.Experiment) (out []string) {
	var best *record.Experiment
	for _, e := range all {
		if e.Block.PerPercentAsking != nil &&
			(best == nil || e.Block.PerPercentAsking.IOPS > best.Block.PerPercentAsking.IOPS) {
			best = e
		}
	}
	if best == nil {
		return nil
	}
	text := fmt.Sprintf("work for each percent of CPU%s: %s IOPS where it is asked", atSettings(best),
		unit.Count(best.Block.PerPercentAsking.IOPS))
	if s := best.Block.PerPercentStoring; s != nil {
		text += fmt.Sprintf(", %s IOPS where it is stored", unit.Count(s.IOPS))
	}
	return []string{text}
}

// PrintStorage prints the tables of block and copy.
func PrintStorage(l *terminal.Lines, r *record.Run) {
	for _, t := range slices.Concat(BlockTables(r), CopyTables(r)) {
		l.Heading(t.Title)
		drop := []string{}
		if l.Width < 120 {
			drop = []string{"drive busy"}
		}
		if l.Width < 100 {
			drop = []string{"spread", "drive busy"}
		}
		t.Headers, t.Rows = withoutColumn(t.Headers, t.Rows, drop...)
		printFigures(l, t.Headers, t.Rows, t.Said)
		if t.Crystal != "" {
			l.Gap()
			for line := range strings.Lines(t.Crystal) {
				l.Line(strings.TrimRight(line, "\n"))
			}
		}
	}
}
