package link

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// LinkSpeed checks the negotiated speed of each link.
var LinkSpeed = check.Check{
	ID:    "link-speed",
	Title: "the speed that each link came up with",
	Why: "two ends take the highest speed that both offer and the cable bears; a worn plug or another module makes " +
		"that less than planned",
	Worst:  record.Error,
	Source: "ethtool(8)",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			h := p.Host
			speed, known := p.Nic.Speed.Get()
			if p.Link == nil || p.Link.Speed == 0 || h.Facts.Lab != 0 || p.Nic.Kind != "" {
				continue // shapers limit a lab's links, and virtual interfaces have no speed of their own
			}
			if !known {
				r.NotKnownOf(p.Subject(), "speed", "%s", p.Nic.Speed.Why())
				continue
			}
			if speed >= p.Link.Speed {
				continue
			}
			r.Found(record.Finding{
				Severity: record.Error, Subject: p.Subject(),
				Have: speed.String(), Want: p.Link.Speed.String() + ", as the ends and the cable of the link " + p.Link.Name +
					" share",
				Evidence: []record.EvidenceLine{check.Seen(h, p.Nic, "speed", "ethtool "+p.Nic.Name,
					fmt.Sprintf("Speed: %.0fMb/s", float64(speed)/1e6))},
				Consequence: fmt.Sprintf("the link carries %s at most, %s less than planned", speed, p.Link.Speed-speed),
				Loss:        unit.Known(1 - float64(speed)/float64(p.Link.Speed)),
				Fix: "look what both ends offer (" + check.ShowLink.On(h, "nic", p.Nic.Name) +
					"); plug the cable again, try another one, and let both ends negotiate",
			}, p.Subject())
		}
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; h.Facts.Lab == 0 && n.Kind == "" && (h.Plan == nil || w.Carries(h, n.Name)) &&
					!speedPlanned(w, h, n.Name) {
					ownSpeed(h, n, r)
				}
			}
		}
	},
}

// speedPlanned reports whether the plan knows the speed of the interface's link.
func speedPlanned(w *check.World, h *check.Host, nic string) bool {
	return slices.ContainsFunc(w.Plugged(h), func(p check.Port) bool {
		return p.Nic.Name == nic && p.Link != nil && p.Link.Speed > 0
	})
}

// ownSpeed compares the speed of a link with what its port supports and advertises, and names the end that limits it.
func ownSpeed(h *check.Host, n *facts.Interface, r *check.Report) {
	speed, known := n.Speed.Get()
	can := facts.Fastest(n.Wire.Offered())
	if !known || speed >= can || !n.Carrier.Or(false) || n.Wire.Supported == nil || n.Wire.Advertised == nil {
		return
	}
	f := record.Finding{
		Severity: record.Error, Subject: h.Subject(n.Name), Have: speed.String(),
		Want: can.String() + ", which the port can and offers",
		Evidence: []record.EvidenceLine{check.Seen(h, n, "speed", "ethtool "+n.Name,
			fmt.Sprintf("Speed: %.0fMb/s", float64(speed)/1e6))},
		Consequence: fmt.Sprintf("the link carries %s at most, of %s", speed, can),
		Loss:        unit.Known(1 - float64(speed)/float64(can)),
	}
	switch partner := facts.Fastest(n.Wire.Partner); {
	case partner > 0 && partner <= speed:
		f.Have += ", and the other end offers no more"
		f.Evidence = append(f.Evidence, check.Seen(h, n, "partner", "ethtool "+n.Name,
			n.Wire.Partner[len(n.Wire.Partner)-1].Name))
		f.Fix = "another port at the other end, or let it offer " + can.String() +
			" too; if its port is that slow, there is nothing to mend here"
	case partner > speed:
		f.Have += fmt.Sprintf(", though the other end offers %s too", min(partner, can))
		f.Fix = "the cable: another one, with all pairs or lanes whole; then both ends' negotiation again"
	case !n.Wire.Autoneg.Or(true):
		f.Have += ", without negotiation"
		f.Fix = "let both ends negotiate (" + check.Negotiate.On(h, "nic", n.Name) + ") or set both to " + can.String()
	default:
		f.Fix = "look what the other end, the module and the cable can; let both ends negotiate (" + check.Negotiate.On(h,
			"nic", n.Name) + ")"
	}
	r.Found(f, h.Subject(n.Name))
}

// Duplex checks that links are full duplex.
var Duplex = check.Check{
	ID:     "duplex",
	Title:  "full duplex",
	Why:    "one end that sends while the other takes it for a collision leaves a few Mb/s",
	Worst:  record.Error,
	Source: "ethtool(8)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if duplex, known := n.Duplex.Get(); !known || duplex != "half" {
					continue
				}
				r.Found(record.Finding{
					Severity: record.Error, Subject: h.Subject(n.Name), Have: "half duplex", Want: "full duplex",
					Evidence:    []record.EvidenceLine{check.Seen(h, n, "duplex", "ethtool "+n.Name, "Duplex: Half")},
					Consequence: "a few Mb/s as soon as both ends send",
					Fix: "let both ends negotiate: " + check.Negotiate.On(h, "nic", n.Name) +
						"\nand the same at the other end",
					Undo: check.HalfDuplex.On(h, "nic", n.Name),
				}, h.Subject(n.Name))
			}
		}
	},
}

// CableLength checks that lossless ports of SONiC have the length of their cable.
var CableLength = check.Check{
	ID:    "pfc-cable-length",
	Title: "lossless ports of SONiC without a length of their cable",
	Why: "SONiC reckons the room for what is still under way after a pause from speed and cable length; of a port " +
		"without a length it keeps none",
	Worst:  record.Warning,
	Source: "sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md; the command reference of sonic-utilities",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if n.Asked == nil || !families.Traits(h.Facts.OS).CableLengths {
					continue
				}
				classes, why := n.Asked.PFC()
				length, known := n.Asked.Cable.Get()
				if why != "" || len(classes) == 0 || !known || length > 0 {
					continue
				}
				f := record.Finding{Severity: record.Warning, Subject: h.Subject(n.Name),
					Have: "a lossless class, and no length of the cable", Want: "the cable's length, rounded up",
					Consequence: "no room is kept for what is under way when the port sends a pause: the lossless class loses packets",
					Fix: fmt.Sprintf("sudo config interface cable_length %s 5m\nor the next length that the cable fits into: "+
						"40m, 300m; then:\nsudo config save", n.Name),
					Undo: fmt.Sprintf("sudo config interface cable_length %s 0m", n.Name)}
				if p, ok := n.Asked.Proofs["cable"]; ok {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
				}
				r.Found(f, f.Subject)
			}
		}
	},
}
