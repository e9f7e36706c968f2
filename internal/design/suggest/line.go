package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Technology is a way to connect hosts.
type Technology string

// The technologies that are compared.
const (
	Copper     Technology = "direct copper"
	Optics     Technology = "optics"
	TwistPair  Technology = "10GBASE-T"
	InfiniBand Technology = "InfiniBand"
)

// Technologies are all technologies in the order of comparison.
var Technologies = []Technology{Copper, Optics, TwistPair, InfiniBand}

// line is one way to connect two ports: a kind of cable with its plugs.
type line struct {
	tech  Technology
	plug  catalog.Cage
	part  *catalog.Part // of the catalogue; nil: described
	text  string        // the cable as in a fabric file
	name  string
	fails string // why it is too short; empty: it is long enough
	doubt string // a note about its distance
	aoc   bool   // described, so its power is not known
	fibre string // between a pair of transceivers
	media catalog.Media
}

// cable returns the part of the catalogue, or the described cable as a part without an id.
func (l line) cable() *catalog.Part {
	if l.part != nil {
		return l.part
	}
	return &catalog.Part{Kind: catalog.Cable,
		Cable: &catalog.CableInfo{Media: l.media, Ends: []catalog.Cage{l.plug, l.plug}}}
}

// plugs are the form factors, the slower ones first.
var plugs = []catalog.Cage{"sfp+", "sfp28", "qsfp+", "qsfp28", "qsfp56", "qsfp112", "cx4"}

// lines returns all ways to connect two ports over the required distance.
func lines(w Requirements, c *catalog.Catalog) []line {
	var all []line
	for _, tech := range []Technology{Copper, Optics, InfiniBand} {
		for _, plug := range plugs {
			if tech != InfiniBand && (plug == "cx4" || plug.Rate() < w.Rate) {
				continue
			}
			if tech != Optics {
				l := copper(w, c, plug)
				l.tech = tech
				all = append(all, l)
			}
			if tech != Copper && plug != "cx4" {
				all = append(all, opticLines(w, c, plug, tech)...)
			}
		}
	}
	if w.Rate <= catalog.Cage("rj45").Rate() {
		all = append(all, pair(w, c))
	}
	return all
}

// copper returns a passive cable of at least the distance: the shortest of the catalogue, or a described one.
func copper(w Requirements, c *catalog.Catalog, plug catalog.Cage) line {
	l := line{plug: plug, media: catalog.DAC}
	l.part = shortest(w, c, catalog.DAC, plug)
	if l.part != nil {
		l.text, l.name = quoted(l.part.ID), l.part.Name
	} else {
		l.text = fmt.Sprintf("{kind: cable, media: dac, ends: [%s, %s], length: %gm}", plug, plug, w.Distance)
		l.name = fmt.Sprintf("%s DAC %g m", strings.ToUpper(string(plug)), w.Distance)
	}
	distance, ok := catalog.CopperAt(plug, max(w.Rate, 1))
	switch {
	case !ok:
		l.doubt = fmt.Sprintf("how far copper with %s plugs reaches is not known", plug)
	case w.Distance > distance.Far:
		l.fails = fmt.Sprintf("%g m is too far for passive copper: %s%s", w.Distance, distance.Why,
			claims(distance, w.Distance))
	case w.Distance > distance.Doubtful:
		l.doubt = fmt.Sprintf("%g m of passive copper is doubtful: %s", w.Distance, distance.Why)
	}
	return l
}

// claims names the sources that claim the distance.
func claims(c catalog.Copper, metres float64) string {
	var more []string
	for _, x := range c.Claims {
		if x.Metres >= metres {
			more = append(more, fmt.Sprintf("%s says %g m", x.Source, x.Metres))
		}
	}
	if more == nil {
		return ""
	}
	return " (sources disagree: " + strings.Join(more, ", ") + ")"
}

// opticLines returns an active optical cable and a pair of transceivers.
func opticLines(w Requirements, c *catalog.Catalog, plug catalog.Cage, tech Technology) []line {
	var all []line
	aoc := line{tech: tech, plug: plug, media: catalog.AOC}
	found := shortest(w, c, catalog.AOC, plug)
	if found != nil {
		l := aoc
		l.part, l.text, l.name = found, quoted(found.ID), found.Name+" (AOC)"
		all = append(all, l)
	}
	if found == nil || longerThanNeeded(all[0], w.Distance) {
		if found != nil {
			aoc.doubt = fmt.Sprintf("a longer cable of the catalogue would do, too: %s%s", found.Name, priceIn(found))
		}
		aoc.text = fmt.Sprintf("{kind: cable, media: aoc, ends: [%s, %s], length: %gm}", plug, plug, w.Distance)
		aoc.name, aoc.aoc = fmt.Sprintf("%s AOC %g m", strings.ToUpper(string(plug)), w.Distance), true
		if w.Distance > maxAOC {
			aoc.fails = fmt.Sprintf("%g m is more than active optical cables are made for (about %d m, by recall); take "+
				"transceivers", w.Distance, maxAOC)
		}
		all = append(all, aoc)
	}
	if tech == InfiniBand {
		return all // the transceivers of the catalogue are for Ethernet
	}
	var best *catalog.Part
	for _, p := range c.Parts {
		if p.Kind != catalog.Transceiver || p.Cable == nil || p.Cable.Media != catalog.Fiber ||
			!slices.Contains(p.Cable.Ends, plug) ||
			p.Fastest() < w.Rate {
			continue
		}
		if r, ok := p.Cable.Distance.Get(); ok && r >= w.Distance && (best == nil || r < best.Cable.Distance.Or(0)) {
			best = p
		}
	}
	if best != nil {
		fibre := cmp.Or(best.Cable.Fiber, "fibre")
		all = append(all,
			line{tech: tech, plug: plug, part: best, text: quoted(best.ID), name: "pairs of " + best.Name, fibre: fibre})
	}
	return all
}

// priceIn returns the known price of a part in brackets.
func priceIn(p *catalog.Part) string {
	if p.Price == nil {
		return ""
	}
	return " (" + p.Price.Money.String() + ")"
}

const maxAOC = 100 // metres

// pair returns twisted pair between RJ45 sockets.
func pair(w Requirements, c *catalog.Catalog) line {
	l := line{tech: TwistPair, plug: "rj45", media: catalog.Pair}
	for _, p := range c.Parts {
		if p.Kind != catalog.Cable || p.Cable == nil || p.Cable.Media != catalog.Pair || p.Fastest() < w.Rate {
			continue
		}
		l.part, l.text, l.name = p, quoted(p.ID), p.Name
		if r, ok := p.Cable.Distance.Get(); ok && r < w.Distance {
			l.fails = fmt.Sprintf("%s reaches %g m", p.Name, r)
		}
		return l
	}
	l.text = fmt.Sprintf("{kind: cable, media: pair, ends: [rj45, rj45], length: %gm}", w.Distance)
	l.name, l.doubt = "twisted pair", "the catalogue has no twisted pair for that rate"
	return l
}

// longerThanNeeded reports whether a cable of the catalogue is more than twice as long as needed, and more than 2 m
// longer.
func longerThanNeeded(l line, distance float64) bool {
	if l.part == nil || l.part.Cable == nil {
		return false
	}
	length, ok := l.part.Cable.Length.Get()
	return ok && length > distance+max(distance, 2)
}

// shortest returns the shortest cable with two equal plugs that is long enough; of equal ones the cheaper.
func shortest(w Requirements, c *catalog.Catalog, media catalog.Media, plug catalog.Cage) *catalog.Part {
	var best *catalog.Part
	for _, p := range c.Parts {
		if p.Kind != catalog.Cable || p.Cable == nil || p.Cable.Media != media ||
			!slices.Equal(p.Cable.Ends, []catalog.Cage{plug, plug}) {
			continue
		}
		m, ok := p.Cable.Length.Get()
		if !ok || m < w.Distance || p.Fastest() != 0 && p.Fastest() < w.Rate {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(m, best.Cable.Length.Or(0)), comparePrices(p.Price, best.Price)) < 0 {
			best = p
		}
	}
	return best
}

// comparePrices puts known prices before unknown ones and lower before higher. It does not compare currencies.
func comparePrices(a, b *catalog.Price) int {
	if a != nil && b != nil && a.Money.Currency == b.Money.Currency {
		return cmp.Compare(a.Money.Amount(), b.Money.Amount())
	}
	return knownFirst(a, b)
}

// quoted quotes a text for YAML.
func quoted(s string) string { return fmt.Sprintf("%q", s) }

// fast reports whether a port supports the required rate over a line.
func (l line) fast(p *catalog.Part, port catalog.Port, rate unit.BitRate) bool {
	if l.tech == InfiniBand {
		return ibRate(p) >= rate
	}
	return len(port.Speeds) > 0 && slices.Max(port.Speeds) >= rate
}

// ibRate returns the fastest data rate of a part's InfiniBand ports; 0: it has none.
func ibRate(p *catalog.Part) unit.BitRate {
	var r unit.BitRate
	for _, ib := range p.InfiniBand {
		r = max(r, ib.Data())
	}
	return r
}

// ports returns the indices of a part's ports that support the line at the required rate.
func (l line) ports(p *catalog.Part, rate unit.BitRate) []int {
	var takes []int
	for _, port := range p.Ports {
		fits, _ := catalog.Fits(port.Cage, l.plug)
		if port.Cage == "rj45" && l.plug != "rj45" {
			fits = false
		}
		if fits && port.Cage != "" && l.fast(p, port, rate) {
			takes = append(takes, port.Index)
		}
	}
	return takes
}
