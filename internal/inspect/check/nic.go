package check

import (
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// NIC is a NIC with the interfaces of its ports and the links between it and the CPU.
type NIC struct {
	Parts  []string     // its interfaces, or what the NIC calls itself
	Need   unit.BitRate // of its ports, together, those in use where there is a plan; 0: not known
	Dev    *facts.PCIDevice
	ByName bool // Need comes from the NIC's name, not from the link or the plan
	Hops   []facts.PCIeHop
}

// Subject is a place at the NIC as what a finding is about; empty: the whole NIC.
func (c NIC) Subject(h *Host, place string) record.Subject {
	return record.Subject{Host: h.Name, Parts: c.Parts, Place: place}
}

// NICs are those of a host: with a plan those that carry links, else all.
func NICs(w *World, h *Host) []NIC {
	var out []NIC
	at := map[string]int{}
	for i := range h.Facts.PCI {
		d := &h.Facts.PCI[i]
		slot := facts.PCISlot(d.Address)
		if d.Bridge() || !isNIC(d) {
			continue
		}
		if n, ok := at[slot]; ok { // the functions of a NIC share one link; each is a port
			out[n].Need += Named(d)
			continue
		}
		at[slot] = len(out)
		out = append(out, NIC{Dev: d, Need: Named(d), ByName: true, Hops: h.Facts.PCIeHops(d.Address)})
	}
	carrying := map[string]bool{}
	for i := range h.Facts.NICs {
		n := &h.Facts.NICs[i]
		k, ok := at[facts.PCISlot(n.PCI)]
		if !ok || n.PCI == "" || h.Plan != nil && !w.Carries(h, n.Name) {
			continue
		}
		c := &out[k]
		if len(c.Parts) == 0 {
			c.Need, c.ByName = 0, false
		}
		carrying[facts.PCISlot(n.PCI)] = true
		c.Parts = append(c.Parts, n.Name)
		speed := n.Speed.Or(0)
		for _, p := range w.Plugged(h) {
			if p.Nic.Name == n.Name && p.Port.Speed > 0 {
				speed = p.Port.Speed
			}
		}
		c.Need += speed
	}
	var kept []NIC
	for _, c := range out {
		if h.Plan != nil && !carrying[facts.PCISlot(c.Dev.Address)] {
			continue
		}
		if len(c.Parts) == 0 {
			c.Parts = []string{strings.TrimSpace(c.Dev.Address + " " + c.Dev.Name)}
		}
		kept = append(kept, c)
	}
	return kept
}

// isNIC reports whether the device is of a kind that its link can limit: network, graphics, storage, fibre channel, or
// an unknown kind.
func isNIC(d *facts.PCIDevice) bool {
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

// rateInName matches the rate in a NIC's name, and those before it with a slash: "10 Gigabit", "10-Gigabit", "2.5GbE",
// "1/10GbE", "10Gb/25Gb RDMA Ethernet", "10G Ethernet" (pci.ids).
var rateInName = regexp.MustCompile(`(?i)(?:^|[^\d.A-Z])((?:\d+(?:\.\d+)?(?:Gb?E?)?/)*)(\d+(?:\.\d+)?)(?:[ -]?(?:GbE|GBASE|Gigabit|GigE|Gb/s|Gbps)|[ -]?Gb? (?:RDMA )?Ethernet)`)

// Named returns the rate of a port in the NIC's own name; 0: there is none.
func Named(d *facts.PCIDevice) unit.BitRate { return RateOf(d.Name) }

// RateOf returns the rate in a NIC's name; 0: there is none, or those of a whole series (10/25/40/50GbE).
func RateOf(name string) unit.BitRate {
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

// Evidence returns the lines of both ends of a hop.
func Evidence(host string, hop facts.PCIeHop) []record.EvidenceLine {
	var out []record.EvidenceLine
	for _, d := range []*facts.PCIDevice{hop.Down, hop.Up} {
		if d != nil {
			out = append(out, record.EvidenceLine{Host: host, Source: d.From, Line: d.Line()})
		}
	}
	return out
}
