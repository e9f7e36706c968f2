package costs

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// costOf is one group of combinations whose cost is fitted together.
type costOf struct {
	cost         record.Cost
	combinations []costCombination
}

// costCombination is a combination with the values that a fit needs.
type costCombination struct {
	e           *record.Experiment
	packet      float64   // payload bytes; 0: not known
	call        float64   // bytes per call; 0: not known
	cores       []float64 // in use, by repeat
	rate        []float64 // payload bytes per second, by repeat
	combination record.CostCombination
}

// Of fits what packets, bytes and calls cost at each end, wherever combinations differ only in MTU or message size.
func Of(r *record.Run, shotsOf func(e *record.Experiment, host string) judge.Shots) []record.Cost {
	var groups []*costOf
	index := map[string]*costOf{}
	for _, e := range r.Experiments {
		if !method.Named(e.Method).Bulk || e.Pattern != "" || e.Goodput == nil || e.Failed != "" || len(e.Ends) < 2 ||
			e.Direction == "both" || e.Settings["transport"] == "udp" {
			continue
		}
		sender, receiver := e.Ends[0], e.Ends[1]
		if e.Direction == "in" {
			sender, receiver = receiver, sender
		}
		for _, end := range EndsOf(e, sender, receiver) {
			key, settings := costKey(e, end)
			g := index[key]
			if g == nil {
				g = &costOf{cost: record.Cost{Experiment: e.Name, Variant: e.Variant, Host: end.Host, End: end.Name,
					Settings: settings}}
				index[key] = g
				groups = append(groups, g)
			}
			g.add(e, end, sender, receiver, shotsOf)
		}
	}
	var out []record.Cost
	for _, g := range groups {
		if g.varies(func(c costCombination) string { return c.combination.MTU }) || g.varies(
			func(c costCombination) string { return c.combination.Size }) {
			out = append(out, g.fit())
		}
	}
	return out
}

// End is an end with CPU time of its own, or both ends of one machine.
type End struct{ Host, Name string }

// EndsOf returns the ends of an experiment: two, or one where both are processes of one machine.
func EndsOf(e *record.Experiment, sender, receiver record.End) []End {
	for _, repeat := range e.Repeats {
		for _, c := range repeat.CPU {
			if c.Core == -1 && strings.Contains(c.Host, "+") {
				both := []string{sender.Host, receiver.Host}
				sort.Strings(both)
				return []End{{strings.Join(both, "+"), "both"}}
			}
		}
	}
	return []End{{sender.Host, "sender"}, {receiver.Host, "receiver"}}
}

// costKey separates combinations that must not be fitted together, and returns what those of a group share.
func costKey(e *record.Experiment, end End) (string, map[string]string) {
	settings := map[string]string{}
	words := []string{e.Name, e.Variant, end.Host, end.Name}
	for k, v := range e.Settings {
		if k != "mtu" && k != "size" {
			settings[k] = v
		}
	}
	links := slices.Clone(e.Links)
	slices.Sort(links)
	words = append(words, links...)
	for _, k := range keys(settings) {
		words = append(words, k, settings[k])
	}
	return strings.Join(words, "\x00"), settings
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (g *costOf) add(e *record.Experiment, end End, sender, receiver record.End,
	shotsOf func(*record.Experiment, string) judge.Shots) {
	c := costCombination{
		e: e,
		combination: record.CostCombination{Experiment: e.ID, MTU: e.InEffect["mtu"], Size: e.Settings["size"],
			Goodput: e.Goodput.Median},
	}
	if c.combination.MTU == "" {
		c.combination.MTU = e.Settings["mtu"]
	}
	if b, err := unit.ParseBytes(c.combination.Size); err == nil && b > 0 {
		c.call = float64(b)
	}
	for i := range e.Repeats {
		if used, ok := cpuTime(&e.Repeats[i], end.Host); ok && e.Repeats[i].Goodput > 0 {
			c.cores = append(c.cores, used)
			c.rate = append(c.rate, e.Repeats[i].Goodput/8)
		}
	}
	at, counter := sender, "tx"
	if end.Name == "receiver" {
		at, counter = receiver, "rx"
	}
	c.packet = Payload(shotsOf(e, at.Host), at, counter)
	c.combination.Packet = c.packet
	for _, m := range append(merging(shotsOf(e, sender.Host), sender, end.Name != "receiver", "tso", "gso"),
		merging(shotsOf(e, receiver.Host), receiver, end.Name != "sender", "gro", "lro")...) {
		g.cost.Merged = xslices.AppendNew(g.cost.Merged, m)
	}
	g.combinations = append(g.combinations, c)
}

// cpuTime returns the cores that an end used in a repeat: the user time of the measuring process, from its exact clock,
// and all kernel time of its host, because the kernel may account received packets to any process. It excludes the user
// time of other processes.
func cpuTime(r *record.Repeat, host string) (float64, bool) {
	user, system, kernel := -1.0, 0.0, -1.0
	of := strings.Split(host, "+")
	for _, c := range r.CPU {
		names := strings.Split(c.Host, "+")
		switch {
		case c.Core == -1 && len(names) == len(of) && slices.Contains(names, of[0]) && slices.Contains(names, of[len(of)-1]):
			user, system = c.User, c.System
		case c.Core >= 0 && c.Host == of[0]:
			kernel = max(kernel, 0) + c.System + c.SoftIRQ + c.IRQ
		}
	}
	if user < 0 || kernel < 0 {
		return 0, false
	}
	used := user + max(system, kernel) // ticks may miss time that the exact clock has
	return used, used > 0
}

// Payload returns the mean payload of the packets that an interface counted over a combination; 0: not known.
func Payload(s judge.Shots, at record.End, counter string) float64 {
	if s.Before == nil || s.After == nil {
		return 0
	}
	packets, ok1 := judge.Delta(s.Before, s.After, at.Interface, counter+"_packets")
	bytes, ok2 := judge.Delta(s.Before, s.After, at.Interface, counter+"_bytes")
	if !ok1 || !ok2 || packets <= 0 {
		return 0
	}
	return max(0, bytes/packets-judge.FrameHeaders(at.Address))
}

// merging returns those of the offloads that are on at an end.
func merging(s judge.Shots, at record.End, counts bool, short ...string) []string {
	if !counts || s.After == nil || s.After.NIC(at.Interface) == nil {
		return nil
	}
	feature := map[string]string{"tso": "tx-tcp-segmentation", "gso": "tx-generic-segmentation", "gro": "rx-gro",
		"lro": "rx-lro"}
	var out []string
	for _, name := range short {
		if s.After.NIC(at.Interface).Offloads[feature[name]] {
			out = append(out, fmt.Sprintf("%s on %s", name, at.Host))
		}
	}
	return out
}

func (g *costOf) varies(of func(costCombination) string) bool {
	return slices.ContainsFunc(g.combinations, func(c costCombination) bool {
		return of(c) != of(g.combinations[0])
	})
}
