package plan

import (
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
)

// index finds the parts of a plan by their names. Build makes it. A plan that was made or changed by hand is searched.
type index struct {
	hosts    map[string]*Host
	switches map[string]*Switch
	links    map[string]*Link
	ports    map[string]*Port
	// joins are the links of each switch to others, in the order of the file.
	joins map[string][]join
}

// join is a link from one switch to the next.
type join struct {
	link *Link
	next string
}

func newIndex() *index {
	return &index{hosts: map[string]*Host{}, switches: map[string]*Switch{}, links: map[string]*Link{},
		ports: map[string]*Port{}, joins: map[string][]join{}}
}

// Host returns the host of that name, or nil.
func (p *Plan) Host(name string) *Host {
	return find(p.indexed().hosts, p.Hosts, name, func(h *Host) string { return h.Name })
}

// Switch returns the switch of that name, or nil.
func (p *Plan) Switch(name string) *Switch {
	return find(p.indexed().switches, p.Switches, name, func(s *Switch) string { return s.Name })
}

// Link returns the link of that name, or nil.
func (p *Plan) Link(name string) *Link {
	return find(p.indexed().links, p.Links, name, func(l *Link) string { return l.Name })
}

// Port returns the host's port of that id, or nil.
func (p *Plan) Port(id string) *Port {
	if port := p.indexed().ports[id]; port != nil {
		return port
	}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if port.ID == id {
				return port
			}
		}
	}
	return nil
}

// find returns the item of that name from the index, else from the list, or nil.
func find[T any](index map[string]*T, list []*T, name string, nameOf func(*T) string) *T {
	if x := index[name]; x != nil || name == "" {
		return x
	}
	return xslices.First(list, func(x *T) bool { return nameOf(x) == name })
}

func (p *Plan) indexed() *index {
	if p.index == nil {
		return &index{}
	}
	return p.index
}

// neighbours returns the links of each switch to others.
func (p *Plan) neighbours() map[string][]join {
	if p.index != nil {
		return p.index.joins
	}
	x := newIndex()
	for _, l := range p.Links {
		if !l.Loop {
			x.join(l)
		}
	}
	return x.joins
}

func (x *index) join(l *Link) {
	a, b := l.Ends[0].Switch, l.Ends[1].Switch
	if a != "" && b != "" {
		x.joins[a] = append(x.joins[a], join{l, b})
		x.joins[b] = append(x.joins[b], join{l, a})
	}
}

// nic returns the host's NIC of that name as the file has it, or nil.
func nic(h *Host, adapter string) *fabric.NIC {
	if h == nil || h.Decl == nil {
		return nil
	}
	return xslices.First(h.Decl.NICs, func(n *fabric.NIC) bool { return n.Name == adapter })
}
