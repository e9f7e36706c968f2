package plan

import "linerate/internal/design/fabric"

// index finds the things of a plan by their names. Build makes it; a plan that
// was put together or changed by hand is searched instead.
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
	return &index{hosts: map[string]*Host{}, switches: map[string]*Switch{}, links: map[string]*Link{}, ports: map[string]*Port{}, joins: map[string][]join{}}
}

// Host returns the host of that name, or nil.
func (p *Plan) Host(name string) *Host {
	if p.index != nil && p.index.hosts[name] != nil {
		return p.index.hosts[name]
	}
	for _, h := range p.Hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// Switch returns the switch of that name, or nil.
func (p *Plan) Switch(name string) *Switch {
	if name == "" || p.index != nil && p.index.switches[name] != nil {
		return p.indexed().switches[name]
	}
	for _, s := range p.Switches {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Link returns the link of that name, or nil.
func (p *Plan) Link(name string) *Link {
	if name == "" || p.index != nil && p.index.links[name] != nil {
		return p.indexed().links[name]
	}
	for _, l := range p.Links {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Port returns the host's port of that id, or nil.
func (p *Plan) Port(id string) *Port {
	if p.index != nil && p.index.ports[id] != nil {
		return p.index.ports[id]
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

// nic returns the host's card of that name as the file has it, or nil.
func nic(h *Host, card string) *fabric.NIC {
	if h == nil || h.Decl == nil {
		return nil
	}
	for _, n := range h.Decl.NICs {
		if n.Name == card {
			return n
		}
	}
	return nil
}
