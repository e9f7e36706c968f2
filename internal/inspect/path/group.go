package path

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Flow is one direction of the traffic between two hosts of a group.
type Flow struct {
	Path     plan.Path
	Backward bool         // To sends to From
	Chain    record.Chain // only of this direction
}

// Group returns the ceiling of concurrent flows, some of which share links.
//
// Every hop that is known is a cut: the flows that cross it in one direction together get no more than it allows. A
// set of cuts that has every flow in it bounds the sum:
//
//	sum of goodput <= sum over the chosen cuts of min(the cut's ceiling, sum of the limits of its flows alone)
//
// Cuts are chosen greedily: first the one that lowers the sum most. So pairs on paths of their own get the sum of
// the paths' limits, incast what the receiver's port or link allows, all-to-all the sum of all hosts' ports. The
// result holds for any choice; where cuts overlap in unusual ways it may be more than can be reached, never less.
// The hops of the result are the chosen cuts.
func Group(flows []Flow) record.Chain {
	cuts := cutsOf(flows)
	alone := make([]unit.BitRate, len(flows)) // the limit of each flow on its own
	out := record.Chain{Direction: "out", Transport: "tcp", Layer: record.LayerWire}
	for i, f := range flows {
		alone[i] = f.Chain.Limit
		out.AtMost = out.AtMost || f.Chain.AtMost
		if alone[i] == 0 {
			return record.Chain{Direction: "out", Transport: "tcp", AtMost: true} // this one is not known
		}
	}
	left := map[int]bool{}
	for i := range flows {
		left[i] = true
	}
	var chosen []record.Hop
	for len(left) > 0 {
		best, members, saved := -1, []int(nil), unit.BitRate(0)
		for n, c := range cuts {
			var sum unit.BitRate
			var of []int
			for _, i := range c.flows {
				if left[i] {
					sum += alone[i]
					of = append(of, i)
				}
			}
			// A difference of a thousandth is ignored: of equal cuts the first is chosen, and cables come first.
			if s := sum - c.rate; len(of) > 1 && s > saved+saved/1000 {
				best, members, saved = n, of, s
			}
		}
		if best < 0 {
			break
		}
		hop := cuts[best].hop
		hop.Formula = fmt.Sprintf("%s, shared by %d flows", hop.Formula, len(members))
		chosen = append(chosen, hop)
		for _, i := range members {
			delete(left, i)
		}
	}
	for i, f := range flows {
		if low := f.Chain.Lowest(); left[i] && low != nil {
			chosen = append(chosen, *low)
		}
	}
	sum(&out, chosen)
	return out
}

// sum fills the chain with the chosen cuts, and with their sum where there are several.
func sum(c *record.Chain, chosen []record.Hop) {
	c.Hops = chosen
	var names []string
	kind := ""
	for _, h := range chosen {
		r, _ := h.Rate.Get()
		c.Limit += r
		names = append(names, h.Component)
		if kind == "" || h.Kind != "cable" && h.Kind != "port" {
			kind = h.Kind // a kind other than the wire is named
		}
	}
	if len(chosen) == 1 {
		c.Component, c.Layer = chosen[0].Component, chosen[0].Layer
		return
	}
	c.Component = together(names)
	c.Hops = append(c.Hops, record.Hop{Component: c.Component, Kind: kind, Layer: record.LayerWire,
		Rate: unit.Known(c.Limit), Formula: "sum of " + strings.Join(names, " + ")})
}

// together names several components in a few words.
func together(names []string) string {
	for _, word := range []string{"link ", "port "} {
		if !slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, word) }) {
			return fmt.Sprintf("the sum of %d %ss", len(names), strings.TrimSpace(word))
		}
	}
	return fmt.Sprintf("the sum of %d limits", len(names))
}

// crossing is a hop in one direction with the flows that pass it.
type crossing struct {
	hop   record.Hop
	rate  unit.BitRate
	flows []int
}

// cutsOf lists every known hop of every flow once for each direction, cables first.
func cutsOf(flows []Flow) []crossing {
	index := map[string]int{}
	var cuts []crossing
	for i, f := range flows {
		from, links := f.Path.From, f.Path.Links
		if f.Backward {
			from, links = f.Path.To, reversed(links)
		}
		cables := 0
		near := entries(from, links)
		for _, h := range f.Chain.Hops {
			rate, ok := h.Rate.Get()
			side := "out"
			if cables >= len(links) {
				side = "in"
			}
			if h.Kind == "cable" && cables < len(near) {
				side = near[cables]
				cables++
			}
			if !ok || h.Kind == Streams { // the limit of one flow's connections does not apply to several flows
				continue
			}
			key := h.Component + "\x00" + side
			n, there := index[key]
			if !there {
				n = len(cuts)
				index[key] = n
				cuts = append(cuts, crossing{hop: h, rate: rate})
			}
			cuts[n].rate = max(cuts[n].rate, rate) // flows with other framing may get more
			cuts[n].flows = append(cuts[n].flows, i)
		}
	}
	slices.SortStableFunc(cuts, func(a, b crossing) int { return order(a.hop.Kind) - order(b.hop.Kind) })
	return cuts
}

func order(kind string) int {
	if kind == "cable" {
		return 0
	}
	return 1
}

// entries returns the ends at which traffic from a host enters each link on its path.
func entries(from string, links []*plan.Link) []string {
	var out []string
	here := plan.End{Host: from}
	for _, l := range links {
		near, far := l.Ends[0], l.Ends[1]
		if far.Host == here.Host && far.Switch == here.Switch {
			near, far = far, near
		}
		out = append(out, near.ID)
		here = plan.End{Host: far.Host, Switch: far.Switch}
	}
	return out
}
