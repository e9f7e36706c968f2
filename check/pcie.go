package check

import (
	"fmt"

	"linerate/facts"
	"linerate/plan"
	"linerate/unit"
)

var checkPCIeDegraded = Check{
	ID:     "pcie-degraded",
	Title:  "PCI Express links that came up slower or narrower than both of their ends can",
	Why:    "a riser, dirty contacts or a wrong setting of the firmware: the card works, and every figure is a fraction",
	Worst:  plan.Error,
	Source: "sysfs-bus-pci: current_link_speed, max_link_speed; lspci(8)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, c := range cards(w, h) {
				for _, hop := range c.hops {
					can, now, ok := hop.Links()
					if !ok || !now.Below(can) {
						continue
					}
					f := Finding{
						Severity: plan.Warning, Subject: fmt.Sprintf("%s: %s, %s", h.Name, c.nics, hop.Where()),
						Have: now.String(), Want: can.String() + ", which both ends of this link can",
						Evidence: evidence(h.Name, hop),
						Fix:      "seat the card anew, without a riser if there is one; another slot; the firmware's setting of the slot's generation",
					}
					carries := now.Rate()
					f.Consequence = fmt.Sprintf("%s over the bus at most", carries)
					if c.need > carries {
						f.Severity, f.Loss = plan.Error, unit.Known(1-float64(carries)/float64(c.need))
						f.Consequence += fmt.Sprintf(", for ports of %s together", c.need)
					}
					if now.Width == can.Width && now.Speed <= 5 {
						// A link at rest may run at its lowest speed to save power: only a reading under load tells.
						f.Fix = "read it again under load (linerate facts while a run is going on): if it stays, it is no power saving; then " + f.Fix
						f.Consequence += ", unless it is only saving power at rest"
						if f.Severity == plan.Error {
							f.Severity = plan.Warning
						}
					}
					r.found(f, h.Name+": "+hop.Where())
				}
			}
		}
	},
}

var checkPCIeUpstream = Check{
	ID:      "pcie-upstream",
	Title:   "the narrowest PCI Express link between card and processor",
	Why:     "a slot that is wired with fewer lanes than it is long, or hangs behind a chipset, holds the card back for good",
	Worst:   plan.Error,
	Source:  "sysfs-bus-pci: current_link_width, max_link_width",
	Because: []string{"pcie-degraded"},
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, c := range cards(w, h) {
				for _, hop := range c.hops {
					can, now, ok := hop.Links()
					if !ok || now.Below(can) || c.need == 0 || now.Rate() >= c.need {
						continue
					}
					r.found(Finding{
						Severity: plan.Error, Subject: fmt.Sprintf("%s: %s, %s", h.Name, c.nics, hop.Where()),
						Have: now.String(), Want: fmt.Sprintf("%s for the ports in use", c.need),
						Evidence:    evidence(h.Name, hop),
						Consequence: fmt.Sprintf("%s over the bus at most, for ports of %s together", now.Rate(), c.need),
						Loss:        unit.Known(1 - float64(now.Rate())/float64(c.need)),
						Fix:         "put the card into a slot of the processor with " + hop.Wanted(c.need),
					}, h.Name+": "+hop.Where())
				}
			}
		}
	},
}

// card is a card with the interfaces of its ports and the links between it and the processor.
type card struct {
	nics string
	need unit.BitRate // of its ports that are in use, together; 0: not known
	hops []facts.PCIeHop
}

// cards are those of a host: with a plan those that carry links, else all.
func cards(w *World, h *Host) []card {
	var out []card
	of := map[string]int{}
	for i := range h.Facts.NICs {
		n := &h.Facts.NICs[i]
		if n.PCI == "" || h.Plan != nil && !w.carries(h, n.Name) {
			continue
		}
		slot := facts.PCISlot(n.PCI)
		at, ok := of[slot]
		if !ok {
			at = len(out)
			of[slot] = at
			out = append(out, card{hops: h.Facts.PCIeHops(n.PCI)})
		}
		c := &out[at]
		if c.nics != "" {
			c.nics += ", "
		}
		c.nics += n.Name
		speed := n.Speed.Or(0)
		for _, p := range w.plugged(h) {
			if p.nic.Name == n.Name && p.port.Speed > 0 {
				speed = p.port.Speed
			}
		}
		c.need += speed
	}
	return out
}

func evidence(host string, hop facts.PCIeHop) []Evidence {
	var out []Evidence
	for _, d := range []*facts.PCIDevice{hop.Up, hop.Down} {
		if d != nil {
			out = append(out, Evidence{host, d.From, d.Line()})
		}
	}
	return out
}
