package tables

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// CopyTables groups the copy experiments by name and path.
func CopyTables(r *record.Run) []BlockTable {
	var out []BlockTable
	for _, g := range result.Tables(r, ": ",
		func(e *record.Experiment) bool { return e.Copy != nil && e.Bytes != nil && e.Seconds != nil }) {
		t := BlockTable{Title: g.Title}
		t.Headers = append(result.SettingHeaders(g.Keys), "copied", "took", "of it sync", "throughput", "spread", "CPU",
			"drive busy")
		for _, e := range g.All {
			t.Rows = append(t.Rows,
				append(result.SettingValues(e, g.Keys), unit.Bytes(e.Copy.Bytes).String(), unit.Seconds(e.Seconds.Median),
					syncText(e.Copy), unit.BytesPerSecond(e.Bytes.Median),
					format.SpreadAs(e.Bytes, unit.BytesPerSecond), copyCPU(e.Copy), drivesBusy(&record.Block{Hosts: e.Copy.Hosts})))
		}
		t.Said = copySaid(g.All)
		out = append(out, t)
	}
	return out
}

// CopyText describes the result of a copy in a few words.
func CopyText(e *record.Experiment) string {
	return fmt.Sprintf("%s in %s, %s", unit.Bytes(e.Copy.Bytes), unit.Seconds(e.Seconds.Median),
		unit.BytesPerSecond(e.Bytes.Median))
}

// syncText describes the longest sync of all directions.
func syncText(c *record.Copy) string {
	most := 0.0
	for _, l := range c.Legs {
		if l.Sync == nil {
			return format.NotKnown
		}
		most = max(most, *l.Sync)
	}
	return unit.Seconds(most)
}

// copyCPU is the share of all cores of the host that copies.
func copyCPU(c *record.Copy) string {
	for _, h := range c.Hosts {
		if h.Asks && h.Cores != nil && h.Of > 0 {
			return unit.Percent(*h.Cores / float64(h.Of))
		}
	}
	return format.NotKnown
}

// copySaid describes how it was copied, and all limits on the meaning of the figures.
func copySaid(all []*record.Experiment) (out []string) {
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(out, text) && len(out) < 16 {
			out = append(out, text)
		}
	}
	place := func(p record.CopyPlace) string {
		text := format.Clean(p.Host) + " " + format.Clean(p.Path)
		if p.FileSystem != "" {
			text += " on " + format.Clean(p.FileSystem)
		}
		if len(p.Devices) > 0 {
			text += " (" + format.Clean(strings.Join(p.Devices, ", ")) + ")"
		}
		return text
	}
	for _, e := range all {
		c := e.Copy
		tool := format.Clean(c.Tool)
		if c.Tool == "own" {
			tool = "linerate's own client"
		}
		text := fmt.Sprintf("%s on %s", tool, format.Clean(c.On))
		if c.Over != "path" {
			text += " over " + format.Clean(c.Over)
		}
		if c.Server != "" {
			text += ", from and to " + format.Clean(c.Server)
		}
		if c.Why != "" {
			text += "; " + format.Clean(c.Why)
		}
		say("%s", text)
		if c.Command != "" {
			say("command: %s", format.Clean(c.Command))
		}
		for _, l := range c.Legs {
			say("from %s, to %s: %s", place(l.From), place(l.To), unit.Counted(l.Files, "file"))
			if l.Cache != "" {
				say("source: %s", format.Clean(l.Cache))
			}
			if l.SyncWhy != "" {
				say("sync: %s", format.Clean(l.SyncWhy))
			}
		}
		for _, h := range c.Hosts {
			for _, d := range h.Drives {
				say("%s%s: %s read %s and wrote %s by its own counters", format.Clean(h.Host), atSettings(e),
					format.Clean(d.Name), unit.Bytes(d.ReadBytes).Like(unit.Bytes(c.Bytes)),
					unit.Bytes(d.WrittenBytes).Like(unit.Bytes(c.Bytes)))
			}
		}
		if len(c.Threads) > 0 {
			t := c.Threads[0]
			if t.Seconds >= 0.2 { // shorter threads have too few samples
				say("the busiest thread of the tools%s: %s, %s of a core", atSettings(e), format.Clean(t.Name),
					unit.Percent(t.CPU/t.Seconds))
			}
		}
		if slices.IndexFunc(c.Legs, func(l record.CopyLeg) bool { return !l.Verified }) < 0 {
			say("what arrived was compared with the source: size and SHA-256 are the same")
		}
	}
	return out
}
