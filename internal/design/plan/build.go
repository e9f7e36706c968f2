package plan

import (
	"fmt"
	"sort"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
)

// builder collects what the steps of Build need of each other.
type builder struct {
	f     *fabric.Fabric
	p     *Plan
	ports map[string]*Port // by id
	// owner is the port that carries the address of a port: itself, or the bond
	// that it is a member of.
	owner map[string]*Port
	alloc *allocator
}

// Build makes the fabric concrete. What would not work stands in Problems; the
// plan is complete in every other respect.
func Build(f *fabric.Fabric) *Plan {
	b := &builder{
		f:     f,
		p:     &Plan{Name: f.Name, Variant: f.Variant, MTU: f.MTU, Fabric: f, qos: qosOf(f)},
		ports: map[string]*Port{},
		owner: map[string]*Port{},
	}
	b.p.index = newIndex()
	b.hosts()
	b.links()
	b.loops()
	b.addresses()
	b.virtual()
	b.names()
	b.labels()
	b.settings()
	b.p.BOM = bill(b.p)
	b.p.Problems = b.p.problems()
	sort.SliceStable(b.p.Problems, func(i, j int) bool { return b.p.Problems[i].Severity.Rank() < b.p.Problems[j].Severity.Rank() })
	return b.p
}

// hosts makes every port of every card, plugged or not, and the bonds over them.
func (b *builder) hosts() {
	for _, d := range b.f.Hosts {
		h := &Host{Name: d.Name, OS: d.OS, Reach: d.Reach, Decl: d}
		for _, n := range d.NICs {
			b.cardPorts(h, n)
		}
		for _, bond := range d.Bonds {
			p := &Port{ID: d.Name + "." + bond.Name, Host: d.Name, Card: bond.Name, Index: 1, Interface: interfaceName(h, bond.Name, 0), MTU: b.f.MTU}
			for _, m := range bond.Of {
				if member := b.ports[m.String()]; member != nil {
					b.owner[member.ID] = p
				}
			}
			b.addPort(h, p)
		}
		b.p.Hosts = append(b.p.Hosts, h)
		b.p.index.hosts[h.Name] = h
	}
	for _, s := range b.f.Switches {
		sw := &Switch{Name: s.Name, OS: s.OS, Reach: s.Reach, Part: s.Part, Decl: s}
		b.p.Switches = append(b.p.Switches, sw)
		b.p.index.switches[s.Name] = sw
	}
}

func (b *builder) cardPorts(h *Host, n *fabric.NIC) {
	count := cardPortCount(n)
	for i := 1; i <= count; i++ {
		p := &Port{
			ID: fabric.Port{Host: h.Name, Card: n.Name, Index: i}.String(), Host: h.Name, Card: n.Name, Index: i,
			Part: n.Part, Slot: n.Slot, Speed: cardSpeed(n, i), RDMA: cardRDMA(n), MTU: b.f.MTU,
		}
		if count == 1 {
			p.ID = h.Name + "." + n.Name
		}
		if i <= len(n.Ports) {
			p.Interface, p.Declared = n.Ports[i-1], true
		} else {
			p.Interface = interfaceName(h, n.Name, map[bool]int{true: 0, false: i}[count == 1])
		}
		b.addPort(h, p)
	}
}

// cardRDMA is the RDMA transport that a card is planned for: as its file says, and InfiniBand's own where it works as that.
func cardRDMA(n *fabric.NIC) string {
	switch {
	case n.RDMA == "none":
		return ""
	case n.RDMA == "" && n.Mode == "ib":
		return "ib"
	}
	return n.RDMA
}

func (b *builder) addPort(h *Host, p *Port) {
	h.Ports = append(h.Ports, p)
	b.ports[p.ID] = p
	b.p.index.ports[p.ID] = p
	// Both spellings of a one-port card's port are its name.
	b.ports[fmt.Sprintf("%s.%s.%d", p.Host, p.Card, p.Index)] = p
	if b.owner[p.ID] == nil {
		b.owner[p.ID] = p
	}
}

// interfaceName makes a name that Linux takes (at most 15 bytes) and that no
// other port of the host has. Index 0 leaves the number out.
func interfaceName(h *Host, card string, index int) string {
	taken := map[string]bool{"lo": true}
	for _, p := range h.Ports {
		taken[p.Interface] = true
	}
	suffix := ""
	if index > 0 {
		suffix = fmt.Sprintf("p%d", index)
	}
	base := card
	if len(base)+len(suffix) > 15 {
		base = base[:15-len(suffix)]
	}
	name := base + suffix
	for i := 2; taken[name]; i++ {
		tail := fmt.Sprintf("_%d%s", i, suffix)
		if len(base)+len(tail) > 15 {
			base = base[:15-len(tail)]
		}
		name = base + tail
	}
	return name
}

// vlanInterface names a port's interface for a VLAN as people do, eth0.711, cut to
// what Linux takes.
func vlanInterface(h *Host, base string, vlan int) string {
	taken := map[string]bool{}
	for _, p := range h.Ports {
		taken[p.Interface], taken[p.VLANInterface] = true, true
	}
	tail := fmt.Sprintf(".%d", vlan)
	name := base[:min(len(base), 15-len(tail))] + tail
	for i := 2; taken[name]; i++ {
		more := fmt.Sprintf("_%d%s", i, tail)
		name = base[:min(len(base), 15-len(more))] + more
	}
	return name
}

// slower is the lower of two rates of which either may be unknown (0).
func slower(a, b unit.BitRate) unit.BitRate {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
