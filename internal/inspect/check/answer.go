package check

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkVLAN = Check{
	ID:     "vlan",
	Title:  "the planned tag on every VLAN's interface",
	Why:    "an interface is named after a VLAN by habit alone: frames of another tag, or of another port's, nobody takes up",
	Worst:  record.Error,
	Source: "the fabric file; ip-link(8): type vlan id",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			n := p.addressed()
			if p.port.VLAN == 0 || n == nil {
				continue
			}
			var wrong []string
			if n.VLAN != 0 && n.VLAN != p.port.VLAN {
				wrong = append(wrong, fmt.Sprintf("VLAN %d", n.VLAN))
			}
			if n.Lower != "" && n.Lower != p.nic.Name {
				wrong = append(wrong, "on "+n.Lower)
			}
			if len(wrong) == 0 {
				continue
			}
			values := append(addressed(n.Name, p.port.Address), "below", p.nic.Name, "vlan", p.port.VLAN)
			old := append(addressed(n.Name, p.port.Address), "below", cmp.Or(n.Lower, p.nic.Name), "vlan", n.VLAN)
			f := record.Finding{
				Severity: record.Error, Subject: p.host.Name + ": " + n.Name, Have: strings.Join(wrong, " "), Want: fmt.Sprintf("VLAN %d on %s, of the link %s", p.port.VLAN, p.nic.Name, p.port.Link),
				Evidence:    []record.EvidenceLine{seen(p.host, n, "vlan", "ip -d link", fmt.Sprintf("%s: link %s, vlan id %d", n.Name, n.Lower, n.VLAN))},
				Consequence: "the link " + p.port.Link + " carries nothing for it: the other end does not take up its frames, nor it the other end's",
				Fix:         then(p.host, delVLAN.on(p.host, values...), addVLAN.on(p.host, values...)),
			}
			if n.VLAN != 0 {
				f.Undo = then(p.host, delVLAN.on(p.host, old...), addVLAN.on(p.host, old...))
			}
			r.found(f, p.subject(), p.host.Name+": "+n.Name)
		}
	},
}

var checkAnswer = Check{
	ID:      "no-answer",
	Title:   "an answer from every peer, by the port that it is planned on",
	Why:     "both ends may have a carrier and their addresses, and be joined to something else: cables between three machines are easily exchanged",
	Worst:   record.Error,
	Source:  "RFC 826; tried in the lab with two cables exchanged",
	Because: []string{"no-interface", "link-down", "vlan", "address", "duplicate-address", "duplicate-mac", "wrong-nic", "overlay"},
	look: func(w *World, r *report) {
		told := map[string]bool{}
		// Who answers by another port says more than silence, which the other end of the same link may have met.
		for _, one := range []func(p, q *plugged, o facts.OwnerProbe, told map[string]bool, r *report){w.elsewhere, w.unanswered} {
			for _, h := range w.Hosts {
				for _, o := range h.Facts.Probes.Owners {
					if p, q := w.reaching(h, o.Address); q != nil && !o.Own && p.addressed().Name == o.Interface {
						one(p, q, o, told, r)
					}
				}
			}
		}
		for _, h := range w.Hosts {
			for _, to := range h.Facts.Probes.Silent {
				p, q := w.reaching(h, to)
				if q == nil || told[pairOf(p, q)] || !slices.Contains(q.host.Facts.Probes.Silent, p.port.Address.Addr()) || w.askedARP(h, to) || w.askedARP(q.host, p.port.Address.Addr()) {
					continue
				}
				told[pairOf(p, q)] = true
				r.found(record.Finding{
					Severity: record.Warning, Subject: fmt.Sprintf("%s: to %s", h.Name, w.named(to)), Have: "no ICMP echo gets an answer, in either direction", Want: "an answer",
					Evidence:    []record.EvidenceLine{silence(h, to), silence(q.host, p.port.Address.Addr())},
					Consequence: "nothing gets from one to the other, or only what a firewall lets through",
					Fix:         otherEnd(p, q) + "; or let the firewalls of both answer echoes",
				}, aboutBoth(p, q)...)
			}
		}
	},
}

// unanswered says that nobody answered an ARP request for an address that its host has, on a link with a carrier at both ends.
func (w *World) unanswered(p, q *plugged, o facts.OwnerProbe, told map[string]bool, r *report) {
	if told[pairOf(p, q)] || len(o.Answers) > 0 {
		return
	}
	told[pairOf(p, q)] = true
	f := record.Finding{
		Severity: record.Error, Subject: fmt.Sprintf("%s: to %s", p.host.Name, w.named(o.Address)), Have: "nobody answers for that address where " + o.Interface + " leads to",
		Want:        fmt.Sprintf("an answer of %s, which has it", q.subject()),
		Consequence: fmt.Sprintf("nothing gets from %s to %s over the link %s, though both ends have a carrier and their addresses", p.host.Name, q.host.Name, p.port.Link),
		Fix:         otherEnd(p, q),
	}
	for _, proof := range o.Proofs {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.host.Name, Source: proof.Source, Line: proof.Line})
	}
	f.Evidence = append(f.Evidence, seenAddresses(q.host, q.addressed(), q.addressed().Name))
	r.found(f, aboutBoth(p, q)...)
}

// elsewhere says that an address was answered for by another interface than the one at the other end of the cable.
func (w *World) elsewhere(p, q *plugged, o facts.OwnerProbe, told map[string]bool, r *report) {
	if len(o.Answers) != 1 {
		return
	}
	mac := o.Answers[0]
	if w.peer(*p) == nil || strings.EqualFold(mac, q.nic.MAC) || strings.EqualFold(mac, q.addressed().MAC) || q.nic.Master != "" {
		return
	}
	nic := macOf(q.host.Facts, mac)
	if nic == "" {
		return
	}
	told[pairOf(p, q)] = true
	f := record.Finding{
		Severity: record.Error, Subject: fmt.Sprintf("%s: to %s", p.host.Name, w.named(o.Address)), Have: fmt.Sprintf("%s answers (%s)", q.host.Name+": "+nic, mac),
		Want:        fmt.Sprintf("%s, where the file has the cable of %s end", q.subject(), p.subject()),
		Consequence: "each of the cables carries the other's addresses: answers leave by another port than the requests came in by, or not at all",
		Fix:         fmt.Sprintf("exchange the cables of %s and %s, or write into the file how they are", q.subject(), nic),
	}
	for _, proof := range o.Proofs {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.host.Name, Source: proof.Source, Line: proof.Line})
	}
	f.Evidence = append(f.Evidence, record.EvidenceLine{Host: q.host.Name, Source: sourceOf(q.host, "ip link", "ifconfig"), Line: nic + ": link/ether " + mac})
	r.found(f, aboutBoth(p, q)...)
}

// reaching are the ends of the plan that an address of another host is reached from and has its place on, if both have what they
// need to reach each other: a carrier and their addresses. The second is nil otherwise.
func (w *World) reaching(h *Host, to netip.Addr) (p, q *plugged) {
	from, ok := w.over(h, to)
	if !ok || !whole(from) {
		return nil, nil
	}
	for far := range w.ports() {
		if far.host != h && far.port.Address.IsValid() && far.port.Address.Addr() == to && whole(far) {
			return &from, &far
		}
	}
	return nil, nil
}

// whole says whether a port has a carrier, as far as is known, and its address.
func whole(p plugged) bool {
	on := p.addressed()
	return on != nil && p.nic.Up && p.nic.Carrier.Or(true) && slices.Contains(on.Addresses, p.port.Address)
}

func (w *World) askedARP(h *Host, to netip.Addr) bool {
	return slices.ContainsFunc(h.Facts.Probes.Owners, func(o facts.OwnerProbe) bool { return o.Address == to && !o.Own })
}

func silence(h *Host, to netip.Addr) record.EvidenceLine {
	return record.EvidenceLine{Host: h.Name, Source: "probe mtu " + to.String(), Line: "it answers no ICMP echo"}
}

// pairOf names two ends, whichever asks.
func pairOf(p, q *plugged) string { return min(p.port.ID, q.port.ID) + " " + max(p.port.ID, q.port.ID) }

func aboutBoth(p, q *plugged) []string {
	return []string{p.subject(), q.subject(), p.port.Address.Addr().String(), q.port.Address.Addr().String(), p.host.Name + ": " + p.addressed().Name, q.host.Name + ": " + q.addressed().Name}
}

// otherEnd is what to look at where two ends that are sound do not reach each other.
func otherEnd(p, q *plugged) string {
	if p.link != nil && (p.link.Ends[0].Switch != "" || p.link.Ends[1].Switch != "") {
		return fmt.Sprintf("look at the switch: whether the ports of %s and %s are in one VLAN, forward, and are the ones that the file says", p.subject(), q.subject())
	}
	return fmt.Sprintf("look where the cable of %s leads: with it pulled out at one end, the port that loses its carrier is its other end, which the file has as %s; then exchange the cables, or write into the file how they are", p.subject(), q.subject())
}
