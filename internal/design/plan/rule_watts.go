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
	check: func(c *checkup) []record.Problem {
		w := c.p.Power()
		if w.Known+w.Missing == 0 {
			return nil // the file writes out every part, and watts are nothing that it can write
		}
		switch {
		case w.Missing == 0:
			return []record.Problem{said(record.Info, "plan", 0, "", "its %s draw %s together", counted(w.Known, w.noun()), w)}
		case w.Known == 0:
			return []record.Problem{said(record.Info, "plan", 0, "measure them, or ask the seller", "what its %s draw is not known, because no source of the catalogue says it of any: %s", counted(w.Missing, w.noun()), few(w.Unknown))}
		}
		return []record.Problem{said(record.Info, "plan", 0, "measure the others, or ask the seller",
			"%s are known of its %ss: %s; what the others draw is not known: %s", w, w.noun(), few(w.Counted), few(w.Unknown))}
	},
}

// noun is what the power was asked of: "card" if there is nothing else.
func (w Power) noun() string {
	if w.Cards == w.Known+w.Missing {
		return "card"
	}
	return "powered part"
}

// few names several kinds, of many the first.
func few(names []string) string {
	if len(names) > listed+1 {
		return fmt.Sprintf("%s and %d more kinds", strings.Join(names[:listed], ", "), len(names)-listed)
	}
	return strings.Join(names, ", ")
}

// Power is what the cards, switches and cables of a plan draw, as far as it is
// known. Hosts, drives, spares and parts that the file writes out are not in it.
type Power struct {
	Low, High float64  // watts of those that are known
	Known     int      // how many parts that is
	Missing   int      // of how many parts it is not known
	Unknown   []string // the names of those: "2x Intel X520-DA2"
	Counted   []string // the names of those that are known
	Cards     int      // how many of both are cards
}

// String prints the known watts: "46 W", "12 to 18 W".
func (w Power) String() string {
	if w.Low == w.High {
		return unit.Significant(w.High) + " W"
	}
	return unit.Significant(w.Low) + " to " + unit.Significant(w.High) + " W"
}

// Power adds up what the parts of the plan draw. Copper and fibre without
// transceivers count as drawing nothing of their own: their ends are in the
// figures of what they are plugged into.
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
				w.Cards = w.Known + w.Missing
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

// numbered lists names with how often each is there.
func numbered(names map[string]int) []string {
	var out []string
	for name, n := range names {
		out = append(out, fmt.Sprintf("%dx %s", n, name))
	}
	sort.Strings(out)
	return out
}
