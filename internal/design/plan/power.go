package plan

import (
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleWatts = Rule{
	ID:    "watts",
	Title: "watts, where they are known, and how much is not",
	Why:   "what runs day and night costs more in electricity than in money paid for it, and small cases cool little",
	Worst: record.Info,
	check: func(c *checkup) {
		w := c.p.Power()
		if w.Known+w.Missing == 0 {
			return // the file writes out every part, and it cannot write watts
		}
		switch {
		case w.Missing == 0:
			c.info("plan", 0, "", "its %s draw %s together", unit.Counted(w.Known, w.noun()), w)
		case w.Known == 0:
			c.info("plan", 0, "measure them, or ask the seller",
				"what its %s draw is not known, because no source of the catalogue says it of any: %s",
				unit.Counted(w.Missing, w.noun()), first(w.Unknown, " kinds"))
		default:
			c.info("plan", 0, "measure the others, or ask the seller",
				"%s are known of its %ss: %s; what the others draw is not known: %s", w, w.noun(), first(w.Counted, " kinds"),
				first(w.Unknown, " kinds"))
		}
	},
}

// noun is the word for the parts that draw power: "NIC" if nothing else does.
func (w Power) noun() string {
	if w.NICs == w.Known+w.Missing {
		return "NIC"
	}
	return "powered part"
}

// first lists names, of many the first and the number of others, with a noun or without.
func first(names []string, noun string) string {
	if len(names) > listed+1 {
		return fmt.Sprintf("%s and %d more%s", strings.Join(names[:listed], ", "), len(names)-listed, noun)
	}
	return strings.Join(names, ", ")
}

// Power is what the NICs, switches and cables of a plan draw, as far as it is known. It is without hosts, drives,
// spares and parts that the file writes out.
type Power struct {
	Low, High float64  // watts of those that are known
	Known     int      // how many parts that is
	Missing   int      // of how many parts it is not known
	Unknown   []string // the names of those: "2x Intel X520-DA2"
	Counted   []string // the names of those that are known
	NICs      int      // how many of both are NICs
}

// String prints the known watts: "46 W", "12 to 18 W".
func (w Power) String() string {
	if w.Low == w.High {
		return unit.Significant(w.High) + " W"
	}
	return unit.Significant(w.Low) + " to " + unit.Significant(w.High) + " W"
}

// Power adds up what the parts of the plan draw. Copper, and fibre without transceivers, draws nothing of its own: the
// figures of the parts at its ends include it.
func (p *Plan) Power() Power {
	var w Power
	unknown, counted := map[string]int{}, map[string]int{}
	add := func(part *catalog.Part, n int) {
		switch {
		case part != nil && part.Confidence == catalog.Declared:
		case part == nil:
			w.Missing += n
			unknown["a part that is not named"] += n
		case part.Watts == nil:
			w.Missing += n
			unknown[part.Name] += n
		default:
			w.Known += n
			counted[part.Name] += n
			w.Low += float64(n) * part.Watts.Low
			w.High += float64(n) * part.Watts.High
		}
	}
	for _, h := range p.Fabric.Hosts {
		for _, n := range h.NICs {
			if n.VF == "" {
				add(n.Part, 1)
				w.NICs = w.Known + w.Missing
			}
		}
	}
	for _, s := range p.Fabric.Switches {
		add(s.Part, 1)
	}
	split := map[string]bool{}
	for _, l := range p.Fabric.Links {
		switch part := l.Cable.Part; {
		case part == nil || part.Cable == nil || lanesOfOne(l, split):
		case part.Kind == catalog.Transceiver:
			add(part, 2)
		case part.Cable.Media == catalog.AOC:
			add(part, 1)
		}
	}
	w.Unknown, w.Counted = numbered(unknown), numbered(counted)
	return w
}

// numbered lists names with the count of each.
func numbered(names map[string]int) []string {
	var out []string
	for name, n := range names {
		out = append(out, fmt.Sprintf("%dx %s", n, name))
	}
	sort.Strings(out)
	return out
}
