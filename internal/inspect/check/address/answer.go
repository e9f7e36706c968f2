package address

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// VLAN checks that every VLAN interface has the planned tag.
var VLAN = check.Check{
	ID:    "vlan",
	Title: "the planned tag on every VLAN's interface",
	Why: "an interface is named after a VLAN by habit alone: frames of another tag, or of another port's, no one " +
		"takes up",
	Worst:  record.Error,
	Source: "the fabric file; ip-link(8): type vlan id",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			n := p.Addressed()
			if p.Port.VLAN == 0 || n == nil {
				continue
			}
			var wrong []string
			if n.VLAN != 0 && n.VLAN != p.Port.VLAN {
				wrong = append(wrong, fmt.Sprintf("VLAN %d", n.VLAN))
			}
			if n.Lower != "" && n.Lower != p.Nic.Name {
				wrong = append(wrong, "on "+n.Lower)
			}
			if len(wrong) == 0 {
				continue
			}
			values := append(check.Addressed(n.Name, p.Port.Address), "below", p.Nic.Name, "vlan", p.Port.VLAN)
			old := append(check.Addressed(n.Name, p.Port.Address), "below", cmp.Or(n.Lower, p.Nic.Name), "vlan", n.VLAN)
			f := record.Finding{
				Severity: record.Error, Subject: p.Host.Subject(n.Name), Have: strings.Join(wrong, " "),
				Want: fmt.Sprintf("VLAN %d on %s, of the link %s", p.Port.VLAN, p.Nic.Name, p.Port.Link),
				Evidence: []record.EvidenceLine{check.Seen(p.Host, n, "vlan", "ip -d link",
					fmt.Sprintf("%s: link %s, vlan id %d", n.Name, n.Lower, n.VLAN))},
				Consequence: "the link " + p.Port.Link + " carries nothing for it: the other end does not take up its frames, " +
					"nor it the other end's",
				Fix: check.Then(p.Host, check.DelVLAN.On(p.Host, values...), check.AddVLAN.On(p.Host, values...)),
			}
			if n.VLAN != 0 {
				f.Undo = check.Then(p.Host, check.DelVLAN.On(p.Host, old...), check.AddVLAN.On(p.Host, old...))
			}
			r.Found(f, p.Subject(), p.Host.Subject(n.Name))
		}
	},
}

// Answer checks that every peer answers, and through its planned port.
var Answer = check.Check{
	ID:    "no-answer",
	Title: "an answer from every peer, by the port that it is planned on",
	Why: "both ends may have a carrier and their addresses, and be joined to something else: cables between three " +
		"machines are easily exchanged",
	Worst:  record.Error,
	Source: "RFC 826; tried in the lab with two cables exchanged",
	Because: []string{"no-interface", "link-down", "vlan", "address", "duplicate-address", "duplicate-mac", "wrong-nic",
		"overlay"},
	Look: func(w *check.World, r *check.Report) {
		reported := map[string]bool{}
		// An answer through another port is better evidence than silence, which the other end may have reported.
		for _, one := range []func(p, q *check.Port, o facts.OwnerProbe){
			func(p, q *check.Port, o facts.OwnerProbe) { elsewhere(w, p, q, o, reported, r) },
			func(p, q *check.Port, o facts.OwnerProbe) { unanswered(w, p, q, o, reported, r) },
		} {
			for _, h := range w.Hosts {
				for _, o := range h.Facts.Probes.Owners {
					if p, q := reaching(w, h, o.Address); q != nil && !o.Own && p.Addressed().Name == o.Interface {
						one(p, q, o)
					}
				}
			}
		}
		for _, h := range w.Hosts {
			for _, to := range h.Facts.Probes.Silent {
				p, q := reaching(w, h, to)
				if q == nil || reported[pairOf(p, q)] || !slices.Contains(q.Host.Facts.Probes.Silent, p.Port.Address.Addr()) ||
					askedARP(w, h, to) || askedARP(w, q.Host, p.Port.Address.Addr()) {
					continue
				}
				reported[pairOf(p, q)] = true
				r.Found(record.Finding{Severity: record.Warning, Subject: w.Way(h, to),
					Have: "no ICMP echo gets an answer, in either direction", Want: "an answer",
					Evidence:    []record.EvidenceLine{silence(h, to), silence(q.Host, p.Port.Address.Addr())},
					Consequence: "nothing gets from one to the other, or only what a firewall lets through",
					Fix:         otherEnd(p, q) + "; or let the firewalls of both answer echoes"}, aboutBoth(p, q)...)
			}
		}
	},
}

// unanswered reports that no host answered an ARP request for an address that its host has, on a link with a carrier at
// both ends.
func unanswered(w *check.World, p, q *check.Port, o facts.OwnerProbe, reported map[string]bool, r *check.Report) {
	if reported[pairOf(p, q)] || len(o.Answers) > 0 {
		return
	}
	reported[pairOf(p, q)] = true
	f := record.Finding{
		Severity: record.Error, Subject: w.Way(p.Host, o.Address),
		Have: "no host answers for that address where " + o.Interface + " leads to",
		Want: fmt.Sprintf("an answer of %s, which has it", q.Subject()),
		Consequence: fmt.Sprintf("nothing gets from %s to %s over the link %s, though both ends have a carrier and their "+
			"addresses", p.Host.Name, q.Host.Name, p.Port.Link),
		Fix: otherEnd(p, q),
	}
	for _, proof := range o.Proofs {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.Host.Name, Source: proof.Source, Line: proof.Line})
	}
	f.Evidence = append(f.Evidence, check.SeenAddresses(q.Host, q.Addressed(), q.Addressed().Name))
	r.Found(f, aboutBoth(p, q)...)
}

// elsewhere reports that an interface other than the one at the other end of the cable answered for an address.
func elsewhere(w *check.World, p, q *check.Port, o facts.OwnerProbe, reported map[string]bool, r *check.Report) {
	if len(o.Answers) != 1 {
		return
	}
	mac := o.Answers[0]
	if w.Peer(*p) == nil || strings.EqualFold(mac, q.Nic.MAC) || strings.EqualFold(mac, q.Addressed().MAC) ||
		q.Nic.Master != "" {
		return
	}
	nic := check.MacOf(q.Host.Facts, mac)
	if nic == "" {
		return
	}
	reported[pairOf(p, q)] = true
	f := record.Finding{
		Severity: record.Error, Subject: w.Way(p.Host, o.Address),
		Have: fmt.Sprintf("%s answers (%s)", q.Host.Name+": "+nic, mac),
		Want: fmt.Sprintf("%s, where the file has the cable of %s end", q.Subject(), p.Subject()),
		Consequence: "each of the cables carries the other's addresses: answers leave by another port than the requests " +
			"came in by, or not at all",
		Fix: fmt.Sprintf("exchange the cables of %s and %s, or write into the file how they are", q.Subject(), nic),
	}
	for _, proof := range o.Proofs {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.Host.Name, Source: proof.Source, Line: proof.Line})
	}
	f.Evidence = append(f.Evidence, record.EvidenceLine{Host: q.Host.Name,
		Source: check.SourceOf(q.Host, "ip link", "ifconfig"), Line: nic + ": link/ether " + mac})
	r.Found(f, aboutBoth(p, q)...)
}

// reaching returns the planned ends for reaching an address of another host: the local port and the port of the
// address. The second is nil unless both ends have a carrier and their addresses.
func reaching(w *check.World, h *check.Host, to netip.Addr) (p, q *check.Port) {
	from, ok := w.Over(h, to)
	if !ok || !whole(from) {
		return nil, nil
	}
	for far := range w.Ports() {
		if far.Host != h && far.Port.Address.IsValid() && far.Port.Address.Addr() == to && whole(far) {
			return &from, &far
		}
	}
	return nil, nil
}

// whole reports whether a port has its address and, as far as is known, a carrier.
func whole(p check.Port) bool {
	on := p.Addressed()
	return on != nil && p.Nic.Up && p.Nic.Carrier.Or(true) && slices.Contains(on.Addresses, p.Port.Address)
}

func askedARP(w *check.World, h *check.Host, to netip.Addr) bool {
	return slices.ContainsFunc(h.Facts.Probes.Owners, func(o facts.OwnerProbe) bool { return o.Address == to && !o.Own })
}

func silence(h *check.Host, to netip.Addr) record.EvidenceLine {
	return record.EvidenceLine{Host: h.Name, Source: "probe mtu " + to.String(), Line: "it answers no ICMP echo"}
}

// pairOf names two ends, the same in either order.
func pairOf(p, q *check.Port) string {
	return min(p.Port.ID, q.Port.ID) + " " + max(p.Port.ID, q.Port.ID)
}

func aboutBoth(p, q *check.Port) []record.Subject {
	return []record.Subject{p.Subject(), q.Subject(), {Address: p.Port.Address.Addr()}, {Address: q.Port.Address.Addr()},
		p.Host.Subject(p.Addressed().Name), q.Host.Subject(q.Addressed().Name)}
}

// otherEnd names what to examine where two healthy ends do not reach each other.
func otherEnd(p, q *check.Port) string {
	if p.Link != nil && (p.Link.Ends[0].Switch != "" || p.Link.Ends[1].Switch != "") {
		return fmt.Sprintf("look at the switch: whether the ports of %s and %s are in one VLAN, forward, and are the ones "+
			"that the file says", p.Subject(), q.Subject())
	}
	return fmt.Sprintf("look where the cable of %s leads: with it pulled out at one end, the port that loses its "+
		"carrier is its other end, which the file has as %s; then exchange the cables, or write into the file how they are",
		p.Subject(), q.Subject())
}
