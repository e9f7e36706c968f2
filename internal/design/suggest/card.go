package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/ceiling"
)

// pick is the cards of one host.
type pick struct {
	part    *catalog.Part
	count   int
	ports   []int    // the indices of one card's ports that are used
	unknown []string // what is not known of it under the host's system
	others  []string // cards without a known price that would do as well
	noBus   bool     // whether its bus carries the rate is not known
}

// find finds the cards of a host with a system that needs so many ports: of
// those that do what is wished, one with a known driver and price, then the
// cheapest, then the fewest cards, then the fewest watts. An empty part has the
// reason why there is none.
func (m *maker) find(l line, s System, ports int) (best pick, why string) {
	w := m.wish
	reasons := map[string]int{}
	var could []pick
	for _, p := range m.catalog.Parts {
		if p.Kind != catalog.NIC {
			continue
		}
		have, not := m.card(l, p, s, ports)
		if not != "" {
			reasons[not]++
			continue
		}
		could = append(could, have)
		if best.part == nil || comparePicks(have, best) < 0 {
			best = have
		}
	}
	if best.part != nil {
		if best.part.Price == nil {
			for _, p := range could {
				if p.part != best.part && len(p.unknown) == len(best.unknown) && p.count == best.count {
					best.others = append(best.others, p.part.Name)
				}
			}
		}
		return best, ""
	}
	for _, r := range []string{noSlots, noRDMA, noBus} {
		if reasons[r] > 0 {
			return pick{}, map[string]string{
				noRDMA:  fmt.Sprintf("no card of the catalogue that takes %s at %s is known to carry %s with %s", l.plug, w.Rate, w.RDMA, s),
				noSlots: fmt.Sprintf("%d ports of %s are more than the ports of %s", ports, l.plug, counted(w.Slots, "card")),
				noBus:   fmt.Sprintf("no card with %s has a bus for %s", l.plug, w.Rate),
			}[r]
		}
	}
	return pick{}, fmt.Sprintf("no card of the catalogue takes %s at %s", l.plug, w.Rate)
}

const (
	noPorts = "ports"
	noRDMA  = "rdma"
	noSlots = "slots"
	noBus   = "bus"
)

// card says how one part would serve a host, or why it does not.
func (m *maker) card(l line, p *catalog.Part, s System, ports int) (have pick, not string) {
	w, usable := m.wish, m.ports(l, p)
	if len(usable) == 0 {
		return pick{}, noPorts
	}
	have = pick{part: p, count: (ports + len(usable) - 1) / len(usable), ports: usable}
	if p.PCIe != nil {
		if bus, err := ceiling.KernelRate(ceiling.PCIe{Generation: p.PCIe.Gen, Lanes: p.PCIe.Lanes}); err == nil && bus < w.Rate {
			return pick{}, noBus
		}
	} else {
		have.noBus = true
	}
	transport := w.RDMA
	if l.tech == InfiniBand {
		if transport != "" && transport != "ib" {
			return pick{}, noRDMA
		}
		transport = "ib"
	} else if transport == "ib" {
		return pick{}, noRDMA
	}
	if transport != "" {
		carries := p.RDMAOn(s.Drivers(), transport)
		switch works, ok := carries.Get(); {
		case ok && !works:
			return pick{}, noRDMA
		case !ok && !p.HasRDMA(transport).IsKnown():
			return pick{}, noRDMA // nothing speaks for it
		case !ok:
			have.unknown = append(have.unknown, fmt.Sprintf("%s of %s with %s", transport, p.Name, s))
		}
	}
	if d, ok := p.On(s.Drivers()); ok && strings.HasPrefix(transport, "roce") && !d.PFC.IsKnown() {
		have.unknown = append(have.unknown, fmt.Sprintf("PFC of %s with %s", p.Name, s))
	} else if ok && strings.HasPrefix(transport, "roce") && !d.PFC.Or(false) {
		have.unknown = append(have.unknown, fmt.Sprintf("how RoCE fares with %s under %s, which has no PFC", p.Name, s))
	}
	if _, ok := p.On(s.Drivers()); !ok {
		have.unknown = append(have.unknown, fmt.Sprintf("the driver of %s with %s", p.Name, s))
	}
	if have.count > w.Slots {
		return pick{}, noSlots
	}
	return have, ""
}

func comparePicks(a, b pick) int {
	priced := func(p pick) *catalog.Price {
		if p.part.Price == nil {
			return nil
		}
		return &catalog.Price{Money: p.part.Price.Money.Times(p.count)}
	}
	return cmp.Or(
		cmp.Compare(len(a.unknown), len(b.unknown)),
		comparePrices(priced(a), priced(b), 0),
		cmp.Compare(a.count, b.count),
		compareWatts(a, b),
		cmp.Compare(confidence(a.part), confidence(b.part)),
		strings.Compare(a.part.ID, b.part.ID),
	)
}

func compareWatts(a, b pick) int {
	x, y := a.part.Watts, b.part.Watts
	switch {
	case (x == nil) != (y == nil):
		if y == nil {
			return -1
		}
		return 1
	case x == nil:
		return 0
	}
	return sign(x.High*float64(a.count) - y.High*float64(b.count))
}

func confidence(p *catalog.Part) int {
	return slices.Index([]catalog.Confidence{catalog.Declared, catalog.High, catalog.Medium, catalog.Low}, p.Confidence)
}

// rateOf is the fastest Ethernet or InfiniBand rate of a switch's ports.
func rateOf(p *catalog.Part, ib bool) unit.BitRate {
	if ib {
		return ibRate(p)
	}
	return p.Fastest()
}

func counted(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
