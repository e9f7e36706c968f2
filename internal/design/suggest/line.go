package suggest

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Technology is how bits get from one host to another.
type Technology string

// The technologies that are compared.
const (
	Copper     Technology = "direct copper"
	Optics     Technology = "optics"
	TwistPair  Technology = "10GBASE-T"
	InfiniBand Technology = "InfiniBand"
)

// Technologies are all of them, in the order in which they are compared.
var Technologies = []Technology{Copper, Optics, TwistPair, InfiniBand}

// line is one way to join two ports: a kind of cable with its plugs.
type line struct {
	tech  Technology
	plug  catalog.Cage
	part  *catalog.Part // of the catalogue; nil: written out
	text  string        // the cable as a fabric file has it
	name  string
	fails string // why it does not reach so far; empty: it does
	doubt string // what to know of its reach
	aoc   bool   // written out, so that nobody says what it draws
	fibre string // a pair of transceivers takes this beside them
}

// plugs are the forms that are looked at, the slower ones first.
var plugs = []catalog.Cage{"sfp+", "sfp28", "qsfp+", "qsfp28", "qsfp56", "qsfp112", "cx4"}

// lines are all ways to join two ports over the wish's reach.
func lines(w Wish, c *catalog.Catalog) []line {
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

// copper is a passive cable of at least the reach: the shortest of the catalogue, or one that is written out.
func copper(w Wish, c *catalog.Catalog, plug catalog.Cage) line {
	l := line{plug: plug}
	l.part = shortest(w, c, catalog.DAC, plug)
	if l.part != nil {
		l.text, l.name = quoted(l.part.ID), l.part.Name
	} else {
		l.text = fmt.Sprintf("{kind: cable, media: dac, ends: [%s, %s], length: %gm}", plug, plug, w.Reach)
		l.name = fmt.Sprintf("%s DAC %g m", strings.ToUpper(string(plug)), w.Reach)
	}
	reach, ok := catalog.CopperAt(plug, max(w.Rate, 1))
	switch {
	case !ok:
		l.doubt = fmt.Sprintf("how far copper with %s plugs reaches is not known", plug)
	case w.Reach > reach.Far:
		l.fails = fmt.Sprintf("%g m is too far for passive copper: %s%s", w.Reach, reach.Why, claims(reach, w.Reach))
	case w.Reach > reach.Doubtful:
		l.doubt = fmt.Sprintf("%g m of passive copper is doubtful: %s", w.Reach, reach.Why)
	}
	return l
}

// claims are the sources that promise more than is taken.
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

// opticLines are an active optical cable and a pair of transceivers.
func opticLines(w Wish, c *catalog.Catalog, plug catalog.Cage, tech Technology) []line {
	var all []line
	aoc := line{tech: tech, plug: plug}
	if aoc.part = shortest(w, c, catalog.AOC, plug); aoc.part != nil {
		aoc.text, aoc.name = quoted(aoc.part.ID), aoc.part.Name+" (AOC)"
	} else {
		aoc.text = fmt.Sprintf("{kind: cable, media: aoc, ends: [%s, %s], length: %gm}", plug, plug, w.Reach)
		aoc.name, aoc.aoc = fmt.Sprintf("%s AOC %g m", strings.ToUpper(string(plug)), w.Reach), true
		if w.Reach > mostAOC {
			aoc.fails = fmt.Sprintf("%g m is more than active optical cables are made for (about %d m, by recall); take transceivers", w.Reach, mostAOC)
		}
	}
	if all = append(all, aoc); tech == InfiniBand {
		return all // the transceivers of the catalogue are for Ethernet
	}
	var best *catalog.Part
	for _, p := range c.Parts {
		if p.Kind != catalog.Transceiver || p.Cable == nil || p.Cable.Media != catalog.Fiber || !slices.Contains(p.Cable.Ends, plug) || p.Fastest() < w.Rate {
			continue
		}
		if r, ok := p.Cable.Reach.Get(); ok && r >= w.Reach && (best == nil || r < best.Cable.Reach.Or(0)) {
			best = p
		}
	}
	if best != nil {
		fibre := best.Cable.Fiber
		if fibre == "" {
			fibre = "fibre"
		}
		all = append(all, line{tech: tech, plug: plug, part: best, text: quoted(best.ID), name: "pairs of " + best.Name, fibre: fibre})
	}
	return all
}

const mostAOC = 100 // metres

// pair is twisted pair between RJ45 sockets.
func pair(w Wish, c *catalog.Catalog) line {
	l := line{tech: TwistPair, plug: "rj45"}
	for _, p := range c.Parts {
		if p.Kind != catalog.Cable || p.Cable == nil || p.Cable.Media != catalog.Pair || p.Fastest() < w.Rate {
			continue
		}
		l.part, l.text, l.name = p, quoted(p.ID), p.Name
		if r, ok := p.Cable.Reach.Get(); ok && r < w.Reach {
			l.fails = fmt.Sprintf("%s reaches %g m", p.Name, r)
		}
		return l
	}
	l.text = fmt.Sprintf("{kind: cable, media: pair, ends: [rj45, rj45], length: %gm}", w.Reach)
	l.name, l.doubt = "twisted pair", "the catalogue has no twisted pair for that rate"
	return l
}

// shortest is the cable with two equal plugs that is long enough: one with a known
// price first, then the cheaper, then the shorter.
func shortest(w Wish, c *catalog.Catalog, media catalog.Media, plug catalog.Cage) *catalog.Part {
	var best *catalog.Part
	for _, p := range c.Parts {
		if p.Kind != catalog.Cable || p.Cable == nil || p.Cable.Media != media || !slices.Equal(p.Cable.Ends, []catalog.Cage{plug, plug}) {
			continue
		}
		m, ok := p.Cable.Length.Get()
		if !ok || m < w.Reach || p.Fastest() != 0 && p.Fastest() < w.Rate {
			continue
		}
		if best == nil || comparePrices(p.Price, best.Price, m-best.Cable.Length.Or(0)) < 0 {
			best = p
		}
	}
	return best
}

// comparePrices puts known prices before unknown ones and lower before higher; those
// of different currencies, and equal ones, by what comes next.
func comparePrices(a, b *catalog.Price, next float64) int {
	switch {
	case (a == nil) != (b == nil):
		if b == nil {
			return -1
		}
		return 1
	case a != nil && a.Money.Currency == b.Money.Currency && a.Money.Amount() != b.Money.Amount():
		return sign(a.Money.Amount() - b.Money.Amount())
	}
	return sign(next)
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// quoted is a text as YAML takes it wherever it stands.
func quoted(s string) string { return fmt.Sprintf("%q", s) }

// fast says whether a port does the rate of the wish over a line.
func (l line) fast(p *catalog.Part, port catalog.Port, rate unit.BitRate) bool {
	if l.tech == InfiniBand {
		return ibRate(p) >= rate
	}
	return len(port.Speeds) > 0 && slices.Max(port.Speeds) >= rate
}

// ibRate is the fastest data rate of a part's InfiniBand ports; 0: it has none.
func ibRate(p *catalog.Part) unit.BitRate {
	var r unit.BitRate
	for _, ib := range p.InfiniBand {
		r = max(r, ib.Data())
	}
	return r
}

// ports are the indices of a part's ports that take the line at the wish's rate.
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
