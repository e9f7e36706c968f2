package plan

import (
	"net/netip"
	"strings"

	"linerate/internal/base/unit"
)

// namedHosts is up to how many hosts a fabric has hosts files without being asked:
// with n hosts they have n(n-1) lines.
const namedHosts = 64

// names makes the hosts files, unless there are so many hosts that the file has to ask for them.
func (b *builder) names() {
	if len(b.p.Hosts) > namedHosts && b.f.Addressing.Names == "" {
		return // the rule hosts-files says so
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

// hostsFile makes one host's hosts file: the plain name of a peer is its address
// on the fastest link (or switch) that both share, so that nothing slower is
// taken by accident; every address also has a name of its own.
func (b *builder) hostsFile(h *Host, domains map[netip.Prefix][]*Port) {
	type way struct {
		port  *Port
		speed unit.BitRate
	}
	ways := map[string][]way{}
	for _, x := range h.Ports {
		if !x.Address.IsValid() {
			continue
		}
		reach := b.reach(x)
		for _, y := range domains[x.Address.Masked()] {
			if y.Host == h.Name {
				continue
			}
			if speed, ok := reach(y); ok {
				ways[y.Host] = append(ways[y.Host], way{y, speed})
			}
		}
	}
	for _, peer := range b.p.Hosts {
		all, best := ways[peer.Name], -1
		for i, w := range all {
			if best < 0 || w.speed > all[best].speed {
				best = i
			}
		}
		seen := map[netip.Addr]bool{}
		for i, w := range all {
			a := w.port.Address.Addr()
			if seen[a] {
				continue
			}
			seen[a] = true
			names := []string{}
			if i == best {
				names = append(names, peer.Name)
			}
			names = append(names, strings.ReplaceAll(w.port.ID, ".", "-"))
			h.Names = append(h.Names, Name{Address: a, Names: names})
		}
	}
}

// reach finds the speed of the way from a port to any other in its subnet, as
// Path.Speed has it; false if no links join them.
func (b *builder) reach(x *Port) func(y *Port) (unit.BitRate, bool) {
	lx := b.p.Link(x.Link)
	if lx == nil {
		return func(*Port) (unit.BitRate, bool) { return 0, false }
	}
	var far map[string]unit.BitRate // the slowest link on the way to each switch
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
