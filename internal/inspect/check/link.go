package check

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkLinkSpeed = Check{
	ID:     "link-speed",
	Title:  "the speed that each link came up with",
	Why:    "two ends take the highest speed that both offer and the cable bears; a worn plug or another module makes that less than planned",
	Worst:  record.Error,
	Source: "ethtool(8)",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			h := p.host
			speed, known := p.nic.Speed.Get()
			if p.link == nil || p.link.Speed == 0 || h.Facts.Lab != 0 || p.nic.Kind != "" {
				continue // a lab's links are held to their rate by shapers, and made interfaces have none of their own
			}
			if !known {
				r.notKnown(p.subject()+": speed", "%s", p.nic.Speed.Why())
				continue
			}
			if speed >= p.link.Speed {
				continue
			}
			r.found(record.Finding{
				Severity: record.Error, Subject: p.subject(),
				Have: speed.String(), Want: p.link.Speed.String() + ", as the ends and the cable of the link " + p.link.Name + " share",
				Evidence:    []record.EvidenceLine{seen(h, p.nic, "speed", "ethtool "+p.nic.Name, fmt.Sprintf("Speed: %.0fMb/s", float64(speed)/1e6))},
				Consequence: fmt.Sprintf("the link carries %s at most, %s less than planned", speed, p.link.Speed-speed),
				Loss:        unit.Known(1 - float64(speed)/float64(p.link.Speed)),
				Fix:         "look what both ends offer (" + showLink.on(h, "nic", p.nic.Name) + "); plug the cable anew, try another one, and let both ends negotiate",
			}, p.subject())
		}
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; h.Facts.Lab == 0 && n.Kind == "" && (h.Plan == nil || w.carries(h, n.Name)) && !w.speedPlanned(h, n.Name) {
					ownSpeed(h, n, r)
				}
			}
		}
	},
}

// speedPlanned says whether the plan knows the speed of the interface's link.
func (w *World) speedPlanned(h *Host, nic string) bool {
	return slices.ContainsFunc(w.plugged(h), func(p plugged) bool { return p.nic.Name == nic && p.link != nil && p.link.Speed > 0 })
}

// ownSpeed holds a link that is up against what its own port can and offers, and says who holds it back.
func ownSpeed(h *Host, n *facts.Interface, r *report) {
	speed, known := n.Speed.Get()
	can := facts.Fastest(n.Wire.Offered())
	if !known || speed >= can || !n.Carrier.Or(false) || n.Wire.Supported == nil || n.Wire.Advertised == nil {
		return
	}
	f := record.Finding{
		Severity: record.Error, Subject: h.Name + ": " + n.Name, Have: speed.String(), Want: can.String() + ", which the port can and offers",
		Evidence:    []record.EvidenceLine{seen(h, n, "speed", "ethtool "+n.Name, fmt.Sprintf("Speed: %.0fMb/s", float64(speed)/1e6))},
		Consequence: fmt.Sprintf("the link carries %s at most, of %s", speed, can),
		Loss:        unit.Known(1 - float64(speed)/float64(can)),
	}
	switch partner := facts.Fastest(n.Wire.Partner); {
	case partner > 0 && partner <= speed:
		f.Have += ", and the other end offers no more"
		f.Evidence = append(f.Evidence, seen(h, n, "partner", "ethtool "+n.Name, n.Wire.Partner[len(n.Wire.Partner)-1].Name))
		f.Fix = "another port at the other end, or let it offer " + can.String() + " too; if its port is that slow, there is nothing to mend here"
	case partner > speed:
		f.Have += fmt.Sprintf(", though the other end offers %s too", min(partner, can))
		f.Fix = "the cable: another one, with all pairs or lanes whole; then both ends' negotiation anew"
	case !n.Wire.Autoneg.Or(true):
		f.Have += ", without negotiation"
		f.Fix = "let both ends negotiate (" + negotiate.on(h, "nic", n.Name) + ") or set both to " + can.String()
	default:
		f.Fix = "look what the other end, the module and the cable can; let both ends negotiate (" + negotiate.on(h, "nic", n.Name) + ")"
	}
	r.found(f, h.Name+": "+n.Name)
}

var checkDuplex = Check{
	ID:     "duplex",
	Title:  "full duplex",
	Why:    "one end that sends while the other takes it for a collision leaves a few Mb/s",
	Worst:  record.Error,
	Source: "ethtool(8)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if duplex, known := n.Duplex.Get(); !known || duplex != "half" {
					continue
				}
				r.found(record.Finding{
					Severity: record.Error, Subject: h.Name + ": " + n.Name, Have: "half duplex", Want: "full duplex",
					Evidence:    []record.EvidenceLine{seen(h, n, "duplex", "ethtool "+n.Name, "Duplex: Half")},
					Consequence: "a few Mb/s as soon as both ends send",
					Fix:         "let both ends negotiate: " + negotiate.on(h, "nic", n.Name) + ", and the same at the other end",
					Undo:        halfDuplex.on(h, "nic", n.Name),
				}, h.Name+": "+n.Name)
			}
		}
	},
}
