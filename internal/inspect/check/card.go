package check

import (
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// card is a card with the interfaces of its ports and the links between it and the processor.
type card struct {
	name   string       // "e1, e2", or what the card calls itself
	need   unit.BitRate // of its ports, together, those in use where there is a plan; 0: not known
	dev    *facts.PCIDevice
	byName bool // need is what its ports can by the card's name, and not what they run at or are planned for
	hops   []facts.PCIeHop
}

// cards are those of a host: with a plan those that carry links, else all.
func cards(w *World, h *Host) []card {
	var out []card
	at := map[string]int{}
	for i := range h.Facts.PCI {
		d := &h.Facts.PCI[i]
		slot := facts.PCISlot(d.Address)
		if d.Bridge() || !isCard(d) {
			continue
		}
		if n, ok := at[slot]; ok { // the functions of a card share one link; each is a port
			out[n].need += named(d)
			continue
		}
		at[slot] = len(out)
		out = append(out, card{dev: d, need: named(d), byName: true, hops: h.Facts.PCIeHops(d.Address)})
	}
	carrying := map[string]bool{}
	for i := range h.Facts.NICs {
		n := &h.Facts.NICs[i]
		k, ok := at[facts.PCISlot(n.PCI)]
		if !ok || n.PCI == "" || h.Plan != nil && !w.carries(h, n.Name) {
			continue
		}
		c := &out[k]
		if c.name == "" {
			c.need, c.byName = 0, false
		} else {
			c.name += ", "
		}
		carrying[facts.PCISlot(n.PCI)] = true
		c.name += n.Name
		speed := n.Speed.Or(0)
		for _, p := range w.plugged(h) {
			if p.nic.Name == n.Name && p.port.Speed > 0 {
				speed = p.port.Speed
			}
		}
		c.need += speed
	}
	var kept []card
	for _, c := range out {
		if h.Plan != nil && !carrying[facts.PCISlot(c.dev.Address)] {
			continue
		}
		if c.name == "" {
			c.name = strings.TrimSpace(c.dev.Address + " " + c.dev.Name)
		}
		kept = append(kept, c)
	}
	return kept
}

// isCard says whether it is of a kind whose link limits something: network, graphics, storage, fibre channel; or of none known.
func isCard(d *facts.PCIDevice) bool {
	if d.Class == "" {
		return d.Kind == "" || d.Kind == "Endpoint"
	}
	for _, class := range []string{"0200", "0207", "03", "0104", "0107", "0108", "0c04", "0c06", "12"} {
		if strings.HasPrefix(d.Class, class) {
			return d.Kind == "" || d.Kind == "Endpoint"
		}
	}
	return false
}

// rateInName is the rate in a card's name, and what stands before it at a slash: "10 Gigabit", "10-Gigabit", "2.5GbE", "1/10GbE",
// "10Gb/25Gb RDMA Ethernet", "10G Ethernet" (pci.ids).
var rateInName = regexp.MustCompile(`(?i)(?:^|[^\d.A-Z])((?:\d+(?:\.\d+)?(?:Gb?E?)?/)*)(\d+(?:\.\d+)?)(?:[ -]?(?:GbE|GBASE|Gigabit|GigE|Gb/s|Gbps)|[ -]?Gb? (?:RDMA )?Ethernet)`)

// named is the rate of a port as the card's own name says it; 0: it says none.
func named(d *facts.PCIDevice) unit.BitRate { return rateOf(d.Name) }

// rateOf is the rate that a card's name says; 0: it says none, or those of a whole series (10/25/40/50GbE).
func rateOf(name string) unit.BitRate {
	if m := rateInName.FindStringSubmatch(name); m != nil {
		if strings.Count(m[1], "/") > 1 {
			return 0
		}
		if n, err := strconv.ParseFloat(m[2], 64); err == nil && n <= 800 {
			return unit.BitRate(n * 1e9)
		}
	}
	if strings.Contains(name, "Gigabit") {
		return 1e9
	}
	if strings.Contains(name, "E810-XXV") || strings.Contains(name, "XXV710") { // Intel's letters for a port of 25 Gb/s
		return 25e9
	}
	return 0
}

func evidence(host string, hop facts.PCIeHop) []record.EvidenceLine {
	var out []record.EvidenceLine
	for _, d := range []*facts.PCIDevice{hop.Down, hop.Up} {
		if d != nil {
			out = append(out, record.EvidenceLine{Host: host, Source: d.From, Line: d.Line()})
		}
	}
	return out
}
