package plan

import (
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"
)

// Speed returns the lowest planned speed of the path's links, with a bond as one link; 0: not known. One connection
// over a bond gets the speed of one member.
func (p Path) Speed() unit.BitRate {
	var r unit.BitRate
	for i, l := range p.Links {
		if b := p.Bundle(i); b != nil {
			r = slower(r, b.Speed())
			continue
		}
		r = slower(r, l.Speed)
	}
	return r
}

// Bundle returns the bond that link i is part of; nil: it is one cable.
func (p Path) Bundle(i int) *Bundle {
	if i >= len(p.Bundles) {
		return nil
	}
	return p.Bundles[i]
}

// Paths lists the paths from one host to another in the order of the file: every pair of ports with addresses in one
// subnet that links join directly or through switches. A bond is one port.
func (p *Plan) Paths(from, to string) []Path {
	a, b := p.Host(from), p.Host(to)
	if a == nil || b == nil || a == b {
		return nil
	}
	var out []Path
	for _, x := range a.Ports {
		for _, y := range b.Ports {
			if !x.Address.IsValid() || !y.Address.IsValid() || x.Address.Masked() != y.Address.Masked() {
				continue
			}
			links, switches, ok := p.route(x, y)
			if ok {
				out = append(out, Path{From: from, To: to, FromPort: x, ToPort: y, Links: links, Switches: switches,
					Bundles: p.bundles(x, y, len(links)), NoTimestamps: [2]bool{a.NoTimestamps(), b.NoTimestamps()}})
			}
		}
	}
	return out
}

// NoTimestamps reports whether TCP of the host's system sends no timestamps by default.
func (h *Host) NoTimestamps() bool {
	system := families.OfHost(h.OS)
	return system != nil && system.Traits.NoTimestamps
}

// Tagged reports whether frames on a link of the path have a VLAN tag.
func (p Path) Tagged() bool {
	return slices.ContainsFunc(p.Links, func(l *Link) bool { return l.VLAN != 0 })
}

// Timestamps reports whether TCP sends timestamps on the path by default, which takes both ends.
func (p Path) Timestamps() bool { return !p.NoTimestamps[0] && !p.NoTimestamps[1] }

// bundles returns the bonds at the ends of a path of so many links.
func (p *Plan) bundles(x, y *Port, links int) []*Bundle {
	if links == 1 {
		if b := p.between(x, y); b != nil {
			return []*Bundle{b}
		}
		return nil
	}
	a, b := p.Bundle(x), p.Bundle(y)
	if links == 0 || a == nil && b == nil {
		return nil
	}
	out := make([]*Bundle, links)
	out[0], out[links-1] = a, b
	return out
}

// route finds the links between two ports: one link, or the shortest chain through switches.
func (p *Plan) route(x, y *Port) (links []*Link, switches []string, ok bool) {
	lx, ly := p.Link(x.Link), p.Link(y.Link)
	if lx == nil || ly == nil {
		return nil, nil, false
	}
	if lx == ly {
		return []*Link{lx}, nil, true
	}
	start, goal := lx.switchEnd(), ly.switchEnd()
	if start == "" || goal == "" {
		return nil, nil, false
	}
	type step struct {
		at   string
		via  *Link
		prev *step
	}
	joins := p.neighbours()
	seen := map[string]bool{start: true}
	queue := []*step{{at: start}}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.at == goal {
			var middle []*Link
			for ; s != nil; s = s.prev {
				switches = append([]string{s.at}, switches...)
				if s.via != nil {
					middle = append([]*Link{s.via}, middle...)
				}
			}
			return append(append([]*Link{lx}, middle...), ly), switches, true
		}
		for _, j := range joins[s.at] {
			if !seen[j.next] {
				seen[j.next] = true
				queue = append(queue, &step{at: j.next, via: j.link, prev: s})
			}
		}
	}
	return nil, nil, false
}

// switchEnd returns the switch of a link between a host and a switch.
func (l *Link) switchEnd() string {
	if l.Ends[0].Host != "" {
		return l.Ends[1].Switch
	}
	return l.Ends[0].Switch
}

// InfiniBand reports whether every link of the path is InfiniBand, over which TCP goes by IPoIB.
func (p Path) InfiniBand() bool {
	return len(p.Links) > 0 && !slices.ContainsFunc(p.Links, func(l *Link) bool { return !l.InfiniBand })
}
