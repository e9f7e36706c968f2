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

// pick is the NICs of one host.
type pick struct {
	part    *catalog.Part
	count   int
	ports   []int    // the indices of the used ports of one NIC
	unknown []string // unknown properties of it under the host's system
	others  []string // NICs without a known price that would also do
	noBus   bool     // unknown whether its bus supports the rate
}

// find finds the NICs of a host with a system that needs so many ports. Of those that fulfil the requirement it prefers
// the one with the fewest unknowns (driver, RDMA), then the cheapest by its known or estimated price, then a known
// price, the fewest NICs, and the fewest watts. If there is none, it returns the reason.
func (m *maker) find(l line, s System, ports int) (best pick, why string) {
	w := m.requirements
	reasons := map[string]int{}
	var could []pick
	for _, p := range m.catalog.Parts {
		if p.Kind != catalog.NIC {
			continue
		}
		have, not := m.nic(l, p, s, ports)
		if not != "" {
			reasons[not]++
			continue
		}
		could = append(could, have)
		if best.part == nil || m.comparePicks(have, best) < 0 {
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
				noRDMA: fmt.Sprintf("no NIC of the catalogue that takes %s at %s is known to carry %s with %s", l.plug, w.Rate,
					w.RDMA, s),
				noSlots: fmt.Sprintf("%d ports of %s are more than the ports of %s", ports, l.plug, unit.Counted(w.Slots, "NIC")),
				noBus:   fmt.Sprintf("no NIC with %s has a bus for %s", l.plug, w.Rate),
			}[r]
		}
	}
	return pick{}, fmt.Sprintf("no NIC of the catalogue takes %s at %s", l.plug, w.Rate)
}

const (
	noPorts = "ports"
	noRDMA  = "rdma"
	noSlots = "slots"
	noBus   = "bus"
)

// nic returns how one part serves a host, or the reason why it does not.
func (m *maker) nic(l line, p *catalog.Part, s System, ports int) (have pick, not string) {
	w, usable := m.requirements, m.ports(l, p)
	if len(usable) == 0 {
		return pick{}, noPorts
	}
	have = pick{part: p, count: (ports + len(usable) - 1) / len(usable), ports: usable}
	if p.PCIe != nil {
		if bus, err := ceiling.KernelRate(ceiling.PCIe{Generation: p.PCIe.Gen, Lanes: p.PCIe.Lanes}); err == nil &&
			bus < w.Rate {
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
			return pick{}, noRDMA // no source says that it supports it
		case !ok:
			have.unknown = append(have.unknown, fmt.Sprintf("%s of %s with %s", transport, p.Name, s))
		}
	}
	switch d, ok := p.On(s.Drivers()); {
	case !ok:
		have.unknown = append(have.unknown, fmt.Sprintf("the driver of %s with %s", p.Name, s))
	case !strings.HasPrefix(transport, "roce"):
	case !d.PFC.IsKnown():
		have.unknown = append(have.unknown, fmt.Sprintf("PFC of %s with %s", p.Name, s))
	case !d.PFC.Or(false):
		have.unknown = append(have.unknown, fmt.Sprintf("how RoCE fares with %s under %s, which has no PFC", p.Name, s))
	}
	if have.count > w.Slots {
		return pick{}, noSlots
	}
	return have, ""
}

func (m *maker) comparePicks(a, b pick) int {
	return cmp.Or(len(a.unknown)-len(b.unknown), m.compareCosts(a, b), knownFirst(a.part.Price, b.part.Price),
		a.count-b.count, compareWatts(a, b),
		confidence(a.part)-confidence(b.part), strings.Compare(a.part.ID, b.part.ID))
}

// compareCosts compares known prices and weighted estimates in rough dollars. An unknown price comes last.
func (m *maker) compareCosts(a, b pick) int {
	cost := func(p pick) *float64 {
		each, estimated, ok := m.priceOf(p.part)
		v, rough := dollars(each)
		if !ok || !rough {
			return nil
		}
		return new(v * float64(p.count) * unit.If(estimated, estimateWeight, 1.0))
	}
	x, y := cost(a), cost(b)
	if x == nil || y == nil {
		return knownFirst(x, y)
	}
	return cmp.Compare(*x, *y)
}

// priceOf returns the known price of a part, or its estimate.
func (m *maker) priceOf(p *catalog.Part) (each unit.Money, estimated, ok bool) {
	if p != nil && p.Price != nil {
		return p.Price.Money, false, true
	}
	each, _, ok = m.estimate(p)
	return each, true, ok
}

func compareWatts(a, b pick) int {
	x, y := a.part.Watts, b.part.Watts
	if x == nil || y == nil {
		return knownFirst(x, y)
	}
	return cmp.Compare(x.High*float64(a.count), y.High*float64(b.count))
}

func confidence(p *catalog.Part) int {
	return slices.Index([]catalog.Confidence{catalog.Declared, catalog.High, catalog.Medium, catalog.Low}, p.Confidence)
}
