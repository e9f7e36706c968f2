package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkConntrack = Check{
	ID:     "conntrack-full",
	Title:  "the table of tracked connections",
	Why:    "what finds the table full is dropped: old connections go on, new ones fail",
	Worst:  record.Error,
	Source: "Documentation/networking/nf_conntrack-sysctl.rst; measured in the lab: of 60 new connections 42 failed",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			if h.Facts.Lab != 0 {
				continue // the limit is the machine's, the count the host's
			}
			number := func(name string) (float64, facts.Proof) {
				v, _ := h.Facts.Sysctl("net.netfilter.nf_conntrack_" + name)
				n, err := strconv.ParseFloat(v, 64)
				if err != nil {
					n = 0
				}
				return n, h.Facts.Sysctls["net.netfilter.nf_conntrack_"+name]
			}
			held, line := number("count")
			most, limit := number("max")
			f := record.Finding{
				Severity: record.Warning, Subject: h.Name + ": connection tracking", Want: "room for all connections",
				Consequence: "new connections fail or wait for a second try",
				Fix:         "sysctl -w net.netfilter.nf_conntrack_max=1048576, or no tracking of the storage network: nft add rule inet raw prerouting iifname NAME notrack",
			}
			if most > 0 {
				f.Undo = fmt.Sprintf("sysctl -w net.netfilter.nf_conntrack_max=%.0f", most)
			}
			switch c := h.Facts.Conntrack; {
			case most > 0 && held >= 0.95*most:
				f.Severity = record.Error
				f.Have = fmt.Sprintf("%.0f of %.0f places are taken", held, most)
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: line.Source, Line: line.Line}, {Host: h.Name, Source: limit.Source, Line: limit.Line}}
			case c != nil && c.Drop+c.EarlyDrop >= 100:
				f.Have = fmt.Sprintf("%s packets found the table full since boot", count(c.Drop+c.EarlyDrop))
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}}
			default:
				i := slices.IndexFunc(h.Facts.Events, func(e facts.Event) bool { return e.What == facts.TableFull })
				if i < 0 {
					continue
				}
				e := h.Facts.Events[i]
				f.Have = fmt.Sprintf("the log says %s times that the table was full", count(uint64(e.Count)))
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}}
			}
			r.found(f, h.Name)
		}
	},
}

var checkARPFlux = Check{
	ID:      "arp-flux",
	Title:   "answers for addresses of other interfaces",
	Why:     "by default Linux answers on every interface for all of its addresses: who asked sends to the interface that answered first",
	Worst:   record.Warning,
	Source:  "Documentation/networking/ip-sysctl.rst: arp_ignore; measured in the lab: 313 MB came in on the fast, the answers left by the slow interface",
	Because: []string{"duplicate-subnet"},
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			var on []plugged // ports with an address that reach a switch
			for _, p := range w.plugged(h) {
				if p.link != nil && p.port.Address.IsValid() && (p.link.Ends[0].Switch != "" || p.link.Ends[1].Switch != "") {
					on = append(on, p)
				}
			}
			all, known := h.Facts.Sysctl("net.ipv4.conf.all.arp_ignore")
			if len(on) < 2 || !known || all != "0" {
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Want: "net.ipv4.conf.all.arp_ignore=1, as the plan sets",
				Consequence: "where two of them can hear each other's network, what is meant for one comes in on the other",
				Fix:         "sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2", Undo: "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0",
			}
			var names, subjects []string
			for _, p := range on {
				if v, _ := h.Facts.Sysctl("net.ipv4.conf." + p.nic.Name + ".arp_ignore"); v == "0" || v == "" {
					names = append(names, p.nic.Name)
					subjects = append(subjects, p.subject())
				}
			}
			if len(names) < 2 {
				continue
			}
			f.Subject, f.Have = h.Name+": "+words(names), "each answers for the addresses of all (arp_ignore 0)"
			p := h.Facts.Sysctls["net.ipv4.conf.all.arp_ignore"]
			f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}}
			r.found(f, subjects...)
		}
		answeredTwice(w, r, true)
	},
}

var checkHash = Check{
	ID:     "hash-polarisation",
	Title:  "how a bond spreads connections over its members",
	Why:    "by MAC addresses alone (layer2) all that two hosts say to each other goes over one member",
	Worst:  record.Warning,
	Source: "Documentation/networking/bonding.rst: xmit_hash_policy; measured in the lab: 26.8 and 0 MB with layer2, 22.3 and 25.2 with layer3+4",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			b := p.nic.Bond
			if b == nil || len(b.Members) < 2 || !b.Spreads() {
				continue
			}
			hash := b.Hash.Or("")
			by := map[string]string{"layer2": "MAC addresses", "vlan+srcmac": "its own MAC address and the VLAN"}[hash]
			if by == "" && (hash == "layer2+3" || hash == "encap2+3") && w.toOneHost(p.port) {
				by = "MAC and IP addresses, and all of its cables end at one host"
			}
			if by == "" {
				continue
			}
			r.found(record.Finding{
				Severity: record.Warning, Subject: p.subject(), Have: fmt.Sprintf("it spreads by %s (%s)", by, hash), Want: plan.BondHash,
				Evidence:    []record.EvidenceLine{{Host: p.host.Name, Source: b.HashProof.Source, Line: b.HashProof.Line}},
				Consequence: fmt.Sprintf("between two hosts one of its %d members carries all; one connection stays on one member with any policy", len(b.Members)),
				Fix:         "ip link set dev " + p.nic.Name + " type bond xmit_hash_policy " + plan.BondHash, Undo: "ip link set dev " + p.nic.Name + " type bond xmit_hash_policy " + hash,
			}, p.subject())
		}
	},
}

// toOneHost says whether all cables of a bond end at one other host, so that all packets have the same two addresses.
func (w *World) toOneHost(port *plan.Port) bool {
	b := w.Plan.Bundle(port)
	if b == nil {
		return false
	}
	for _, l := range b.Links {
		if l.Ends[0].Host == "" || l.Ends[1].Host == "" {
			return false
		}
	}
	return true
}

var checkOverlay = Check{
	ID:     "overlay",
	Title:  "tunnels on the way to a peer",
	Why:    "a tunnel encrypts or wraps each packet on the processor, and makes it smaller than the link would take",
	Worst:  record.Error,
	Source: "ip-route(8), ip-link(8)",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			if p.host.Facts.Rules.Or(0) > 0 {
				continue
			}
			for _, peer := range w.peers(p) {
				w.throughTunnel(p, peer, r)
			}
		}
	},
}

// peers are the ports that a port is to reach without a gateway: the one at the other end of its cable, or, behind a switch, those of other hosts
// in its subnet.
func (w *World) peers(p plugged) (out []*plan.Port) {
	if q := w.peer(p); q != nil {
		return []*plan.Port{q}
	}
	for _, h := range w.Plan.Hosts {
		for _, q := range h.Ports {
			if h != p.host.Plan && q.Link != "" && q.Address.IsValid() && p.port.Address.IsValid() && p.port.Address.Masked() == q.Address.Masked() {
				out = append(out, q)
			}
		}
	}
	return out
}

// throughTunnel says that what is for a peer leaves through a tunnel.
func (w *World) throughTunnel(p plugged, peer *plan.Port, r *report) {
	if !peer.Address.IsValid() {
		return
	}
	to := peer.Address.Addr()
	route, ok := p.host.Facts.RouteTo(to)
	n := p.host.Facts.NIC(route.Interface)
	if !ok || n == nil || !tunnel(n) || n == p.addressed() {
		return
	}
	f := record.Finding{
		Severity: record.Error, Subject: fmt.Sprintf("%s: to %s (%s)", p.host.Name, peer.Host, to), Have: "leaves through the tunnel " + n.Name, Want: "leaves through " + p.nic.Name,
		Evidence:    []record.EvidenceLine{{Host: p.host.Name, Source: "ip route", Line: fmt.Sprintf("%s dev %s", route.Dst, route.Interface)}},
		Consequence: "what the tunnel's processor work and MTU leave of it; the link " + p.port.Link + " itself stays idle",
		Fix:         fmt.Sprintf("ip route replace %s dev %s", p.port.Address.Masked(), p.nic.Name), Undo: fmt.Sprintf("ip route del %s dev %s", p.port.Address.Masked(), p.nic.Name),
	}
	if route.Dst.Bits() > p.port.Address.Bits() {
		line := fmt.Sprintf("%s dev %s", route.Dst, route.Interface)
		f.Fix, f.Undo = "ip route del "+line, "ip route add "+line
	}
	if n.MTU > 0 {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.host.Name, Source: "ip link", Line: fmt.Sprintf("%s: mtu %d", n.Name, n.MTU)})
	}
	r.found(f, p.subject(), to.String())
}

// tunnel says whether an interface is one, by its kind, else by the name that its program gives it.
func tunnel(n *facts.Interface) bool {
	switch n.Kind {
	case "wireguard", "vxlan", "geneve", "gre", "gretap", "ip6gre", "ipip", "sit", "tun", "xfrm", "vti":
		return true
	}
	for _, name := range []string{"wg", "tailscale", "zt", "tun", "vxlan", "nebula"} {
		if rest, ok := strings.CutPrefix(n.Name, name); ok && (rest == "" || rest[0] >= '0' && rest[0] <= '9' || name == "zt") {
			return true
		}
	}
	return false
}
