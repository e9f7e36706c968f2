package check

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkBlackHole = Check{
	ID:      "mtu-black-hole",
	Title:   "packets of the planned MTU to each peer and back",
	Why:     "where a switch in between takes less than both ends, large packets vanish: connections open, and hang with the first data",
	Worst:   record.Error,
	Source:  "ping(8), -M do; measured in the lab: nothing passes, no counter of a bridge moves",
	Because: []string{"mtu", "wrong-nic", "overlay", "no-interface", "link-down"},
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, v := range h.Facts.Probes.Paths {
				through, known := v.Through.Get()
				port, ok := w.over(h, v.To)
				if !known || through >= v.Asked || !ok || v.Asked > port.port.MTU {
					continue
				}
				peer := w.named(v.To)
				f := record.Finding{
					Severity: record.Error, Subject: fmt.Sprintf("%s: to %s", h.Name, peer), Have: fmt.Sprintf("ICMP echoes of %d bytes get there and back, of %d none of three did", through, v.Asked), Want: fmt.Sprintf("%d, as the plan has on the way", v.Asked),
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: v.Source, Line: v.Line}},
					Consequence: "connections open and hang with the first large packet; on the way nobody counts it",
					Fix:         fmt.Sprintf("raise the MTU of what is between to %d (a switch: its L2 MTU, at the ports of both ends), and look at both ends' own: ip link", v.Asked),
					Undo:        fmt.Sprintf("the MTU of %d that stood there", through),
				}
				if through < smallestMTU {
					f.Have = fmt.Sprintf("only small ICMP echoes get there and back; of %d bytes none of three did", v.Asked)
					f.Undo = "the MTU that stood there"
				}
				if v.TooBig {
					f.Fix = fmt.Sprintf("ip link set dev %s mtu %d", port.nic.Name, v.Asked)
					f.Undo = fmt.Sprintf("ip link set dev %s mtu %d", port.nic.Name, port.nic.MTU)
					f.Have = fmt.Sprintf("its own interface takes no packet of %d bytes", v.Asked)
				}
				about := []string{port.subject(), v.To.String()}
				if at := w.holding(v.To); at != "" {
					about = append(about, at)
				}
				r.found(f, about...)
			}
			notTried(h, "probe mtu ", r)
		}
	},
}

// smallestMTU is the least of IPv4 that a probe tries.
const smallestMTU = 576

// notTried says which probes were not made, or told nothing, and why.
func notTried(h *Host, kind string, r *report) {
	for _, u := range h.Facts.Unknown {
		if strings.HasPrefix(u.Subject, kind) {
			r.notKnown(h.Name+": "+u.Subject, "%s", u.Reason)
		}
	}
}

// named is the host of an address with it.
func (w *World) named(addr netip.Addr) string {
	if w.Plan != nil {
		for _, h := range w.Plan.Hosts {
			for _, p := range h.Ports {
				if p.Address.IsValid() && p.Address.Addr() == addr {
					return fmt.Sprintf("%s (%s)", h.Name, addr)
				}
			}
		}
	}
	return addr.String()
}

// holding is the interface of the plan that an address belongs on: "b: e1"; empty: none is known.
func (w *World) holding(addr netip.Addr) string {
	for p := range w.ports() {
		if p.port.Address.IsValid() && p.port.Address.Addr() == addr {
			return p.subject()
		}
	}
	return ""
}

// answeredTwice looks who answered for an address by ARP: two hosts are a duplicate address; two interfaces of one host, as far as
// their MAC addresses are known, are ARP flux.
func answeredTwice(w *World, r *report, flux bool) {
	told := map[string]bool{}
	for _, h := range w.Hosts {
		for _, o := range h.Facts.Probes.Owners {
			if len(o.Answers) == 0 || !o.Own && len(o.Answers) < 2 {
				continue
			}
			one := !o.Own && w.oneHost(o.Answers)
			key := fmt.Sprint(o.Address, o.Own, h.Name)
			if !o.Own { // all who ask see the same
				key = fmt.Sprint(o.Address, one)
			}
			if one != flux || told[key] {
				continue
			}
			told[key] = true
			f := record.Finding{Severity: record.Error, Subject: "address " + o.Address.String(), Want: "one answer", Consequence: "connections to it stall, or end at the wrong machine"}
			for _, p := range o.Proofs {
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
			}
			who := w.owners(o.Answers)
			f.Have = fmt.Sprintf("on the network of %s, %s, %s answer for it", h.Name, o.Interface, words(who))
			f.Fix = "look which of them the plan does not give it to, and take it away there: ip address del " + o.Address.String() + "/PREFIX dev NAME"
			f.Undo = "ip address add with the same words"
			switch {
			case o.Own:
				f.Want = "no answer: the address is " + h.Name + "'s own"
				f.Have = fmt.Sprintf("%s has it on %s, and %s there answers for it, too", h.Name, o.Interface, words(who))
			case flux:
				f.Severity = record.Warning
				f.Have = fmt.Sprintf("%s of one host answer for it on the network of %s, %s", words(who), h.Name, o.Interface)
				f.Consequence = "what is meant for one interface comes in on the other, which may be the slower one"
				f.Fix = "on that host: sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2; one subnet for one interface"
				f.Undo = "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0"
			}
			r.found(f, o.Address.String())
		}
	}
}

// oneHost says whether all MAC addresses are of one host whose facts are known.
func (w *World) oneHost(macs []string) bool {
	for _, h := range w.Hosts {
		if !slices.ContainsFunc(macs, func(m string) bool { return macOf(h.Facts, m) == "" }) {
			return true
		}
	}
	return false
}

// owners names MAC addresses by the interfaces that have them, where they are known.
func (w *World) owners(macs []string) (out []string) {
	for _, m := range macs {
		name := m
		for _, h := range w.Hosts {
			if nic := macOf(h.Facts, m); nic != "" {
				name = fmt.Sprintf("%s (%s: %s)", m, h.Name, nic)
			}
		}
		out = append(out, name)
	}
	return out
}

// macOf is the interface with a MAC address; empty: none has it.
func macOf(f *facts.Facts, mac string) string {
	for i := range f.NICs {
		if strings.EqualFold(f.NICs[i].MAC, mac) {
			return f.NICs[i].Name
		}
	}
	return ""
}

// answeredElsewhere looks at the answers to ARP that hosts keep: one by another machine than the one that has the address, of which the facts
// are known, is a duplicate address.
func answeredElsewhere(w *World, r *report) {
	for _, h := range w.Hosts {
		for _, n := range h.Facts.Neighbours {
			if !n.Fresh() {
				continue
			}
			for p := range w.ports() {
				on := p.addressed()
				if p.host == h || on == nil || on.MAC == "" || p.port.Address.Addr() != n.Address || !slices.Contains(on.Addresses, p.port.Address) || macOf(p.host.Facts, n.MAC) != "" {
					continue
				}
				from, ok := w.over(h, n.Address)
				if !ok || from.addressed() == nil || from.addressed().Name != n.Interface {
					continue // it is reached over another network, where a router may answer
				}
				who := w.owners([]string{n.MAC})[0]
				r.found(record.Finding{
					Severity: record.Error, Subject: "address " + n.Address.String(), Have: fmt.Sprintf("%s has it, and on the network of %s, %s, %s answered for it", p.host.Name+": "+on.Name, h.Name, n.Interface, who),
					Want:        "an answer of " + on.MAC + ", whose address it is",
					Consequence: "what is sent to it arrives at another machine: connections to it fail, stall, or break",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "ip neigh", Line: n.Line}, {Host: p.host.Name, Source: "ip link", Line: fmt.Sprintf("%s: link/ether %s, has %s", on.Name, on.MAC, n.Address)}},
					Fix: fmt.Sprintf("find the port with %s in the switch's table of addresses (bridge fdb show, show mac address-table), and take the address away there: ip address del %s dev NAME; then on %s: ip neigh flush dev %s",
						n.MAC, p.port.Address, h.Name, n.Interface),
					Undo: "ip address add with the same words",
				}, n.Address.String())
			}
		}
	}
}
