package explain

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// costOf is one group of cells whose cost is fitted together.
type costOf struct {
	cost  record.Cost
	cells []costCell
}

// costCell is a cell with what a fit needs of it.
type costCell struct {
	e      *record.Experiment
	packet float64   // payload bytes; 0: not known
	call   float64   // bytes handed over with one call; 0: not known
	cores  []float64 // in use, a repeat each
	rate   []float64 // bytes per second of payload, a repeat each
	cell   record.CostCell
}

// costs fits what packets, bytes and calls cost at each end, wherever cells differ in MTU or message size alone.
func costs(r *record.Run, shotsOf func(e *record.Experiment, host string) Shots) []record.Cost {
	var groups []*costOf
	index := map[string]*costOf{}
	for _, e := range r.Experiments {
		if e.Method != "stream" || e.Pattern != "" || e.Goodput == nil || e.Failed != "" || len(e.Ends) < 2 ||
			e.Direction == "both" || e.Settings["transport"] == "udp" {
			continue
		}
		sender, receiver := e.Ends[0], e.Ends[1]
		if e.Direction == "in" {
			sender, receiver = receiver, sender
		}
		for _, end := range ends(e, sender, receiver) {
			key, settings := costKey(e, end)
			g := index[key]
			if g == nil {
				g = &costOf{cost: record.Cost{Experiment: e.Name, Variant: e.Variant, Host: end.host, End: end.name, Settings: settings}}
				index[key] = g
				groups = append(groups, g)
			}
			g.add(e, end, sender, receiver, shotsOf)
		}
	}
	var out []record.Cost
	for _, g := range groups {
		if g.varies(func(c costCell) string { return c.cell.MTU }) || g.varies(func(c costCell) string { return c.cell.Size }) {
			out = append(out, g.fit())
		}
	}
	return out
}

// costEnd is an end whose processor time is known apart, or both of one machine.
type costEnd struct{ host, name string }

// ends of an experiment: two, or one where both are processes of one machine.
func ends(e *record.Experiment, sender, receiver record.End) []costEnd {
	for _, repeat := range e.Repeats {
		for _, c := range repeat.CPU {
			if c.Core == -1 && strings.Contains(c.Host, "+") {
				both := []string{sender.Host, receiver.Host}
				sort.Strings(both)
				return []costEnd{{strings.Join(both, "+"), "both"}}
			}
		}
	}
	return []costEnd{{sender.Host, "sender"}, {receiver.Host, "receiver"}}
}

// costKey tells cells apart that are not to be fitted together, and is what they share.
func costKey(e *record.Experiment, end costEnd) (string, map[string]string) {
	settings := map[string]string{}
	words := []string{e.Name, e.Variant, end.host, end.name}
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

func (g *costOf) add(e *record.Experiment, end costEnd, sender, receiver record.End, shotsOf func(*record.Experiment, string) Shots) {
	c := costCell{e: e, cell: record.CostCell{Experiment: e.ID, MTU: e.InEffect["mtu"], Size: e.Settings["size"], Goodput: e.Goodput.Median}}
	if c.cell.MTU == "" {
		c.cell.MTU = e.Settings["mtu"]
	}
	if b, err := unit.ParseBytes(c.cell.Size); err == nil && b > 0 {
		c.call = float64(b)
	}
	for i := range e.Repeats {
		if used, ok := processorTime(&e.Repeats[i], end.host); ok && e.Repeats[i].Goodput > 0 {
			c.cores = append(c.cores, used)
			c.rate = append(c.rate, e.Repeats[i].Goodput/8)
		}
	}
	at, counter := sender, "tx"
	if end.name == "receiver" {
		at, counter = receiver, "rx"
	}
	c.packet = payload(shotsOf(e, at.Host), at, counter)
	c.cell.Packet = c.packet
	for _, m := range append(merging(shotsOf(e, sender.Host), sender, end.name != "receiver", "tso", "gso"),
		merging(shotsOf(e, receiver.Host), receiver, end.name != "sender", "gro", "lro")...) {
		if !slices.Contains(g.cost.Merged, m) {
			g.cost.Merged = append(g.cost.Merged, m)
		}
	}
	g.cells = append(g.cells, c)
}

// processorTime is how many cores an end used in a repeat: the user time of the measuring process, by its exact clock,
// and all that the kernel of its host did, which receives packets in whoever's name. The user time of other work is not in it.
func processorTime(r *record.Repeat, host string) (float64, bool) {
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
	used := user + max(system, kernel) // ticks may miss what the exact clock has
	return used, used > 0
}

// frameHeaders are what an interface counts of a segment beside its payload: Ethernet, IP, TCP with timestamps.
func frameHeaders(address string) float64 {
	if strings.Contains(address, ":") {
		return 14 + 40 + 32
	}
	return 14 + 20 + 32
}

// payload is the mean payload of the packets that an interface counted over a cell; 0: not known.
func payload(s Shots, at record.End, counter string) float64 {
	if s.Before == nil || s.After == nil {
		return 0
	}
	packets, ok1 := delta(s.Before, s.After, at.Interface, counter+"_packets")
	bytes, ok2 := delta(s.Before, s.After, at.Interface, counter+"_bytes")
	if !ok1 || !ok2 || packets <= 0 {
		return 0
	}
	return max(0, bytes/packets-frameHeaders(at.Address))
}

// merging are those of the offloads that are on at an end.
func merging(s Shots, at record.End, counts bool, short ...string) []string {
	if !counts || s.After == nil || s.After.NIC(at.Interface) == nil {
		return nil
	}
	feature := map[string]string{"tso": "tx-tcp-segmentation", "gso": "tx-generic-segmentation", "gro": "rx-gro", "lro": "rx-lro"}
	var out []string
	for _, name := range short {
		if s.After.NIC(at.Interface).Offloads[feature[name]] {
			out = append(out, fmt.Sprintf("%s on %s", name, at.Host))
		}
	}
	return out
}

func (g *costOf) varies(of func(costCell) string) bool {
	for _, c := range g.cells {
		if of(c) != of(g.cells[0]) {
			return true
		}
	}
	return false
}
