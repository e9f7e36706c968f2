package address

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// MTU checks that both ends have the planned MTU.
var MTU = check.Check{
	ID:      "mtu",
	Title:   "the planned MTU at both ends",
	Why:     "a larger packet than the other end takes is dropped without a word; a smaller one costs CPU time",
	Worst:   record.Error,
	Source:  "ip-link(8); measured in the lab: with 9000 at one end only, connections open and then hang",
	Because: []string{"no-interface"},
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			h := p.Host
			name, n := p.Nic.Name, p.Addressed()
			if n == nil || n.MTU == 0 || p.Port.MTU == 0 || n.MTU == p.Port.MTU {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: h.Subject(n.Name), Have: fmt.Sprintf("MTU %d", n.MTU),
				Want:        fmt.Sprintf("%d, as the link %s has", p.Port.MTU, p.Port.Link),
				Evidence:    []record.EvidenceLine{check.Seen(h, n, "mtu", "ip link", fmt.Sprintf("%s: mtu %d", n.Name, n.MTU))},
				Consequence: fmt.Sprintf("packets of %d bytes in place of %d: more of them for the same bytes", n.MTU, p.Port.MTU),
				Fix:         check.SetMTU.On(h, "nic", n.Name, "mtu", p.Port.MTU, "frame", p.Port.MTU+14),
				Undo:        check.SetMTU.On(h, "nic", n.Name, "mtu", n.MTU, "frame", n.MTU+14)}
			if n.Name != name && p.Nic.MTU < p.Port.MTU { // a VLAN's cannot be larger than that of the interface below
				f.Fix = check.Then(h, check.SetMTU.On(h, "nic", name, "mtu", p.Port.MTU, "frame", p.Port.MTU+14), f.Fix)
			}
			if other := w.Peer(p); other != nil {
				if peer := w.Host(other.Host); peer != nil {
					if m := peer.Facts.NIC(other.Interface); m != nil && m.MTU != 0 && m.MTU != n.MTU {
						f.Severity = record.Error
						f.Evidence = append(f.Evidence, check.Seen(peer, m, "mtu", "ip link", fmt.Sprintf("%s: mtu %d", m.Name, m.MTU)))
						if m.MTU > p.Port.MTU || n.MTU > p.Port.MTU {
							f.Fix += fmt.Sprintf("\nor write mtu: %d in the fabric file; check then says what to "+
								"type at %s", max(m.MTU, n.MTU), unit.If(m.MTU < n.MTU, peer.Name, h.Name))
						}
						big, small := h.Name, peer.Name
						if m.MTU > n.MTU {
							big, small = small, big
						}
						f.Consequence = fmt.Sprintf("what %s sends in packets above %d bytes, %s drops without a word, unless TCP saw "+
							"the smaller MTU when the connection was opened", big, min(m.MTU, n.MTU), small)
					}
				}
			}
			r.Found(f, p.Subject())
		}
	},
}

// vlanTag is the size of a tag in a frame, in bytes (IEEE 802.1Q).
const vlanTag = 4

// SwitchMTU checks that the ports of switches allow the planned MTU.
var SwitchMTU = check.Check{
	ID:    "switch-mtu",
	Title: "room for the planned MTU on the ports of switches",
	Why:   "a switch drops a frame that is larger than its port takes, and says nothing to the sender",
	Worst: record.Error,
	Source: "MikroTik's manual, MTU in RouterOS (L2MTU is the frame without the MAC header); Onyx, Cumulus, SONiC: the " +
		"MTU of a port is that of its packets",
	Look: func(w *check.World, r *check.Report) {
		for j := range w.Links() {
			want := j.Link.MTU
			if want == 0 || j.Link.InfiniBand {
				continue
			}
			for _, e := range j.Ends {
				if e == nil || e.Host.Switch == nil {
					continue
				}
				have, said := e.Nic.MTU, "mtu"
				if room, ok := e.Nic.L2MTU.Get(); ok {
					have, said = int(room), "l2mtu"
					if j.Link.VLAN != 0 {
						want += vlanTag
					}
				}
				if have == 0 || have >= want {
					continue
				}
				f := record.Finding{
					Severity: record.Error, Have: fmt.Sprintf("%s %d", said, have),
					Want:     fmt.Sprintf("at least %d, for packets of %d bytes", want, j.Link.MTU),
					Evidence: []record.EvidenceLine{e.Line("mtu", fmt.Sprintf("%s %d", said, have))},
					Consequence: fmt.Sprintf("packets above %d bytes are dropped here without a word: connections open and then hang",
						have),
				}
				f.Fix, f.Undo = w.Follow(e.Host)
				r.FoundOn(e, f)
			}
		}
	},
}
