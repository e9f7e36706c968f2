package pcie

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// PCIeDegraded checks for PCI Express links that are slower or narrower than both of their ends support.
var PCIeDegraded = check.Check{
	ID:     "pcie-degraded",
	Title:  "PCI Express links that came up slower or narrower than both of their ends can",
	Why:    "a riser, dirty contacts or a wrong setting of the firmware: the NIC works, and every figure is a fraction",
	Worst:  record.Error,
	Source: "sysfs-bus-pci: current_link_speed, max_link_speed; lspci(8)",
	Look: func(w *check.World, r *check.Report) {
		for h, c := range w.NICs() {
			for _, hop := range c.Hops {
				can, rest, ok := ends(hop)
				now, loaded := underLoad(h, hop, rest)
				want := can.String() + ", which both ends of this link can"
				if hop.Up == nil {
					want = can.String() + ", which the NIC can; what the slot can is not in the snapshot"
				}
				if !ok || !now.Below(can) || loaded == nil && asleep(c.Dev, hop) {
					continue
				}
				carries := now.Rate()
				if hop.Down != c.Dev && (c.Need == 0 || c.Need <= carries) {
					continue // a board's own bridges matter only if they limit the NIC
				}
				f := record.Finding{
					Severity: record.Warning, Subject: c.Subject(h, hop.Where()), Have: now.String(),
					Want:        want,
					Evidence:    check.Evidence(h.Name, hop),
					Consequence: fmt.Sprintf("%s over the bus at most", carries),
					Fix: "plug the NIC in again, without a riser if there is one; another slot; the firmware's setting of the " +
						"slot's generation",
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
					f.Consequence = fmt.Sprintf("%d of %d lanes; at which speed is not in the snapshot", now.Width, can.Width)
				case c.Need == 0:
					if float64(carries) <= 0.51*float64(can.Rate()) { // half: a generation or half of the lanes
						f.Severity = record.Error
						f.Consequence += fmt.Sprintf(", of %s that the NIC can", can.Rate())
					}
				case c.Need > carries:
					f.Severity, f.Loss = record.Error, unit.Known(1-float64(carries)/float64(c.Need))
					f.Consequence += fmt.Sprintf(", for ports of %s together", c.Need)
				default:
					f.Severity = record.Info
					f.Consequence += fmt.Sprintf(", enough for ports of %s together", c.Need)
				}
				network := strings.HasPrefix(c.Dev.Class, "02")
				if network && now.Speed > 0 {
					f.Consequence = strings.Replace(f.Consequence, " over the bus at most", " over the bus"+usable(now), 1)
				}
				low := now.Width == can.Width && now.Speed > 0 && now.Speed <= 5
				if low && loaded != nil {
					f.Consequence += "; it is not a power saving: traffic did not raise it"
				} else if low && network {
					f.Consequence += "; it looks like saving power and is hardly that: NICs keep their link's speed at rest"
					f.Fix = againUnderLoad(w) + "\nthat shows it for sure; then " + f.Fix
				} else if low {
					// An idle link may run at its lowest speed to save power. Only a reading under load shows its speed.
					f.Fix = "read it again while the NIC works: if it stays, it is not a power saving; then " + f.Fix
					f.Consequence += ", unless it is only saving power at rest"
					if f.Severity == record.Error {
						f.Severity = record.Warning
					}
				}
				witness(h, c.Dev.Address, &f)
				r.Found(f, h.Subject(hop.Where()), h.Subject(c.Dev.Address))
			}
		}
		busWords(w, r)
	},
}

// usable describes the part of a link's rate that is left for data with packets of 128 to 512 bytes (MaxPayload),
// written and read; empty where no formula applies to the link.
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

// ends returns the best common link of a hop and the present one: from both of its ends, or from the lower one where
// the upper one is not known.
func ends(hop facts.PCIeHop) (can, now facts.PCIeLink, ok bool) {
	if hop.Up == nil {
		return hop.Alone()
	}
	return hop.Links()
}

// underLoad returns the link of a hop as read under load, or else the idle one.
func underLoad(h *check.Host, hop facts.PCIeHop, rest facts.PCIeLink) (facts.PCIeLink, *facts.BusUnderLoad) {
	if b, ok := h.Facts.Probes.UnderLoad(hop.Down.Address); ok && rest.Speed > 0 {
		return b.Link, &b
	}
	return rest, nil
}

// againUnderLoad returns the command that reads the links again under load.
func againUnderLoad(w *check.World) string {
	if w.Plan != nil {
		return "linerate check FILE --under-load"
	}
	return "linerate measure acceptance HOST (or --loop PORT,PORT with a cable between two ports)"
}

// Slow returns the interfaces in use whose path to the CPU has a link below what both of its ends support: a reading
// under load shows whether it is a fault.
func Slow(w *check.World, host string) (nics []string) {
	h := w.Host(host)
	if h == nil {
		return nil
	}
	for _, c := range check.NICs(w, h) {
		for _, hop := range c.Hops {
			can, now, ok := ends(hop)
			if !ok || !now.Below(can) || now.Speed == 0 {
				continue
			}
			for _, n := range h.Facts.NICs {
				if n.PCI != "" && facts.PCISlot(n.PCI) == facts.PCISlot(c.Dev.Address) && (h.Plan == nil || w.Carries(h, n.Name)) {
					nics = append(nics, n.Name)
				}
			}
			break
		}
	}
	return nics
}

// asleep reports whether the hop is that of a graphics adapter at full width and low speed: they save power in this way
// whenever they are idle, NICs do not.
func asleep(d *facts.PCIDevice, hop facts.PCIeHop) bool {
	can, now, ok := ends(hop)
	return ok && strings.HasPrefix(d.Class, "03") && now.Width == can.Width && now.Speed < can.Speed
}

// PCIeAsleep checks for PCI Express links that save power.
var PCIeAsleep = check.Check{
	ID:    "pcie-idle-downclock",
	Title: "PCI Express links that rest",
	Why: "at rest some NICs, graphics above all, run their link at its lowest speed, and raise it under load: that " +
		"is not a fault",
	Worst:  record.Info,
	Source: "lspci(8); 2.5 GT/s (downgraded) of idle graphics cards, among the snapshots",
	Look: func(w *check.World, r *check.Report) {
		for h, c := range w.NICs() {
			for _, hop := range c.Hops {
				can, rest, ok := ends(hop)
				if now, loaded := underLoad(h, hop, rest); ok && loaded != nil && rest.Below(can) {
					if !now.Below(can) {
						r.Found(record.Finding{
							Severity: record.Info, Subject: c.Subject(h, hop.Where()),
							Have: fmt.Sprintf("%s at rest, %s under load", rest, now), Want: "its full speed under load, which it has",
							Evidence: append(check.Evidence(h.Name, hop)[:1], record.EvidenceLine{Host: h.Name, Source: loaded.Source,
								Line: loaded.Line}),
							Consequence: "nothing: it saves power at rest", Fix: "none",
						}, h.Subject(c.Dev.Address))
					}
					continue // pcie-degraded reports lasting ones
				}
				if hop.Down != c.Dev || !asleep(c.Dev, hop) {
					continue
				}
				now, _ := hop.Down.Now()
				r.Found(record.Finding{Severity: record.Info, Subject: c.Subject(h, hop.Where()),
					Have: now.String(), Want: "its full speed under load", Evidence: check.Evidence(h.Name, hop)[:1],
					Consequence: "nothing, if the speed rises under load",
					Fix:         "none; to be sure, read it again while the NIC works"}, h.Subject(c.Dev.Address))
			}
		}
	},
}

// PCIeUpstream checks the narrowest PCI Express link between an adapter and the CPU.
var PCIeUpstream = check.Check{
	ID:    "pcie-upstream",
	Title: "the narrowest PCI Express link between NIC and CPU",
	Why: "a slot that is wired with fewer lanes than it is long, or hangs behind a chipset, holds the NIC back " +
		"for good",
	Worst:   record.Error,
	Source:  "sysfs-bus-pci: current_link_width, max_link_width",
	Because: []string{"pcie-degraded"},
	Look: func(w *check.World, r *check.Report) {
		reported := map[string]bool{}
		for h, c := range w.NICs() {
			for _, hop := range c.Hops {
				can, rest, ok := hop.Links()
				now, loaded := underLoad(h, hop, rest)
				if !ok || now.Below(can) {
					continue
				}
				own, known := hop.Down.Can()
				if now.Speed == 0 {
					own.Speed = 0
				}
				// The slot, and not the NIC, is the limit.
				capped := (hop.Down == c.Dev || ownSwitch(hop.Down, c.Dev)) && known && now.Below(own)
				if !capped && c.ByName && hop.Down == c.Dev {
					continue // the NIC supports no more, and it is not known whether all of its ports are in use
				}
				if !capped && (c.Need == 0 || now.Speed == 0 || now.Rate() >= c.Need) {
					continue
				}
				f := record.Finding{Severity: record.Warning, Subject: c.Subject(h, hop.Where()),
					Have: now.String() + ", all that the slot can", Want: own.String() + ", which the NIC can",
					Evidence:    check.Evidence(h.Name, hop),
					Consequence: fmt.Sprintf("%s over the bus at most, of %s that the NIC can", now.Rate(), own.Rate()),
					Fix:         "put the NIC into a slot of the CPU with more, if that is what holds it back"}
				if loaded != nil {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: loaded.Source, Line: loaded.Line})
				}
				ports := unit.If(c.ByName, "its ports", "the ports in use")
				switch {
				case now.Speed == 0:
					f.Consequence = fmt.Sprintf("%d of %d lanes; at which speed is not in the snapshot", now.Width, own.Width)
				case c.Need > now.Rate():
					f.Severity, f.Want = record.Error, fmt.Sprintf("%s for %s", c.Need, ports)
					f.Consequence = fmt.Sprintf("%s over the bus at most, for ports of %s together", now.Rate(), c.Need)
					f.Loss = unit.Known(1 - float64(now.Rate())/float64(c.Need))
					f.Fix = "put the NIC into a slot of the CPU with " + hop.Wanted(c.Need)
					if hop.Down == c.Dev && known && !now.Below(own) {
						f.Have = now.String() + ", all that the NIC can"
						f.Fix = "none for this NIC, whose bus carries less than its ports together: leave a port free, or take a " +
							"NIC with more lanes or a newer PCI Express"
					}
				case c.Need == 0 && hop.Down == c.Dev && cramped(c.Dev, now, own):
					f.Severity = record.Error
				case c.Need > 0:
					f.Severity = record.Info
					f.Consequence = fmt.Sprintf("none for %s: %s over the bus carries their %s", ports, now.Rate(), c.Need)
					f.Fix = "none"
				}
				if reported[h.Name+hop.Where()] {
					continue // a NIC with a switch of its own, which several devices share
				}
				reported[h.Name+hop.Where()] = true
				witness(h, c.Dev.Address, &f)
				r.Found(f, h.Subject(hop.Where()))
			}
		}
	},
}

// cramped reports whether a slot gives less than half to a device whose ports' rate is not known: an NVMe drive, or a
// NIC that supports a bus of 16 Gb/s or more and gets less than one port of 10 Gb/s needs.
func cramped(d *facts.PCIDevice, now, own facts.PCIeLink) bool {
	if 2*now.Rate() > own.Rate() {
		return false
	}
	return strings.HasPrefix(d.Class, "0108") || strings.HasPrefix(d.Class, "02") && now.Rate() < 9e9 && own.Rate() >= 16e9
}

// ownSwitch reports whether a bridge is the edge of a NIC that has a switch of its own: a carrier of drives, or a
// graphics adapter. The chipsets of AMD and Intel have one, too, which belongs to the mainboard.
func ownSwitch(d, nic *facts.PCIDevice) bool {
	return d.Kind == "Upstream Port" && (strings.HasPrefix(nic.Class, "03") || d.Vendor != "" && d.Vendor != "1022" &&
		d.Vendor != "8086")
}
