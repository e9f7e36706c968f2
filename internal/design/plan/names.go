package plan

import (
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// namedHosts is the number of hosts up to which hosts files are the default: those of n hosts have n(n-1) lines.
const namedHosts = 64

// names makes the hosts files, unless the fabric has so many hosts that the file must ask for them.
func (b *builder) names() {
	if len(b.p.Hosts) > namedHosts && b.f.Addressing.Names == "" {
		return // the rule hosts-files reports it
	}
	domains := map[netip.Prefix][]*Port{}
	for _, h := range b.p.Hosts {
		for _, port := range h.Ports {
			if port.Address.IsValid() {
				domains[port.Address.Masked()] = append(domains[port.Address.Masked()], port)
			}
		}
	}
	for _, h := range b.p.Hosts {
		b.hostsFile(h, domains)
	}
}

// hostsFile makes the hosts file of one host. The plain name of a peer is its address on the fastest path; every
// address also has a name of its own.
func (b *builder) hostsFile(h *Host, domains map[netip.Prefix][]*Port) {
	type path struct {
		to    *Port
		speed unit.BitRate
	}
	paths := map[string][]path{} // by peer
	for _, x := range h.Ports {
		if !x.Address.IsValid() {
			continue
		}
		speedTo := b.speedFrom(x)
		for _, y := range domains[x.Address.Masked()] {
			if y.Host == h.Name {
				continue
			}
			if speed, ok := speedTo(y); ok {
				paths[y.Host] = append(paths[y.Host], path{y, speed})
			}
		}
	}
	for _, peer := range b.p.Hosts {
		all, best := paths[peer.Name], -1
		for i, x := range all {
			if best < 0 || x.speed > all[best].speed {
				best = i
			}
		}
		seen := map[netip.Addr]bool{}
		for i, x := range all {
			a := x.to.Address.Addr()
			if seen[a] {
				continue
			}
			seen[a] = true
			names := []string{strings.ReplaceAll(x.to.ID, ".", "-")}
			if i == best {
				names = slices.Insert(names, 0, peer.Name)
			}
			h.Names = append(h.Names, Name{Address: a, Names: names})
		}
	}
}

// speedFrom returns a function with the speed of the path from a port to another in its subnet, as Path.Speed has it;
// false if no links join them.
func (b *builder) speedFrom(x *Port) func(y *Port) (unit.BitRate, bool) {
	lx := b.p.Link(x.Link)
	if lx == nil {
		return func(*Port) (unit.BitRate, bool) { return 0, false }
	}
	var far map[string]unit.BitRate // the slowest link on the path to each switch
	if start := lx.switchEnd(); start != "" {
		far = map[string]unit.BitRate{start: lx.Speed}
		for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
			for _, j := range b.p.index.joins[queue[0]] {
				if _, ok := far[j.next]; !ok {
					far[j.next] = slower(far[queue[0]], j.link.Speed)
					queue = append(queue, j.next)
				}
			}
		}
	}
	return func(y *Port) (unit.BitRate, bool) {
		ly := b.p.Link(y.Link)
		switch {
		case ly == nil:
			return 0, false
		case lx == ly:
			return lx.Speed, true
		}
		speed, ok := far[ly.switchEnd()]
		return slower(speed, ly.Speed), ok && ly.switchEnd() != ""
	}
}
