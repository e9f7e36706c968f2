package report

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// copyTables gathers the experiments of copy, those of one name and path in one table.
func copyTables(r *record.Run) []blockTable {
	var out []blockTable
	for _, g := range gather(r, ": ", func(e *record.Experiment) bool { return e.Copy != nil && e.Bytes != nil && e.Seconds != nil }) {
		t := blockTable{Title: g.title}
		t.Heads = append(settingHeads(g.keys), "copied", "took", "of it sync", "throughput", "spread", "processor", "drive busy")
		for _, e := range g.all {
			t.Rows = append(t.Rows, append(settingCells(e, g.keys), unit.Bytes(e.Copy.Bytes).String(), unit.Seconds(e.Seconds.Median), syncText(e.Copy), unit.BytesPerSecond(e.Bytes.Median), byteSpread(e.Bytes),
				copyProcessor(e.Copy), drivesBusy(&record.Block{Hosts: e.Copy.Hosts})))
		}
		t.Said = copySaid(g.all)
		out = append(out, t)
	}
	return out
}

// CopyText is what an experiment of copy gave, in a few words.
func CopyText(e *record.Experiment) string {
	return fmt.Sprintf("%s in %s, %s", unit.Bytes(e.Copy.Bytes), unit.Seconds(e.Seconds.Median), unit.BytesPerSecond(e.Bytes.Median))
}

// syncText is the longest sync of all directions.
func syncText(c *record.Copy) string {
	most := 0.0
	for _, l := range c.Legs {
		if l.Sync == nil {
			return notKnown
		}
		most = max(most, *l.Sync)
	}
	return unit.Seconds(most)
}

// copyProcessor is the share of all cores of the host that copies.
func copyProcessor(c *record.Copy) string {
	for _, h := range c.Hosts {
		if h.Asks && h.Cores != nil && h.Of > 0 {
			return unit.Percent(*h.Cores / float64(h.Of))
		}
	}
	return notKnown
}

// copySaid is how it was copied, and all that takes from the figures' worth.
func copySaid(all []*record.Experiment) (out []string) {
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(out, text) && len(out) < 16 {
			out = append(out, text)
		}
	}
	place := func(p record.CopyPlace) string {
		text := clean(p.Host) + " " + clean(p.Path)
		if p.FileSystem != "" {
			text += " on " + clean(p.FileSystem)
		}
		if len(p.Devices) > 0 {
			text += " (" + clean(strings.Join(p.Devices, ", ")) + ")"
		}
		return text
	}
	for _, e := range all {
		c := e.Copy
		tool := clean(c.Tool)
		if c.Tool == "own" {
			tool = "linerate's own client"
		}
		text := fmt.Sprintf("%s on %s", tool, clean(c.On))
		if c.Over != "path" {
			text += " over " + clean(c.Over)
		}
		if c.Server != "" {
			text += ", from and to " + clean(c.Server)
		}
		if c.Why != "" {
			text += "; " + clean(c.Why)
		}
		say("%s", text)
		if c.Command != "" {
			say("command: %s", clean(c.Command))
		}
		for _, l := range c.Legs {
			say("from %s, to %s: %s", place(l.From), place(l.To), Count(l.Files, "file"))
			if l.Cache != "" {
				say("source: %s", clean(l.Cache))
			}
			if l.SyncWhy != "" {
				say("sync: %s", clean(l.SyncWhy))
			}
		}
		for _, h := range c.Hosts {
			for _, d := range h.Drives {
				say("%s%s: %s read %s and wrote %s by its own counters", clean(h.Host), atSettings(e), clean(d.Name), unit.Bytes(d.ReadBytes), unit.Bytes(d.WrittenBytes))
			}
		}
		if len(c.Threads) > 0 {
			t := c.Threads[0]
			if t.Seconds >= 0.2 { // of less there were few looks
				say("the busiest thread of the tools%s: %s, %s of a core", atSettings(e), clean(t.Name), unit.Percent(t.CPU/t.Seconds))
			}
		}
		if slices.IndexFunc(c.Legs, func(l record.CopyLeg) bool { return !l.Verified }) < 0 {
			say("what arrived was compared with the source: size and SHA-256 are the same")
		}
	}
	return out
}
