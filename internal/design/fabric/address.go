package fabric

import (
	"fmt"
	"net/netip"

	"linerate/internal/base/diag"
)

// namedRange is a subnet that the file has a range for, for the overlap check.
type namedRange struct {
	what  string
	rng   netip.Prefix
	at    At
	avoid bool
}

func (d *decoder) addressing(n *node) {
	f, ok := d.fields(n, "addressing", "addressing", n.at)
	if !ok {
		return
	}
	a := &d.f.Addressing
	a.At = n.at
	if p, ok := f.prefix("pool"); ok {
		a.Pool = p
	}
	longest := a.Pool.Addr().BitLen() - 1
	usual := 24
	if !a.Pool.Addr().Is4() {
		usual = 64
	}
	a.Prefix = f.number("prefix", a.Pool.Bits(), longest, max(usual, a.Pool.Bits()), fmt.Sprintf(
		"a link's prefix in the pool %s", a.Pool))
	for _, w := range f.words("avoid") {
		if p, ok := d.rangeOf(w, f.subject, "avoid"); ok {
			a.Avoid = append(a.Avoid, p)
			d.addRange(namedRange{"avoid", p, w.at, true})
		}
	}
	a.Names = f.choice("names", "hosts-file")
}

func (d *decoder) allSubnets(n *node) {
	d.each(n, "subnet", single(), func(name, _ string, p pair, _, st step) {
		f, ok := d.fields(p.value, "subnet", "subnet "+name, p.key.at)
		if !ok {
			return
		}
		s := Subnet{Name: name, At: p.key.at, VLAN: f.number("vlan", 1, 4094, 0, "a VLAN (IEEE 802.1Q)")}
		if w := f.scalar("range"); w != nil {
			if text, ok := d.pick(w, f.subject, st); ok {
				s.Range, ok = d.rangeOf(&node{text: text, at: w.at}, f.subject, "range")
				if ok {
					d.addRange(namedRange{"subnet " + name, s.Range, w.at, false})
				}
			}
		}
		d.src.charge(p.key.at, len(d.f.Subnets)/8)
		for _, other := range d.f.Subnets {
			if s.VLAN != 0 && other.VLAN == s.VLAN {
				f.bad(diag.ValueTwice, "vlan", fmt.Sprintf("subnet %s has VLAN %d too", other.Name, s.VLAN),
					"a VLAN is one network",
					"choose another number, or use one subnet for both")
			}
		}
		d.f.Subnets = append(d.f.Subnets, s)
	})
}

// prefix reads an address range of a key.
func (f *fields) prefix(key string) (netip.Prefix, bool) {
	n := f.scalar(key)
	if n == nil {
		return netip.Prefix{}, false
	}
	return f.d.rangeOf(n, f.subject, key)
}

// rangeOf reads an address range such as 10.0.1.0/24.
func (d *decoder) rangeOf(n *node, subject, key string) (netip.Prefix, bool) {
	p, err := netip.ParsePrefix(n.text)
	switch {
	case err != nil:
		d.bad(diag.AddressInvalid, n.at, subject, fmt.Sprintf("%s is not a range of addresses", quote(n.text)), "",
			"write "+key+": 10.0.1.0/24")
		return p, false
	case p.Masked() != p:
		d.bad(diag.AddressInvalid, n.at, subject, fmt.Sprintf("%s is an address within a range", p),
			"a range begins at its network address",
			"write "+p.Masked().String())
		return p, false
	case p.Addr().IsMulticast() || p.Addr().IsLoopback() || p.Addr().Is4In6():
		d.bad(diag.AddressInvalid, n.at, subject, fmt.Sprintf("%s is reserved", p),
			"it is a loopback, multicast or mapped address", "write a private range such as 10.20.0.0/16")
		return p, false
	case key != "avoid" && p.Bits() >= p.Addr().BitLen():
		d.bad(diag.AddressInvalid, n.at, subject, fmt.Sprintf("%s has room for one address only", p), "a link has two ends",
			"write a shorter prefix such as /30")
		return p, false
	}
	return p, true
}

// addRange adds a range of the file, and reports one that overlaps another.
func (d *decoder) addRange(r namedRange) {
	if !d.src.charge(r.at, len(d.ranges)/8) {
		return
	}
	for _, o := range d.ranges {
		if !o.rng.Overlaps(r.rng) || o.avoid && r.avoid {
			continue
		}
		limit, fix := "subnets have no addresses in common", "choose a range outside of both"
		switch {
		case o.avoid:
			limit = fmt.Sprintf("addressing avoids %s", o.rng)
		case o.rng == r.rng && r.what != o.what:
			fix = "write the name of the subnet at all of its links"
		}
		d.bad(diag.RangesOverlap, r.at, r.what, fmt.Sprintf("%s overlaps %s of %s (line %d)", r.rng, o.rng, o.what,
			o.at.Line), limit, fix)
		return
	}
	d.ranges = append(d.ranges, r)
}

// checkAddresses compares the addresses of links in the file with their subnets and with each other.
func (d *decoder) checkAddresses() {
	type owner struct {
		link string
		line int
	}
	owners := map[netip.Addr]owner{}
	for _, l := range d.f.Links {
		if len(l.Addresses) == 0 {
			continue
		}
		if !d.src.charge(l.At, len(d.f.Subnets)/8) {
			return
		}
		rng, whose := d.linkRange(l)
		if !rng.IsValid() && d.inTwoSubnets(l) {
			continue
		}
		for i, a := range l.Addresses {
			at := d.addressAt(l, i)
			subject := "link " + l.Name
			own := rng
			if !own.IsValid() { // a subnet of the pool: the block with the first address
				if !d.f.Addressing.Pool.Contains(a) {
					d.bad(diag.AddressOutside, at, subject, fmt.Sprintf("the address %s is outside the pool %s", a,
						d.f.Addressing.Pool),
						"links without a subnet use the pool", fmt.Sprintf("choose an address in the pool, or write "+
							"subnet: %s", block(a, 24)))
					continue
				}
				own = block(d.firstInPool(l), d.f.Addressing.Prefix)
				whose = fmt.Sprintf("the link's first address with the prefix %d of addressing", d.f.Addressing.Prefix)
			}
			switch {
			case !own.Contains(a):
				d.bad(diag.AddressOutside, at, subject, fmt.Sprintf("the address %s is outside %s", a, own), "the range of "+whose,
					"choose an address from "+span(own))
			case isNetwork(a, own):
				d.bad(diag.AddressInvalid, at, subject, fmt.Sprintf("%s is the network's own address", a),
					"the first address of "+own.String(),
					"choose an address from "+span(own))
			case isBroadcast(a, own):
				d.bad(diag.AddressInvalid, at, subject, fmt.Sprintf("%s is the broadcast address", a),
					"the last address of "+own.String(),
					"choose an address from "+span(own))
			}
			if o, ok := owners[a]; ok {
				d.bad(diag.AddressTwice, at, subject, fmt.Sprintf("the address %s is used twice, first by link %s (line %d)", a,
					o.link, o.line),
					"an address belongs to one port", "choose another")
				continue
			}
			owners[a] = owner{l.Name, at.Line}
		}
	}
}

// inTwoSubnets reports a link without a subnet whose ends cannot reach each other.
func (d *decoder) inTwoSubnets(l *Link) bool {
	if len(l.Addresses) != 2 {
		return false
	}
	bits := d.f.Addressing.Prefix
	a, b := l.Addresses[0], l.Addresses[1]
	if block(a, bits) == block(b, bits) {
		return false
	}
	one := block(d.firstInPool(l), bits)
	d.bad(diag.AddressOutside, d.addressAt(l, 1), "link "+l.Name,
		fmt.Sprintf("%s and %s are in two subnets", a, b), "the ends of a link are in one subnet",
		fmt.Sprintf("write both addresses from %s, or from another range with subnet: RANGE", span(one)))
	return true
}

// firstInPool returns the address that decides which block of the pool a link has.
func (d *decoder) firstInPool(l *Link) netip.Addr {
	for _, a := range l.Addresses {
		if d.f.Addressing.Pool.Contains(a) {
			return a
		}
	}
	return l.Addresses[0]
}

// linkRange returns the range of a link's subnet in the file; zero if it comes from the pool.
func (d *decoder) linkRange(l *Link) (rng netip.Prefix, whose string) {
	if p, err := netip.ParsePrefix(l.Subnet); err == nil {
		return p, "the link's subnet"
	}
	for _, s := range d.f.Subnets {
		if s.Name == l.Subnet && l.Subnet != "" {
			return s.Range, "subnet " + s.Name
		}
	}
	return netip.Prefix{}, ""
}

func block(a netip.Addr, bits int) netip.Prefix {
	p, err := a.Prefix(min(bits, a.BitLen()))
	if err != nil {
		return netip.PrefixFrom(a, a.BitLen())
	}
	return p
}

// small reports whether a range has no network and broadcast address: /31 (RFC 3021), and IPv6, which has no broadcast.
func small(p netip.Prefix) bool { return !p.Addr().Is4() || p.Bits() >= 31 }

func isNetwork(a netip.Addr, p netip.Prefix) bool { return !small(p) && a == p.Addr() }

func isBroadcast(a netip.Addr, p netip.Prefix) bool {
	return !small(p) && p.Contains(a) && !p.Contains(a.Next())
}

// span prints the first and last host address.
func span(p netip.Prefix) string {
	if small(p) {
		return p.String()
	}
	b := p.Addr().As4()
	for i := p.Bits(); i < 32; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	return fmt.Sprintf("%s to %s", p.Addr().Next(), netip.AddrFrom4(b).Prev())
}
