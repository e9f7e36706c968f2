package check

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkPCIeDegraded = Check{
	ID:     "pcie-degraded",
	Title:  "PCI Express links that came up slower or narrower than both of their ends can",
	Why:    "a riser, dirty contacts or a wrong setting of the firmware: the card works, and every figure is a fraction",
	Worst:  record.Error,
	Source: "sysfs-bus-pci: current_link_speed, max_link_speed; lspci(8)",
	look: func(w *World, r *report) {
		for h, c := range w.cards() {
			for _, hop := range c.hops {
				can, rest, ok := ends(hop)
				now, loaded := underLoad(h, hop, rest)
				want := can.String() + ", which both ends of this link can"
				if hop.Up == nil {
					want = can.String() + ", which the card can; what the slot can is not in the capture"
				}
				if !ok || !now.Below(can) || loaded == nil && asleep(c.dev, hop) {
					continue
				}
				carries := now.Rate()
				if hop.Down != c.dev && (c.need == 0 || c.need <= carries) {
					continue // of a board's own bridges only what holds the card back is of interest
				}
				f := record.Finding{
					Severity: record.Warning, Subject: fmt.Sprintf("%s: %s, %s", h.Name, c.name, hop.Where()), Have: now.String(), Want: want,
					Evidence:    evidence(h.Name, hop),
					Consequence: fmt.Sprintf("%s over the bus at most", carries),
					Fix:         "seat the card anew, without a riser if there is one; another slot; the firmware's setting of the slot's generation",
				}
				if loaded != nil {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: loaded.Source, Line: loaded.Line})
					f.Have += " under load, too"
					if rest != now {
						f.Have = fmt.Sprintf("%s under load, %s at rest", now, rest)
					}
				}
				switch {
				case now.Speed == 0:
					f.Consequence = fmt.Sprintf("%d of %d lanes; at which speed is not in the capture", now.Width, can.Width)
				case c.need == 0:
					if float64(carries) <= 0.51*float64(can.Rate()) { // half: a generation or half of the lanes
						f.Severity = record.Error
						f.Consequence += fmt.Sprintf(", of %s that the card can", can.Rate())
					}
				case c.need > carries:
					f.Severity, f.Loss = record.Error, unit.Known(1-float64(carries)/float64(c.need))
					f.Consequence += fmt.Sprintf(", for ports of %s together", c.need)
				default:
					f.Severity = record.Info
					f.Consequence += fmt.Sprintf(", enough for ports of %s together", c.need)
				}
				network := strings.HasPrefix(c.dev.Class, "02")
				if network && now.Speed > 0 {
					f.Consequence = strings.Replace(f.Consequence, " over the bus at most", " over the bus"+usable(now), 1)
				}
				low := now.Width == can.Width && now.Speed > 0 && now.Speed <= 5
				if low && loaded != nil {
					f.Consequence += "; it is no power saving: traffic did not raise it"
				} else if low && network {
					f.Consequence += "; it looks like saving power and is hardly that: network cards keep their link's speed at rest"
					f.Fix = againUnderLoad(w) + " tells for sure; then " + f.Fix
				} else if low {
					// A link at rest may run at its lowest speed to save power: only a reading under load tells.
					f.Fix = "read it again while the card works: if it stays, it is no power saving; then " + f.Fix
					f.Consequence += ", unless it is only saving power at rest"
					if f.Severity == record.Error {
						f.Severity = record.Warning
					}
				}
				witness(h, c.dev.Address, &f)
				r.found(f, h.Name+": "+hop.Where(), h.Name+": "+c.dev.Address)
			}
		}
		busWords(w, r)
	},
}

// usable is what of a link's rate is left for data, between packets of 128 and of 512 bytes (MaxPayload), written and read; empty where no
// formula knows the link.
func usable(l facts.PCIeLink) string {
	low, high := unit.BitRate(0), unit.BitRate(0)
	for _, payload := range []int{128, 256, 512} {
		for _, way := range []func(ceiling.PCIe) (ceiling.Ceiling, error){ceiling.PCIeWrite, ceiling.PCIeRead} {
			c, err := way(ceiling.PCIe{Generation: l.Generation(), Lanes: l.Width, Payload: payload})
			if err != nil {
				return " at most"
			}
			if low == 0 || c.Rate < low {
				low = c.Rate
			}
			high = max(high, c.Rate)
		}
	}
	return fmt.Sprintf(", %.1f to %s of data", float64(low)/1e9, high)
}

// ends is what a hop can and what it runs at: by both of its ends, or by the lower one where the upper one is not known.
func ends(hop facts.PCIeHop) (can, now facts.PCIeLink, ok bool) {
	if hop.Up == nil {
		return hop.Alone()
	}
	return hop.Links()
}

// underLoad is what a hop runs at: as it was read under load, if it was, else at rest.
func underLoad(h *Host, hop facts.PCIeHop, rest facts.PCIeLink) (facts.PCIeLink, *facts.BusUnderLoad) {
	if b, ok := h.Facts.Probes.UnderLoad(hop.Down.Address); ok && rest.Speed > 0 {
		return b.Link, &b
	}
	return rest, nil
}

// againUnderLoad is the command that reads the links again while traffic goes over them.
func againUnderLoad(w *World) string {
	if w.Plan != nil {
		return "linerate check FILE --under-load"
	}
	return "linerate measure acceptance HOST (or --loop PORT,PORT with a cable between two ports)"
}

// Slow are the interfaces in use of a host whose way to the processor has a link that runs below what both of its ends can: those of which a
// reading under load tells more.
func (w *World) Slow(host string) (nics []string) {
	h := w.Host(host)
	if h == nil {
		return nil
	}
	for _, c := range cards(w, h) {
		for _, hop := range c.hops {
			can, now, ok := ends(hop)
			if !ok || !now.Below(can) || now.Speed == 0 {
				continue
			}
			for _, n := range h.Facts.NICs {
				if n.PCI != "" && facts.PCISlot(n.PCI) == facts.PCISlot(c.dev.Address) && (h.Plan == nil || w.carries(h, n.Name)) {
					nics = append(nics, n.Name)
				}
			}
			break
		}
	}
	return nics
}

// asleep says whether the hop is a graphics card's at full width and low speed: those save power so whenever they are idle,
// network cards do not.
func asleep(d *facts.PCIDevice, hop facts.PCIeHop) bool {
	can, now, ok := ends(hop)
	return ok && strings.HasPrefix(d.Class, "03") && now.Width == can.Width && now.Speed < can.Speed
}

var checkPCIeAsleep = Check{
	ID:     "pcie-idle-downclock",
	Title:  "PCI Express links that rest",
	Why:    "at rest some cards, graphics above all, run their link at its lowest speed, and raise it under load: that is no fault",
	Worst:  record.Info,
	Source: "lspci(8); 2.5 GT/s (downgraded) of idle graphics cards, among the captures",
	look: func(w *World, r *report) {
		for h, c := range w.cards() {
			for _, hop := range c.hops {
				can, rest, ok := ends(hop)
				if now, loaded := underLoad(h, hop, rest); ok && loaded != nil && rest.Below(can) {
					if !now.Below(can) {
						r.found(record.Finding{
							Severity: record.Info, Subject: fmt.Sprintf("%s: %s, %s", h.Name, c.name, hop.Where()),
							Have: fmt.Sprintf("%s at rest, %s under load", rest, now), Want: "its full speed under load, which it has",
							Evidence:    append(evidence(h.Name, hop)[:1], record.EvidenceLine{Host: h.Name, Source: loaded.Source, Line: loaded.Line}),
							Consequence: "nothing: it saves power at rest", Fix: "none",
						}, h.Name+": "+c.dev.Address)
					}
					continue // pcie-degraded has what stays
				}
				if hop.Down != c.dev || !asleep(c.dev, hop) {
					continue
				}
				now, _ := hop.Down.Now()
				r.found(record.Finding{
					Severity: record.Info, Subject: fmt.Sprintf("%s: %s, %s", h.Name, c.name, hop.Where()),
					Have: now.String(), Want: "its full speed under load", Evidence: evidence(h.Name, hop)[:1],
					Consequence: "nothing, if the speed rises under load", Fix: "none; to be sure, read it again while the card works",
				}, h.Name+": "+c.dev.Address)
			}
		}
	},
}

var checkPCIeUpstream = Check{
	ID:      "pcie-upstream",
	Title:   "the narrowest PCI Express link between card and processor",
	Why:     "a slot that is wired with fewer lanes than it is long, or hangs behind a chipset, holds the card back for good",
	Worst:   record.Error,
	Source:  "sysfs-bus-pci: current_link_width, max_link_width",
	Because: []string{"pcie-degraded"},
	look: func(w *World, r *report) {
		told := map[string]bool{}
		for h, c := range w.cards() {
			for _, hop := range c.hops {
				can, rest, ok := hop.Links()
				now, loaded := underLoad(h, hop, rest)
				if !ok || now.Below(can) {
					continue
				}
				own, known := hop.Down.Can()
				if now.Speed == 0 {
					own.Speed = 0
				}
				capped := (hop.Down == c.dev || ownSwitch(hop.Down, c.dev)) && known && now.Below(own) // the slot is less than the card
				if !capped && c.byName && hop.Down == c.dev {
					continue // the card has no more, and whether all of its ports are used is not known
				}
				if !capped && (c.need == 0 || now.Speed == 0 || now.Rate() >= c.need) {
					continue
				}
				f := record.Finding{
					Severity: record.Warning, Subject: fmt.Sprintf("%s: %s, %s", h.Name, c.name, hop.Where()),
					Have: now.String() + ", all that the slot can", Want: own.String() + ", which the card can",
					Evidence:    evidence(h.Name, hop),
					Consequence: fmt.Sprintf("%s over the bus at most, of %s that the card can", now.Rate(), own.Rate()),
					Fix:         "put the card into a slot of the processor with more, if that is what holds it back",
				}
				if loaded != nil {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: loaded.Source, Line: loaded.Line})
				}
				ports := map[bool]string{true: "its ports", false: "the ports in use"}[c.byName]
				switch {
				case now.Speed == 0:
					f.Consequence = fmt.Sprintf("%d of %d lanes; at which speed is not in the capture", now.Width, own.Width)
				case c.need > now.Rate():
					f.Severity, f.Want = record.Error, fmt.Sprintf("%s for %s", c.need, ports)
					f.Consequence = fmt.Sprintf("%s over the bus at most, for ports of %s together", now.Rate(), c.need)
					f.Loss = unit.Known(1 - float64(now.Rate())/float64(c.need))
					f.Fix = "put the card into a slot of the processor with " + hop.Wanted(c.need)
					if hop.Down == c.dev && known && !now.Below(own) {
						f.Have = now.String() + ", all that the card can"
						f.Fix = "none for this card, whose bus carries less than its ports together: leave a port free, or take a card with more lanes or a newer PCI Express"
					}
				case c.need == 0 && hop.Down == c.dev && cramped(c.dev, now, own):
					f.Severity = record.Error
				case c.need > 0:
					f.Severity = record.Info
					f.Consequence = fmt.Sprintf("none for %s: %s over the bus carries their %s", ports, now.Rate(), c.need)
					f.Fix = "none"
				}
				if told[h.Name+hop.Where()] {
					continue // of a card with a switch of its own, on which several things hang
				}
				told[h.Name+hop.Where()] = true
				witness(h, c.dev.Address, &f)
				r.found(f, h.Name+": "+hop.Where())
			}
		}
	},
}

// cramped says whether a slot leaves less than half to a card whose ports' rate is not known: a drive of NVMe, or a network card that is
// made for a bus of 16 Gb/s or more and gets less than one port of 10 Gb/s takes.
func cramped(d *facts.PCIDevice, now, own facts.PCIeLink) bool {
	if 2*now.Rate() > own.Rate() {
		return false
	}
	return strings.HasPrefix(d.Class, "0108") || strings.HasPrefix(d.Class, "02") && now.Rate() < 9e9 && own.Rate() >= 16e9
}

// ownSwitch says whether a bridge is the edge of a card that has a switch of its own: a carrier of drives, or a graphics card.
// The chipsets of AMD and Intel have one, too, which is the mainboard's.
func ownSwitch(d, card *facts.PCIDevice) bool {
	return d.Kind == "Upstream Port" && (strings.HasPrefix(card.Class, "03") || d.Vendor != "" && d.Vendor != "1022" && d.Vendor != "8086")
}
