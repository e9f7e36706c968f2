package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// workersSaid is what was asked and how, each once with all workers that it holds for, and how far apart they began.
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
			g.hosts, g.targets = once(g.hosts, w.Host), once(g.targets, name)
			way := "way: " + clean(w.Way)
			if w.Why != "" {
				way += ", " + clean(w.Why)
			}
			if x := w.Export; x != nil {
				kind := "software at both ends, in user space"
				if x.Kernel {
					kind = "of the kernels at both ends"
				}
				name := w.Of
				if name == "" || len(e.Block.Workers) == 1 {
					name = x.At
				}
				given := fmt.Sprintf("%s from \x00: %s; %s; %s", clean(x.Protocol), clean(x.Server), clean(x.Client), kind)
				if at[given] == nil {
					exports = append(exports, given)
				}
				at[given] = once(at[given], name)
			}
			ways = once(ways, way)
		}
	}
	for _, key := range order {
		g := groups[key]
		what, name := clean(g.w.Kind), clean(fabric.Compact(g.targets))
		if g.w.Created {
			what = "a file that was made for it in " + name
		} else {
			what += " " + name
		}
		if g.w.FileSystem != "" {
			what += " on " + clean(g.w.FileSystem)
		}
		if len(g.w.Devices) > 0 {
			what += " (" + clean(strings.Join(g.w.Devices, ", ")) + ")"
		}
		if g.w.Cache != "" {
			what += "; " + clean(g.w.Cache)
		}
		each := ""
		if len(g.targets) > 1 {
			each = "each "
		}
		out = append(out, fmt.Sprintf("%s: %s of %s%s", clean(fabric.Compact(g.hosts)), unit.Bytes(g.w.Span), each, what))
	}
	for _, given := range exports {
		out = append(out, strings.Replace(given, "\x00", clean(fabric.Compact(at[given])), 1))
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
		text := fmt.Sprintf("%s began within %s of each other", Count(len(worst.Block.Workers), "worker"), seconds(s.Spread))
		if len(all) > 1 {
			text += " at most" + atSettings(worst)
		}
		if s.Within > 0 {
			text += fmt.Sprintf("; their clocks are known within %s", seconds(s.Within))
		}
		out = append(out, text)
	}
	return out
}

// endedApart says who of the workers ended first and last, where they did not end together.
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
			return clean(w.Host) + " (" + clean(w.Of) + ")"
		}
		return clean(w.Host)
	}
	return fmt.Sprintf("the workers did not end together%s: %s after %s, %s after %s; throughput and IOPS are of the %s that all of them share",
		atSettings(e), name(first), seconds(first.LastSeconds), name(last), seconds(last.LastSeconds), seconds(e.Block.SharedSeconds))
}

// loadsSaid is what each of several loads at once gave; empty: there is one.
func loadsSaid(e *record.Experiment) string {
	var order []string
	sum := map[string]float64{}
	for _, w := range e.Block.Workers {
		if w.Load == "" {
			return ""
		}
		order = once(order, w.Load)
		sum[w.Load] += float64(w.Read + w.Write)
	}
	window := 0.0
	if n := len(e.Repeats); n > 0 {
		window = e.Repeats[n-1].Seconds
	}
	if len(order) < 2 || window <= 0 {
		return ""
	}
	var parts []string
	for _, load := range order {
		parts = append(parts, fmt.Sprintf("%s %s IOPS", clean(load), unit.Count(sum[load]/window)))
	}
	return "at once, in the last repeat: " + strings.Join(parts, "; ")
}
