package check

import (
	"fmt"

	"linerate/internal/record"
)

var checkMTU = Check{
	ID:      "mtu",
	Title:   "the planned MTU at both ends",
	Why:     "a larger packet than the other end takes is dropped without a word; a smaller one costs processor time",
	Worst:   record.Error,
	Source:  "ip-link(8); measured in the lab: with 9000 at one end only, connections open and then hang",
	Because: []string{"no-interface"},
	look: func(w *World, r *report) {
		for p := range w.ports() {
			h := p.host
			name, n := p.nic.Name, p.addressed()
			if n == nil || n.MTU == 0 || p.port.MTU == 0 || n.MTU == p.port.MTU {
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: h.Name + ": " + n.Name,
				Have: fmt.Sprintf("MTU %d", n.MTU), Want: fmt.Sprintf("%d, as the link %s has", p.port.MTU, p.port.Link),
				Evidence:    []record.EvidenceLine{seen(h, n, "mtu", "ip link", fmt.Sprintf("%s: mtu %d", n.Name, n.MTU))},
				Consequence: fmt.Sprintf("packets of %d bytes in place of %d: more of them for the same bytes", n.MTU, p.port.MTU),
				Fix:         setMTU.on(h, "nic", n.Name, "mtu", p.port.MTU, "frame", p.port.MTU+14), Undo: setMTU.on(h, "nic", n.Name, "mtu", n.MTU, "frame", n.MTU+14),
			}
			if n.Name != name && p.nic.MTU < p.port.MTU { // a VLAN's cannot be larger than that of the interface below
				f.Fix = then(h, setMTU.on(h, "nic", name, "mtu", p.port.MTU, "frame", p.port.MTU+14), f.Fix)
			}
			if other := w.peer(p); other != nil {
				if peer := w.Host(other.Host); peer != nil {
					if m := peer.Facts.NIC(other.Interface); m != nil && m.MTU != 0 && m.MTU != n.MTU {
						f.Severity = record.Error
						f.Evidence = append(f.Evidence, seen(peer, m, "mtu", "ip link", fmt.Sprintf("%s: mtu %d", m.Name, m.MTU)))
						big, small := h.Name, peer.Name
						if m.MTU > n.MTU {
							big, small = small, big
						}
						f.Consequence = fmt.Sprintf("what %s sends in packets above %d bytes, %s drops without a word, unless TCP saw the smaller MTU when the connection was opened", big, min(m.MTU, n.MTU), small)
					}
				}
			}
			r.found(f, p.subject())
		}
	},
}
