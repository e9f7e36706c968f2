package plan

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
)

// allocator assigns subnets of the pool and addresses of subnets.
type allocator struct {
	pool netip.Prefix
	bits int
	// taken are the networks that the file names and that are larger than a subnet. blocks are the subnets with the
	// others.
	taken  []netip.Prefix
	blocks map[netip.Prefix]bool
	next   uint64 // number of the next subnet: those before it are assigned or taken
	used   map[netip.Addr]bool
	after  map[netip.Prefix]netip.Addr // the last address assigned in a subnet
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

// take excludes a network from the pool.
func (a *allocator) take(p netip.Prefix) {
	if p.Bits() >= a.bits {
		if block, err := p.Addr().Prefix(a.bits); err == nil {
			a.blocks[block] = true
			return
		}
	}
	a.taken = append(a.taken, p)
}

// subnet returns the first free subnet of the pool; false when the pool is used up. It omits the first of the pool, so
// that 10.20.1.0/24 is link 1.
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
		if !a.blocks[p] && !slices.ContainsFunc(a.taken, p.Overlaps) {
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

// nth returns subnet n of a length within a pool; of IPv6 at most 64 bits long.
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
	named := xslices.By(b.f.Subnets, func(s fabric.Subnet) string { return s.Name })
	shared := map[string]netip.Prefix{} // by subnet name, or the switches that are joined
	group := b.switchGroups()
	for i, l := range b.p.Links {
		d := b.f.Links[i]
		key := cmp.Or(d.Subnet, b.bondSubnet(l))
		if s, ok := named[key]; ok {
			l.VLAN = s.VLAN
			if s.Range.IsValid() {
				shared[key] = s.Range.Masked()
			}
		} else if p, err := netip.ParsePrefix(key); err == nil {
			shared[key] = p.Masked()
		} else if sw := l.Ends[0].Switch + l.Ends[1].Switch; sw != "" {
			key = "switch " + group[cmp.Or(l.Ends[0].Switch, l.Ends[1].Switch)]
		} else {
			key = "link " + l.Name
		}
		subnet, ok := shared[key]
		if !ok {
			if subnet, ok = b.alloc.subnet(); !ok {
				continue // the rule address-pool-full reports it
			}
			shared[key] = subnet
		}
		l.Subnet = subnet
		b.endAddresses(l, d)
	}
	b.switchVLANs()
}

// bondSubnet returns the subnet that the file gives the bond of a link's end.
func (b *builder) bondSubnet(l *Link) string {
	for _, e := range l.Ends {
		if o := b.owner[e.ID]; o != nil && o.ID != e.ID {
			if bond := bondNamed(b.p.Host(o.Host), o.NIC); bond != nil {
				return bond.Subnet
			}
		}
	}
	return ""
}

// endAddresses gives the host ends of a link their addresses: first those of the file, then the next free ones. A bond
// gets one for all its members.
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
		} else if !p.Address.IsValid() {
			ip, _ = b.alloc.address(l.Subnet) // the rule subnet-full reports that there is none
		}
		b.setAddress(p, l, ip)
	}
}

// setAddress gives a port an address on a link, and in a tagged subnet the interface for it.
func (b *builder) setAddress(p *Port, l *Link, ip netip.Addr) {
	if !ip.IsValid() {
		return
	}
	p.Address = netip.PrefixFrom(ip, l.Subnet.Bits())
	if l.VLAN != 0 {
		p.VLAN, p.VLANInterface = l.VLAN, vlanInterface(b.p.Host(p.Host), p.Interface, l.VLAN)
	}
}

// switchGroups returns, for every switch, the first by name of all switches that links join it with: they share a
// subnet.
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

// virtual gives the virtual functions of machines an address in the subnet of their parent port.
func (b *builder) virtual() {
	for _, h := range b.p.Hosts {
		for _, n := range h.Decl.NICs {
			if n.VF == "" {
				continue
			}
			parent := b.owner[n.VF]
			if parent == nil && b.ports[n.VF] != nil {
				parent = b.owner[b.ports[n.VF].ID]
			}
			p := b.ports[h.Name+"."+n.Name]
			if parent == nil || p == nil || p.Address.IsValid() {
				continue
			}
			p.Link, p.MTU, p.Speed = parent.Link, parent.MTU, parent.Speed
			if l := b.p.Link(parent.Link); l != nil && l.Subnet.IsValid() {
				ip, _ := b.alloc.address(l.Subnet)
				b.setAddress(p, l, ip)
			}
		}
	}
}
