package plan

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// builder has the state that the steps of Build share.
type builder struct {
	f     *fabric.Fabric
	p     *Plan
	ports map[string]*Port // by id
	// owner is the port that carries the address of a port: itself, or the bond that it is a member of.
	owner map[string]*Port
	alloc *allocator
}

// Build plans a fabric. What would not work is in Problems; the plan is complete in every other respect.
func Build(f *fabric.Fabric) *Plan {
	b := &builder{f: f, p: &Plan{Name: f.Name, Variant: f.Variant, MTU: f.MTU, Fabric: f, qos: qosOf(f)},
		ports: map[string]*Port{}, owner: map[string]*Port{}}
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
	slices.SortStableFunc(b.p.Problems, func(x, y record.Problem) int { return x.Severity.Rank() - y.Severity.Rank() })
	return b.p
}

// hosts makes every port of every NIC, plugged or not, and the bonds over them.
func (b *builder) hosts() {
	for _, d := range b.f.Hosts {
		h := &Host{Name: d.Name, OS: d.OS, Connection: d.Connection, Decl: d}
		for _, n := range d.NICs {
			b.nicPorts(h, n)
		}
		for _, bond := range d.Bonds {
			p := &Port{ID: d.Name + "." + bond.Name, Host: d.Name, NIC: bond.Name, Index: 1,
				Interface: interfaceName(h, bond.Name, 0), MTU: b.f.MTU}
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
		sw := &Switch{Name: s.Name, OS: s.OS, Connection: s.Connection, Part: s.Part, Decl: s}
		b.p.Switches = append(b.p.Switches, sw)
		b.p.index.switches[s.Name] = sw
	}
}

func (b *builder) nicPorts(h *Host, n *fabric.NIC) {
	count := nicPortCount(n)
	for i := 1; i <= count; i++ {
		p := &Port{ID: fabric.Port{Host: h.Name, NIC: n.Name, Index: i}.String(), Host: h.Name, NIC: n.Name, Index: i,
			Part: n.Part, Slot: n.Slot, Speed: nicSpeed(n, i), RDMA: nicRDMA(n), MTU: b.f.MTU}
		index := i
		if count == 1 {
			p.ID, index = h.Name+"."+n.Name, 0
		}
		if i <= len(n.Ports) {
			p.Interface, p.Declared = n.Ports[i-1], true
		} else {
			p.Interface = interfaceName(h, n.Name, index)
		}
		b.addPort(h, p)
	}
}

// nicRDMA returns the RDMA transport that a NIC is planned for: that of the file, else InfiniBand's own in its mode.
func nicRDMA(n *fabric.NIC) string {
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
	// The port of a NIC with one port has two names.
	b.ports[fmt.Sprintf("%s.%s.%d", p.Host, p.NIC, p.Index)] = p
	if b.owner[p.ID] == nil {
		b.owner[p.ID] = p
	}
}

// interfaceName makes a name for a port of a NIC or a bond. Index 0 omits the number.
func interfaceName(h *Host, adapter string, index int) string {
	suffix := ""
	if index > 0 {
		suffix = fmt.Sprintf("p%d", index)
	}
	return freeName(h, adapter, suffix)
}

// vlanInterface makes the usual name of a port's interface for a VLAN: eth0.711.
func vlanInterface(h *Host, base string, vlan int) string {
	return freeName(h, base, fmt.Sprintf(".%d", vlan))
}

// freeName joins base and suffix to a name that Linux takes (at most 15 bytes) and that no other interface of the host
// has.
func freeName(h *Host, base, suffix string) string {
	taken := map[string]bool{"lo": true}
	for _, p := range h.Ports {
		taken[p.Interface], taken[p.VLANInterface] = true, true
	}
	name := base[:min(len(base), 15-len(suffix))] + suffix
	for i := 2; taken[name]; i++ {
		tail := fmt.Sprintf("_%d%s", i, suffix)
		name = base[:min(len(base), 15-len(tail))] + tail
	}
	return name
}

// slower returns the lower of two rates of which either may be unknown (0).
func slower(a, b unit.BitRate) unit.BitRate {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
