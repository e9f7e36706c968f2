package tables

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// workersSaid describes the loads, each once with all of its workers, and the skew of their starts.
func workersSaid(all []*record.Experiment) (out []string) {
	type group struct {
		hosts, targets []string
		w              record.BlockWorker
	}
	var order []string
	groups := map[string]*group{}
	var ways, exports []string
	at := map[string][]string{}
	for _, e := range all {
		for _, w := range e.Block.Workers {
			key := fmt.Sprint(w.Span, w.Kind, w.Created, w.FileSystem, w.Devices, w.Cache)
			g := groups[key]
			if g == nil {
				g = &group{w: w}
				groups[key] = g
				order = append(order, key)
			}
			name := w.Target
			if w.Of != "" && len(e.Block.Workers) > 1 {
				name = w.Of
			}
			g.hosts, g.targets = xslices.AppendNew(g.hosts, w.Host), xslices.AppendNew(g.targets, name)
			way := "way: " + format.Clean(w.Way)
			if w.Why != "" {
				way += ", " + format.Clean(w.Why)
			}
			if x := w.Export; x != nil {
				kind := unit.If(x.Kernel, "of the kernels at both ends", "software at both ends, in user space")
				name := w.Of
				if name == "" || len(e.Block.Workers) == 1 {
					name = x.At
				}
				given := fmt.Sprintf("%s from \x00: %s; %s; %s", format.Clean(x.Protocol), format.Clean(x.Server),
					format.Clean(x.Client), kind)
				if at[given] == nil {
					exports = append(exports, given)
				}
				at[given] = xslices.AppendNew(at[given], name)
			}
			ways = xslices.AppendNew(ways, way)
		}
	}
	for _, key := range order {
		g := groups[key]
		what, name := format.Clean(g.w.Kind), format.Clean(fabric.Compact(g.targets))
		if g.w.Created {
			what = "a file that was made for it in " + name
		} else {
			what += " " + name
		}
		if g.w.FileSystem != "" {
			what += " on " + format.Clean(g.w.FileSystem)
		}
		if len(g.w.Devices) > 0 {
			what += " (" + format.Clean(strings.Join(g.w.Devices, ", ")) + ")"
		}
		if g.w.Cache != "" {
			what += "; " + format.Clean(g.w.Cache)
		}
		each := unit.If(len(g.targets) > 1, "each ", "")
		out = append(out,
			fmt.Sprintf("%s: %s of %s%s", format.Clean(fabric.Compact(g.hosts)), unit.Bytes(g.w.Span), each, what))
	}
	for _, given := range exports {
		out = append(out, strings.Replace(given, "\x00", format.Clean(fabric.Compact(at[given])), 1))
	}
	out = append(out, ways...)
	for _, e := range all {
		if text := loadsSaid(e); text != "" {
			out = append(out, text)
		}
	}
	var worst *record.Experiment
	for _, e := range all {
		if s := e.Block.Start; s != nil && (worst == nil || s.Spread > worst.Block.Start.Spread) {
			worst = e
		}
	}
	if worst != nil {
		s := worst.Block.Start
		text := fmt.Sprintf("%s began within %s of each other", unit.Counted(len(worst.Block.Workers), "worker"),
			format.Seconds(s.Spread))
		if len(all) > 1 {
			text += " at most" + atSettings(worst)
		}
		if s.Within > 0 {
			text += fmt.Sprintf("; their clocks are known within %s", format.Seconds(s.Within))
		}
		out = append(out, text)
	}
	return out
}

// endedApart names the workers that ended first and last, where they did not end together.
func endedApart(e *record.Experiment) string {
	all := e.Block.Workers
	first, last := all[0], all[0]
	for _, w := range all {
		if w.LastSeconds < first.LastSeconds {
			first = w
		}
		if w.LastSeconds > last.LastSeconds {
			last = w
		}
	}
	name := func(w record.BlockWorker) string {
		if w.Of != "" {
			return format.Clean(w.Host) + " (" + format.Clean(w.Of) + ")"
		}
		return format.Clean(w.Host)
	}
	return fmt.Sprintf(
		"the workers did not end together%s: %s after %s, %s after %s; throughput and IOPS are of the %s that all of them "+
			"share", atSettings(e), name(first), format.Seconds(first.LastSeconds), name(last), format.Seconds(last.LastSeconds),
		format.Seconds(e.Block.SharedSeconds),
	)
}

// loadsSaid describes the result of each of several concurrent loads; empty: there is one.
func loadsSaid(e *record.Experiment) string {
	var order []string
	sum := map[string]float64{}
	for _, w := range e.Block.Workers {
		if w.Load == "" {
			return ""
		}
		order = xslices.AppendNew(order, w.Load)
		sum[w.Load] += float64(w.Read + w.Write)
	}
	interval := 0.0
	if n := len(e.Repeats); n > 0 {
		interval = e.Repeats[n-1].Seconds
	}
	if len(order) < 2 || interval <= 0 {
		return ""
	}
	var parts []string
	for _, load := range order {
		parts = append(parts, fmt.Sprintf("%s %s IOPS", format.Clean(load), unit.Count(sum[load]/interval)))
	}
	return "at once, in the last repeat: " + strings.Join(parts, "; ")
}

// volumeSaid describes the work of a lab's volume on its hosts: its processes' share of their common cores, and the
// number of copies written.
func volumeSaid(all []*record.Experiment) (out []string) {
	var most, wrote *record.Experiment
	for _, e := range all {
		if !countsProcesses(e) {
			continue
		}
		if most == nil || e.Bytes.Median > most.Bytes.Median {
			most = e
		}
		if b := e.Block; b.Read == nil && b.Write != nil && b.Write.Bytes > 0 &&
			(wrote == nil || b.Write.Bytes > wrote.Block.Write.Bytes) {
			wrote = e
		}
	}
	if most == nil {
		return nil
	}
	var hosts []string
	asking, known := 0.0, true
	for _, h := range most.Block.Hosts {
		if h.Asks {
			known = known && h.Own != nil
			if h.Own != nil {
				asking += *h.Own
			}
		}
		if len(h.Processes) == 0 {
			continue
		}
		sum := 0.0
		var parts []string
		for _, p := range h.Processes {
			if sum += p.Cores; p.Cores >= 0.005 {
				parts = append(parts, fmt.Sprintf("%s %.2f", format.Clean(p.Name), p.Cores))
			}
		}
		text := fmt.Sprintf("%s %.2f", format.Clean(h.Host), sum)
		if len(parts) > 0 {
			text += " (" + strings.Join(parts, ", ") + ")"
		}
		hosts = append(hosts, text)
	}
	text := fmt.Sprintf("cores that the processes of each host used%s: %s", atSettings(most), strings.Join(hosts, "; "))
	if known {
		text += fmt.Sprintf("; of all that ask together %.2f", asking)
	}
	out = append(out, text)
	if wrote == nil {
		return out
	}
	written := float64(wrote.Block.Write.Bytes)
	var bricks, wire int64
	bricksKnown, wireKnown := true, true
	for _, h := range wrote.Block.Hosts {
		for _, p := range h.Processes { // only of hosts with bricks: the agent exports other storage of a lab
			if p.Name != "glusterfsd" {
				continue
			}
			if bricksKnown = bricksKnown && p.WrittenBytes != nil; bricksKnown {
				bricks += *p.WrittenBytes
			}
		}
		if len(h.Processes) > 0 {
			if wireKnown = wireKnown && h.Received != nil; wireKnown {
				wire += *h.Received
			}
		}
	}
	if bricksKnown && bricks > 0 {
		text := fmt.Sprintf("copies%s: %s were written, and the bricks wrote %s in the same interval, %.2f times as much",
			atSettings(wrote), unit.Bytes(written), unit.Bytes(bricks), float64(bricks)/written)
		if wireKnown {
			text += fmt.Sprintf("; over the network between the hosts came %s, %.2f times as much", unit.Bytes(wire),
				float64(wire)/written)
		}
		out = append(out, text)
	}
	return out
}

func countsProcesses(e *record.Experiment) bool {
	for _, h := range e.Block.Hosts {
		if len(h.Processes) > 0 {
			return e.Bytes != nil
		}
	}
	return false
}
