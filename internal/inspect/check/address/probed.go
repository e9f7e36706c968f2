package address

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// BlackHole checks that packets of the planned MTU reach each peer and come back.
var BlackHole = check.Check{
	ID:    "mtu-black-hole",
	Title: "packets of the planned MTU to each peer and back",
	Why: "where a switch in between takes less than both ends, large packets vanish: connections open, and hang " +
		"with the first data",
	Worst:   record.Error,
	Source:  "ping(8), -M do; measured in the lab: nothing passes, no counter of a bridge moves",
	Because: []string{"mtu", "wrong-nic", "overlay", "no-interface", "link-down"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for _, v := range h.Facts.Probes.Paths {
				through, known := v.Through.Get()
				port, ok := w.Over(h, v.To)
				if !known || through >= v.Asked || !ok || v.Asked > port.Port.MTU {
					continue
				}
				f := record.Finding{
					Severity: record.Error, Subject: w.Way(h, v.To),
					Have:        fmt.Sprintf("ICMP echoes of %d bytes get there and back, of %d none of three did", through, v.Asked),
					Want:        fmt.Sprintf("%d, as the plan has on the way", v.Asked),
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: v.Source, Line: v.Line}},
					Consequence: "connections open and hang with the first large packet; no counter on the way shows it",
					Fix: fmt.Sprintf("raise the MTU of what is between to %d (a switch: its L2 MTU, at the ports of both "+
						"ends), and look at both ends' own: ip link", v.Asked),
					Undo: fmt.Sprintf("the MTU of %d that was there", through),
				}
				if through < smallestMTU {
					f.Have = fmt.Sprintf("only small ICMP echoes get there and back; of %d bytes none of three did", v.Asked)
					f.Undo = "the MTU that was there"
				}
				if v.TooBig {
					f.Fix = fmt.Sprintf("ip link set dev %s mtu %d", port.Nic.Name, v.Asked)
					f.Undo = fmt.Sprintf("ip link set dev %s mtu %d", port.Nic.Name, port.Nic.MTU)
					f.Have = fmt.Sprintf("its own interface takes no packet of %d bytes", v.Asked)
				}
				about := []record.Subject{port.Subject(), {Address: v.To}}
				if at, ok := w.Holding(v.To); ok {
					about = append(about, at)
				}
				r.Found(f, about...)
			}
			notTried(h, "probe mtu ", r)
		}
	},
}

// smallestMTU is the smallest IPv4 packet that a probe tries.
const smallestMTU = 576

// notTried adds the probes that were not made or had no result, and why.
func notTried(h *check.Host, kind string, r *check.Report) {
	for _, u := range h.Facts.Unknown {
		if strings.HasPrefix(u.Subject, kind) {
			r.NotKnown(h.Name+": "+u.Subject, "%s", u.Reason)
		}
	}
}

// answeredTwice examines the ARP answers for an address: two hosts are a duplicate address; two interfaces of one host,
// as far as their MAC addresses are known, are ARP flux.
func answeredTwice(w *check.World, r *check.Report, flux bool) {
	reported := map[string]bool{}
	for _, h := range w.Hosts {
		for _, o := range h.Facts.Probes.Owners {
			if len(o.Answers) == 0 || !o.Own && len(o.Answers) < 2 {
				continue
			}
			one := !o.Own && w.OneHost(o.Answers)
			key := fmt.Sprint(o.Address, o.Own, h.Name)
			if !o.Own { // all probing hosts see the same
				key = fmt.Sprint(o.Address, one)
			}
			if one != flux || reported[key] {
				continue
			}
			reported[key] = true
			f := record.Finding{Severity: record.Error, Subject: record.Subject{Address: o.Address}, Want: "one answer",
				Consequence: "connections to it stall, or end at the wrong machine"}
			for _, p := range o.Proofs {
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
			}
			who := w.Owners(o.Answers)
			f.Have = fmt.Sprintf("on the network of %s, %s, %s answer for it", h.Name, o.Interface, unit.List(who))
			f.Fix = "look which of them the plan does not give it to, and take it away there: ip address del " +
				o.Address.String() + "/PREFIX dev NAME"
			f.Undo = "ip address add with the same words"
			switch {
			case o.Own:
				f.Want = "no answer: the address is " + h.Name + "'s own"
				f.Have = fmt.Sprintf("%s has it on %s, and %s there answers for it, too", h.Name, o.Interface, unit.List(who))
			case flux:
				f.Severity = record.Warning
				f.Have = fmt.Sprintf("%s of one host answer for it on the network of %s, %s", unit.List(who), h.Name, o.Interface)
				f.Consequence = "what is meant for one interface comes in on the other, which may be the slower one"
				f.Fix = "on that host: sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2; one subnet " +
					"for one interface"
				f.Undo = "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0"
			}
			r.Found(f, record.Subject{Address: o.Address})
		}
	}
}

// answeredElsewhere examines the ARP caches of hosts: an answer from a machine other than the owner of the address,
// whose facts are known, is a duplicate address.
func answeredElsewhere(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		for _, n := range h.Facts.Neighbours {
			if !n.Fresh() {
				continue
			}
			for p := range w.Ports() {
				on := p.Addressed()
				if p.Host == h || on == nil || on.MAC == "" || p.Port.Address.Addr() != n.Address ||
					!slices.Contains(on.Addresses, p.Port.Address) || check.MacOf(p.Host.Facts, n.MAC) != "" {
					continue
				}
				from, ok := w.Over(h, n.Address)
				if !ok || from.Addressed() == nil || from.Addressed().Name != n.Interface {
					continue // it is reached over another network, where a router may answer
				}
				who := w.Owners([]string{n.MAC})[0]
				r.Found(record.Finding{
					Severity: record.Error, Subject: record.Subject{Address: n.Address},
					Have: fmt.Sprintf("%s has it, and on the network of %s, %s, %s answered for it", p.Host.Name+": "+on.Name,
						h.Name, n.Interface, who),
					Want:        "an answer of " + on.MAC + ", whose address it is",
					Consequence: "what is sent to it arrives at another machine: connections to it fail, stall, or break",
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: "ip neigh", Line: n.Line},
						{Host: p.Host.Name, Source: "ip link", Line: fmt.Sprintf("%s: link/ether %s, has %s", on.Name, on.MAC,
							n.Address)}},
					Fix: fmt.Sprintf("find the port with %s in the switch's table of addresses (bridge fdb show, show mac "+
						"address-table), and take the address away there: ip address del %s dev NAME; then on %s: ip neigh flush dev %s",
						n.MAC, p.Port.Address, h.Name, n.Interface),
					Undo: "ip address add with the same words",
				}, record.Subject{Address: n.Address})
			}
		}
	}
}
