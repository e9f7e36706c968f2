package address

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Conntrack checks the connection tracking table.
var Conntrack = check.Check{
	ID:     "conntrack-full",
	Title:  "the table of tracked connections",
	Why:    "what finds the table full is dropped: old connections go on, new ones fail",
	Worst:  record.Error,
	Source: "Documentation/networking/nf_conntrack-sysctl.rst; measured in the lab: of 60 new connections 42 failed",
	Look: func(w *check.World, r *check.Report) {
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
				Severity: record.Warning, Subject: h.Subject("connection tracking"), Want: "room for all connections",
				Consequence: "new connections fail or wait for a second try",
				Fix: "sysctl -w net.netfilter.nf_conntrack_max=1048576\nor no tracking of the storage network:\nnft add " +
					"rule inet raw prerouting iifname NAME notrack",
			}
			if most > 0 {
				f.Undo = fmt.Sprintf("sysctl -w net.netfilter.nf_conntrack_max=%.0f", most)
			}
			switch c := h.Facts.Conntrack; {
			case most > 0 && held >= 0.95*most:
				f.Severity = record.Error
				f.Have = fmt.Sprintf("%.0f of %.0f places are taken", held, most)
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: line.Source, Line: line.Line},
					{Host: h.Name, Source: limit.Source, Line: limit.Line}}
			case c != nil && c.Drop+c.EarlyDrop >= 100:
				f.Have = fmt.Sprintf("%s packets found the table full since boot", check.Count(c.Drop+c.EarlyDrop))
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}}
			default:
				i := slices.IndexFunc(h.Facts.Events, func(e facts.Event) bool { return e.What == facts.TableFull })
				if i < 0 {
					continue
				}
				e := h.Facts.Events[i]
				f.Have = fmt.Sprintf("the log says %s times that the table was full", check.Count(uint64(e.Count)))
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}}
			}
			r.Found(f, h.Subject())
		}
	},
}

// ARPFlux checks that hosts do not answer for addresses of other interfaces.
var ARPFlux = check.Check{
	ID:    "arp-flux",
	Title: "answers for addresses of other interfaces",
	Why: "by default Linux answers on every interface for all of its addresses: who asked sends to the interface " +
		"that answered first",
	Worst: record.Warning,
	Source: "Documentation/networking/ip-sysctl.rst: arp_ignore; measured in the lab: 313 MB came in on the fast, the " +
		"answers left by the slow interface",
	Because: []string{"duplicate-subnet"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			var on []check.Port // ports with an address that reach a switch
			for _, p := range w.Plugged(h) {
				if p.Link != nil && p.Port.Address.IsValid() && (p.Link.Ends[0].Switch != "" || p.Link.Ends[1].Switch != "") {
					on = append(on, p)
				}
			}
			all, known := h.Facts.Sysctl("net.ipv4.conf.all.arp_ignore")
			if len(on) < 2 || !known || all != "0" {
				continue
			}
			f := record.Finding{Severity: record.Warning, Want: "net.ipv4.conf.all.arp_ignore=1, as the plan sets",
				Consequence: "where two of them can hear each other's network, what is meant for one comes in on the other",
				Fix:         "sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2",
				Undo:        "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0"}
			var names []string
			var about []record.Subject
			for _, p := range on {
				if v, _ := h.Facts.Sysctl("net.ipv4.conf." + p.Nic.Name + ".arp_ignore"); v == "0" || v == "" {
					names = append(names, p.Nic.Name)
					about = append(about, p.Subject())
				}
			}
			if len(names) < 2 {
				continue
			}
			f.Subject, f.Have = h.Subject(names...), "each answers for the addresses of all (arp_ignore 0)"
			p := h.Facts.Sysctls["net.ipv4.conf.all.arp_ignore"]
			f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}}
			r.Found(f, about...)
		}
		answeredTwice(w, r, true)
	},
}

// Hash checks how a bond spreads connections over its members.
var Hash = check.Check{
	ID:    "hash-polarisation",
	Title: "how a bond spreads connections over its members",
	Why:   "by MAC addresses alone (layer2) all that two hosts say to each other goes over one member",
	Worst: record.Warning,
	Source: "Documentation/networking/bonding.rst: xmit_hash_policy; measured in the lab: 26.8 and 0 MB with layer2, " +
		"22.3 and 25.2 with layer3+4",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			b := p.Nic.Bond
			if b == nil || len(b.Members) < 2 || !b.Spreads() {
				continue
			}
			hash := b.Hash.Or("")
			by := map[string]string{"layer2": "MAC addresses", "vlan+srcmac": "its own MAC address and the VLAN"}[hash]
			if by == "" && (hash == "layer2+3" || hash == "encap2+3") && w.ToOneHost(p.Port) {
				by = "MAC and IP addresses, and all of its cables end at one host"
			}
			if by == "" {
				continue
			}
			r.Found(record.Finding{
				Severity: record.Warning, Subject: p.Subject(), Have: fmt.Sprintf("it spreads by %s (%s)", by, hash),
				Want:     plan.BondHash,
				Evidence: []record.EvidenceLine{{Host: p.Host.Name, Source: b.HashProof.Source, Line: b.HashProof.Line}},
				Consequence: fmt.Sprintf("between two hosts one of its %d members carries all; one connection stays on one "+
					"member with any policy", len(b.Members)),
				Fix:  "ip link set dev " + p.Nic.Name + " type bond xmit_hash_policy " + plan.BondHash,
				Undo: "ip link set dev " + p.Nic.Name + " type bond xmit_hash_policy " + hash,
			}, p.Subject())
		}
	},
}

// Overlay checks for tunnels on the path to a peer.
var Overlay = check.Check{
	ID:     "overlay",
	Title:  "tunnels on the way to a peer",
	Why:    "a tunnel encrypts or wraps each packet on the CPU, and makes it smaller than the link would take",
	Worst:  record.Error,
	Source: "ip-route(8), ip-link(8)",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			if p.Host.Facts.Rules.Or(0) > 0 {
				continue
			}
			for _, peer := range peers(w, p) {
				throughTunnel(w, p, peer, r)
			}
		}
	},
}

// peers returns the ports that a port should reach without a gateway: the one at the other end of its cable, or, with a
// switch, those of other hosts in its subnet.
func peers(w *check.World, p check.Port) (out []*plan.Port) {
	if q := w.Peer(p); q != nil {
		return []*plan.Port{q}
	}
	for _, h := range w.Plan.Hosts {
		for _, q := range h.Ports {
			if h != p.Host.Plan && q.Link != "" && q.Address.IsValid() && p.Port.Address.IsValid() &&
				p.Port.Address.Masked() == q.Address.Masked() {
				out = append(out, q)
			}
		}
	}
	return out
}

// throughTunnel reports that traffic to a peer is sent through a tunnel.
func throughTunnel(w *check.World, p check.Port, peer *plan.Port, r *check.Report) {
	if !peer.Address.IsValid() {
		return
	}
	to := peer.Address.Addr()
	route, ok := p.Host.Facts.RouteTo(to)
	n := p.Host.Facts.NIC(route.Interface)
	if !ok || n == nil || !tunnel(n) || n == p.Addressed() {
		return
	}
	f := record.Finding{
		Severity: record.Error, Subject: record.Subject{Host: p.Host.Name, Peer: peer.Host, Address: to},
		Have: "leaves through the tunnel " + n.Name, Want: "leaves through " + p.Nic.Name,
		Evidence: []record.EvidenceLine{{Host: p.Host.Name, Source: "ip route",
			Line: fmt.Sprintf("%s dev %s", route.Dst, route.Interface)}},
		Consequence: "what the tunnel's CPU work and MTU leave of it; the link " + p.Port.Link + " itself stays idle",
		Fix:         fmt.Sprintf("ip route replace %s dev %s", p.Port.Address.Masked(), p.Nic.Name),
		Undo:        fmt.Sprintf("ip route del %s dev %s", p.Port.Address.Masked(), p.Nic.Name),
	}
	if route.Dst.Bits() > p.Port.Address.Bits() {
		line := fmt.Sprintf("%s dev %s", route.Dst, route.Interface)
		f.Fix, f.Undo = "ip route del "+line, "ip route add "+line
	}
	if n.MTU > 0 {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.Host.Name, Source: "ip link",
			Line: fmt.Sprintf("%s: mtu %d", n.Name, n.MTU)})
	}
	r.Found(f, p.Subject(), record.Subject{Address: to})
}

// tunnel reports whether an interface is a tunnel, by its kind or else by its usual name.
func tunnel(n *facts.Interface) bool {
	switch n.Kind {
	case "wireguard", "vxlan", "geneve", "gre", "gretap", "ip6gre", "ipip", "sit", "tun", "xfrm", "vti":
		return true
	}
	for _, name := range []string{"wg", "tailscale", "zt", "tun", "vxlan", "nebula"} {
		if rest, ok := strings.CutPrefix(n.Name, name); ok && (rest == "" || rest[0] >= '0' && rest[0] <= '9' ||
			name == "zt") {
			return true
		}
	}
	return false
}
