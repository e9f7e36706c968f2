package doctor

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts"
)

var topicMTU = Topic{
	ID: "mtu", Why: "an end with a larger MTU sends packets that the other one drops",
	all: func(g *Gathered) []Line {
		var out []Line
		for _, s := range g.shared() {
			low, high := s.ends[0], s.ends[0]
			var all []string
			for _, e := range s.ends {
				if e.nic.MTU < low.nic.MTU {
					low = e
				}
				if e.nic.MTU > high.nic.MTU {
					high = e
				}
				all = append(all, fmt.Sprintf("%s %s %d", e.host.Name, e.nic.Name, e.nic.MTU))
			}
			if low.nic.MTU == high.nic.MTU {
				out = append(out, ok("%s: %d at all %d ends", s.prefix, low.nic.MTU, len(s.ends)))
				continue
			}
			l := problem("%s: %s: UDP and RDMA of the larger size are lost there, and TCP is slower than it could be; give all "+
				"ends one MTU, that of the fabric file if there is one; for %d", s.prefix, strings.Join(all, ", "), high.nic.MTU)
			if l = l.here(low.host.root(setMTU(low, high.nic.MTU))); !low.host.Here {
				l.On = low.host.Name
			}
			out = append(out, l)
		}
		return out
	},
}

// sharedEnd is an interface in a shared subnet.
type sharedEnd struct {
	host *Host
	nic  *facts.Interface
	at   netip.Addr
}

type sharedSubnet struct {
	prefix netip.Prefix
	ends   []sharedEnd
}

// shared returns the subnets that several hosts have interfaces in. Equal addresses do not count: container bridges
// have the same address on every machine.
func (g *Gathered) shared() (out []sharedSubnet) {
	for _, h := range g.Hosts {
		if h.Facts == nil {
			continue
		}
		for i := range h.Facts.NICs {
			n := &h.Facts.NICs[i]
			if n.MTU == 0 || n.UpKnown && !n.Up {
				continue
			}
			for _, a := range n.Addresses {
				if a.Addr().IsLoopback() || a.Addr().IsLinkLocalUnicast() || a.Bits() == a.Addr().BitLen() {
					continue
				}
				at := slices.IndexFunc(out, func(s sharedSubnet) bool { return s.prefix == a.Masked() })
				if at < 0 {
					out, at = append(out, sharedSubnet{prefix: a.Masked()}), len(out)
				}
				out[at].ends = append(out[at].ends, sharedEnd{h, n, a.Addr()})
			}
		}
	}
	out = slices.DeleteFunc(out, func(s sharedSubnet) bool {
		hosts, addresses := map[*Host]bool{}, map[netip.Addr]bool{}
		for _, e := range s.ends {
			hosts[e.host], addresses[e.at] = true, true
		}
		return len(hosts) < 2 || len(addresses) < len(s.ends)
	})
	slices.SortFunc(out, func(a, b sharedSubnet) int {
		return cmp.Or(a.prefix.Addr().Compare(b.prefix.Addr()), cmp.Compare(a.prefix.Bits(), b.prefix.Bits()))
	})
	return out
}

// setMTU returns the command for the host's system.
func setMTU(e sharedEnd, mtu int) string {
	if set := e.host.traits().SetMTU; set != nil {
		return set(e.nic.Name, mtu)
	}
	return fmt.Sprintf("ip link set dev %s mtu %d", e.nic.Name, mtu)
}
