package plan

import (
	"encoding/binary"
	"net/netip"

	"linerate/internal/design/fabric"
)

// allocator hands out subnets of the pool and addresses within subnets.
type allocator struct {
	pool netip.Prefix
	bits int
	// taken are the networks that the file names; those within one subnet's size stand in blocks, by that subnet.
	taken  []netip.Prefix
	blocks map[netip.Prefix]bool
	next   uint64 // number of the next subnet: those before it are given out or taken
	used   map[netip.Addr]bool
	after  map[netip.Prefix]netip.Addr // the last address given out in a subnet
}

func newAllocator(f *fabric.Fabric) *allocator {
	a := &allocator{pool: f.Addressing.Pool, bits: f.Addressing.Prefix, used: map[netip.Addr]bool{},
		blocks: map[netip.Prefix]bool{}, after: map[netip.Prefix]netip.Addr{}}
	for _, p := range f.Addressing.Avoid {
		a.take(p)
	}
	for _, s := range f.Subnets {
		if s.Range.IsValid() {
			a.take(s.Range)
		}
	}
	for _, l := range f.Links {
		if p, err := netip.ParsePrefix(l.Subnet); err == nil {
			a.take(p.Masked())
		}
		for _, ip := range l.Addresses {
			a.used[ip] = true
		}
	}
	return a
}

// take leaves a network alone.
func (a *allocator) take(p netip.Prefix) {
	if p.Bits() >= a.bits {
		if block, err := p.Addr().Prefix(a.bits); err == nil {
			a.blocks[block] = true
			return
		}
	}
	a.taken = append(a.taken, p)
}

// subnet returns the first free subnet of the pool; false when the pool is used
// up. The pool's very first is left out, so that 10.20.1.0/24 is the first
// link: people count links from one.
func (a *allocator) subnet() (netip.Prefix, bool) {
	if !a.pool.IsValid() || a.bits < a.pool.Bits() {
		return netip.Prefix{}, false
	}
	if a.bits > a.pool.Bits() {
		a.next = max(a.next, 1)
	}
	for a.next < 1<<min(a.bits-a.pool.Bits(), 24) {
		p, ok := nth(a.pool, a.bits, a.next)
		if !ok {
			break
		}
		a.next++
		free := !a.blocks[p]
		for _, t := range a.taken {
			free = free && !t.Overlaps(p)
		}
		if free {
			return p, true
		}
	}
	return netip.Prefix{}, false
}

// address returns the first free host address of a subnet.
func (a *allocator) address(p netip.Prefix) (netip.Addr, bool) {
	ip := p.Masked().Addr().Next()
	if last, ok := a.after[p.Masked()]; ok {
		ip = last.Next()
	}
	for i := 0; i < 1<<16 && p.Contains(ip); i, ip = i+1, ip.Next() {
		if ip.Is4() && p.Bits() < 31 && !p.Contains(ip.Next()) {
			break // the broadcast address
		}
		if !a.used[ip] {
			a.used[ip] = true
			a.after[p.Masked()] = ip
			return ip, true
		}
	}
	return netip.Addr{}, false
}

// nth is the n-th subnet of that length within a pool. Only as many bits are
// counted as fit in the upper 64 of an IPv6 address.
func nth(pool netip.Prefix, bits int, n uint64) (netip.Prefix, bool) {
	base := pool.Masked().Addr()
	if base.Is4() {
		b := base.As4()
		v := uint64(binary.BigEndian.Uint32(b[:])) + n<<(32-bits)
		if v > 1<<32-1 {
			return netip.Prefix{}, false
		}
		binary.BigEndian.PutUint32(b[:], uint32(v))
		p := netip.PrefixFrom(netip.AddrFrom4(b), bits)
		return p, pool.Contains(p.Addr())
	}
	if bits > 64 {
		return netip.Prefix{}, false
	}
	b := base.As16()
	binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])+n<<(64-bits))
	p := netip.PrefixFrom(netip.AddrFrom16(b), bits)
	return p, pool.Contains(p.Addr())
}

// addresses gives every link its subnet and every plugged port its address.
func (b *builder) addresses() {
	b.alloc = newAllocator(b.f)
	named := map[string]fabric.Subnet{}
	for _, s := range b.f.Subnets {
		named[s.Name] = s
	}
	shared := map[string]netip.Prefix{} // by subnet name, or the switches that are joined
	group := b.switchGroups()
	for i, l := range b.p.Links {
		d := b.f.Links[i]
		key := firstOf(d.Subnet, b.bondSubnet(l))
		if s, ok := named[key]; ok {
			l.VLAN = s.VLAN
			if s.Range.IsValid() {
				shared[key] = s.Range.Masked()
			}
		} else if p, err := netip.ParsePrefix(key); err == nil {
			shared[key] = p.Masked()
		} else if sw := l.Ends[0].Switch + l.Ends[1].Switch; sw != "" {
			key = "switch " + group[firstOf(l.Ends[0].Switch, l.Ends[1].Switch)]
		} else {
			key = "link " + l.Name
		}
		subnet, ok := shared[key]
		if !ok {
			if subnet, ok = b.alloc.subnet(); !ok {
				continue // the rule address-pool-full says so
			}
			shared[key] = subnet
		}
		l.Subnet = subnet
		b.endAddresses(l, d)
	}
	b.switchVLANs()
}

// bondSubnet is the subnet that the file gives the bond which a link's end is in.
func (b *builder) bondSubnet(l *Link) string {
	for _, e := range l.Ends {
		o := b.owner[e.ID]
		if o == nil || o.ID == e.ID {
			continue
		}
		for _, bond := range b.p.Host(o.Host).Decl.Bonds {
			if bond.Name == o.Card {
				return bond.Subnet
			}
		}
	}
	return ""
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// endAddresses gives the host ends of a link their addresses: those the file
// lists first, then the next free ones. A bond gets one for all its members.
func (b *builder) endAddresses(l *Link, d *fabric.Link) {
	listed := d.Addresses
	for _, e := range l.Ends {
		if e.Host == "" {
			continue
		}
		p := b.owner[e.ID]
		if p == nil {
			continue
		}
		var ip netip.Addr
		if len(listed) > 0 {
			ip, listed = listed[0], listed[1:]
		} else if p.Address.IsValid() {
			continue
		} else {
			var ok bool
			if ip, ok = b.alloc.address(l.Subnet); !ok {
				continue // the rule subnet-full says so
			}
		}
		p.Address = netip.PrefixFrom(ip, l.Subnet.Bits())
		b.tag(p, l)
	}
}

// tag gives a port of a tagged subnet the interface that has its address.
func (b *builder) tag(p *Port, l *Link) {
	if l.VLAN != 0 {
		p.VLAN, p.VLANInterface = l.VLAN, vlanInterface(b.p.Host(p.Host), p.Interface, l.VLAN)
	}
}

// switchGroups names, for every switch, the first of all switches that links
// join it with: those share one subnet.
func (b *builder) switchGroups() map[string]string {
	group := map[string]string{}
	for _, s := range b.p.Switches {
		if group[s.Name] != "" {
			continue
		}
		members, low := []string{s.Name}, s.Name
		group[s.Name] = s.Name
		for i := 0; i < len(members); i++ {
			for _, j := range b.p.index.joins[members[i]] {
				if group[j.next] == "" {
					group[j.next] = s.Name
					members, low = append(members, j.next), min(low, j.next)
				}
			}
		}
		for _, m := range members {
			group[m] = low
		}
	}
	return group
}

func (b *builder) switchVLANs() {
	for _, s := range b.p.Switches {
		for i := range s.Ports {
			if l := b.p.Link(s.Ports[i].Link); l != nil {
				s.Ports[i].VLAN = l.VLAN
			}
		}
	}
}

// virtual gives the functions of virtual machines an address in the subnet of
// the port that they are functions of.
func (b *builder) virtual() {
	for _, h := range b.p.Hosts {
		for _, n := range h.Decl.NICs {
			parent := b.owner[n.VF]
			if n.VF == "" {
				continue
			}
			if parent == nil && b.ports[n.VF] != nil {
				parent = b.owner[b.ports[n.VF].ID]
			}
			p := b.ports[h.Name+"."+n.Name]
			if parent == nil || p == nil || p.Address.IsValid() {
				continue
			}
			p.Link, p.MTU, p.Speed = parent.Link, parent.MTU, parent.Speed
			l := b.p.Link(parent.Link)
			if l == nil || !l.Subnet.IsValid() {
				continue
			}
			if ip, ok := b.alloc.address(l.Subnet); ok {
				p.Address = netip.PrefixFrom(ip, l.Subnet.Bits())
				b.tag(p, l)
			}
		}
	}
}
