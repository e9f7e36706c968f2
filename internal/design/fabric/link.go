package fabric

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
)

// linkItem is one entry of links.
type linkItem struct {
	f    *fields
	node *node
	nr   int // from 0, in the order of the file
}

// made is a link with its entry.
type made struct {
	link *Link
	nr   int
}

func (d *decoder) allLinks(items []*node) {
	var meshes []linkItem
	var links []made
	for i, n := range items {
		if d.src.stopped {
			return
		}
		f, ok := d.fields(n, "link", fmt.Sprintf("link %d", i+1), n.at)
		if !ok {
			continue
		}
		item := linkItem{f, n, i}
		switch {
		case f.has("ends") && f.has("mesh"):
			f.bad(diag.KeysConflict, "mesh", "a link has either ends or mesh", "", "write them as two entries")
		case f.has("mesh"):
			meshes = append(meshes, item)
		case f.has("ends"):
			links = append(links, d.link(item)...)
		default:
			f.bad(diag.KeyMissing, "ends", "missing key ends", "", "write ends: [HOST.NIC.PORT, HOST.NIC.PORT], or "+
				"mesh: [HOST, HOST, HOST]")
		}
	}
	// a mesh uses the ports that other links leave free, wherever it is in the file
	for _, item := range meshes {
		links = append(links, d.mesh(item, links)...)
	}
	slices.SortStableFunc(links, func(a, b made) int { return cmp.Compare(a.nr, b.nr) })
	names := map[string]At{}
	for _, m := range links {
		l := m.link
		if at, ok := names[l.Name]; ok {
			d.bad(diag.NameTwice, l.At, "link "+l.Name, fmt.Sprintf("two links are called %s, the first in line %d", l.Name,
				at.Line),
				"names are unique", "rename one of the two")
			continue
		}
		names[l.Name] = l.At
		d.f.Links = append(d.f.Links, l)
	}
}

// link makes the links of an entry with ends.
func (d *decoder) link(item linkItem) []made {
	f := item.f
	ends := f.get("ends")
	if ends.kind != list || len(ends.items) != 2 || ends.items[0].kind != scalar || ends.items[1].kind != scalar {
		what := ends.describe()
		if ends.kind == list {
			what = fmt.Sprintf("a list of %d", len(ends.items))
		}
		f.bad(diag.LinkEnds, "ends", "a link has two ends, not "+what, "", "write ends: [HOST.NIC.PORT, HOST.NIC.PORT], and "+
			"ranges in quotes")
		return nil
	}
	f.subject = "link " + strings.Trim(quote(ends.items[0].text+"--"+ends.items[1].text), `"`)
	a, b := d.names(ends.items[0], f.subject), d.names(ends.items[1], f.subject)
	if a == nil || b == nil {
		return nil
	}
	shared := d.linkShared(item)
	var links []made
	for i := range max(len(a), len(b)) {
		if d.tooManyLinks(item) {
			break
		}
		texts := [2]string{a[i%len(a)], b[i%len(b)]}
		l := &Link{At: item.node.at}
		l.Name = texts[0] + "--" + texts[1]
		whole := true
		var at [2]At
		for e, text := range texts {
			at[e] = ends.items[e].at
			p, ok := d.port(text, at[e], f.subject)
			l.Ends[e] = p
			whole = whole && ok
		}
		if whole {
			l.Name = l.Ends[0].String() + "--" + l.Ends[1].String()
		}
		st := step{i, max(len(a), len(b))}
		d.linkKeys(item, l, shared, st)
		if !whole {
			continue
		}
		if l.Ends[0] == l.Ends[1] || l.Ends[0].Host != "" && l.Ends[0].Host == l.Ends[1].Host ||
			l.Ends[0].Switch != "" && l.Ends[0].Switch == l.Ends[1].Switch {
			d.bad(diag.LinkEnds, at[1], "link "+l.Name, "both ends are on the same device", "a cable joins two devices",
				"name a port of another "+
					"host or switch")
			continue
		}
		for e, p := range l.Ends {
			d.plug(p, "link "+l.Name, at[e])
		}
		d.finish(item, l, at)
		links = append(links, made{l, item.nr})
	}
	return links
}

func (d *decoder) tooManyLinks(item linkItem) bool {
	if !d.src.charge(item.node.at, item.node.size) {
		return true
	}
	if d.links++; d.links <= maxLinks {
		return false
	}
	item.f.bad(diag.TooLarge, "ends", fmt.Sprintf("ranges stand for more than %d links", maxLinks),
		"linerate stops at this limit",
		"shorten the ranges")
	d.src.stop()
	return true
}

// linkShared reads what all links of an entry have in common.
func (d *decoder) linkShared(item linkItem) Link {
	f := item.f
	return Link{Note: f.Note, MTU: f.number("mtu", method.MinMTU, method.MaxMTU, 0, "an IP MTU"), Length: f.length(),
		Cable: Item{Price: Price{Origin: PriceUnknown}, Count: 1}}
}

// length reads the distance between the ends of a link, in metres.
func (f *fields) length() float64 {
	v := parsed(f, "length", unit.ParseMetres)
	if v < 0 || v > maxApart || f.has("length") && v == 0 {
		f.bad(diag.ValueNumber, "length", fmt.Sprintf("%g m is not a length", v),
			fmt.Sprintf("ends are more than 0 and up to %d m apart", maxApart), "write length: 8m")
		return 0
	}
	return v
}

// maxApart is the largest distance between the ends of a link, in metres: that of transceivers without amplifiers.
const maxApart = 80000

// linkKeys sets the keys that may have ranges in step with the ends.
func (d *decoder) linkKeys(item linkItem, l *Link, shared Link, st step) {
	f := item.f
	l.Note, l.MTU, l.Cable, l.Length = shared.Note, shared.MTU, shared.Cable, shared.Length
	if n := f.get("cable"); n != nil {
		if c, ok := d.item(n, f.subject+", cable", st); ok {
			if c.Count != 1 {
				d.bad(diag.SettingUnfit, n.at, f.subject, "a link is one cable", "count is for spares",
					"delete count, or write the others under spares")
			}
			l.Cable = c
		}
	}
	if n := f.get("adapter"); n != nil {
		if a, ok := d.item(n, f.subject+", adapter", st); ok {
			l.Adapter = a
			if a.Part != nil && a.Part.Kind != catalog.Adapter {
				d.bad(diag.PartKind, n.at, f.subject, fmt.Sprintf("%s is not an adapter but a %s", a.Part.Name, a.Part.Kind),
					"an adapter has a plug of one form and a cage of another", "write adapter: QSA, or delete it")
				l.Adapter = Item{}
			}
		}
	}
	if n := f.scalar("subnet"); n != nil {
		l.Subnet = d.subnetName(n, f.subject, st)
	}
	if n := f.scalar("name"); n != nil {
		if name, ok := d.pick(n, f.subject, st); ok && d.checkNameText(name, n, "link") {
			l.Name = name
		}
	}
	for _, w := range f.words("addresses") {
		text, ok := d.pick(w, f.subject, st)
		if !ok {
			continue
		}
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" || a.Is4In6() {
			fix := "write 10.0.1.2"
			if i := strings.IndexByte(text, '/'); i > 0 {
				fix = fmt.Sprintf("write %s (the subnet has the prefix)", visible(text[:i]))
			}
			d.bad(diag.AddressInvalid, w.at, f.subject, fmt.Sprintf("%s is not an address", quote(text)),
				"an address has no prefix", fix)
			continue
		}
		l.Addresses = append(l.Addresses, a)
		d.written[l] = append(d.written[l], w.at)
	}
}

// subnetName reads a subnet's name or range.
func (d *decoder) subnetName(n *node, subject string, st step) string {
	text, ok := d.pick(n, subject, st)
	if !ok {
		return ""
	}
	d.src.charge(n.at, (len(d.f.Subnets)+len(d.ranges))/8)
	for _, s := range d.f.Subnets {
		if s.Name == text {
			return text
		}
	}
	if strings.ContainsAny(text, "./:") {
		p, ok := d.rangeOf(&node{text: text, at: n.at}, subject, "subnet")
		if !ok {
			return ""
		}
		for _, r := range d.ranges {
			if r.what == "subnet "+p.String() {
				return p.String() // another link in the same range
			}
		}
		d.addRange(namedRange{what: "subnet " + p.String(), rng: p, at: n.at})
		return p.String()
	}
	names := xslices.Map(d.f.Subnets, func(s Subnet) string { return s.Name })
	fix := "define it under subnets:, or write a range such as 10.0.1.0/24"
	if near := nearest(text, names); near != "" {
		fix = "did you mean " + near + "?"
	}
	d.bad(diag.SubnetUnknown, n.at, subject, fmt.Sprintf("no subnet is called %s", quote(text)),
		"subnets of the file: "+orNone(names), fix)
	return ""
}

// finish checks a link with known ends.
func (d *decoder) finish(item linkItem, l *Link, at [2]At) {
	f := item.f
	hosts := 0
	for e, p := range l.Ends {
		h := d.hosts[p.Host]
		if h == nil {
			continue
		}
		hosts++
		if b := h.bondOf(p); b != nil && hosts <= len(l.Addresses) {
			d.bad(diag.LinkEnds, at[e], "link "+l.Name,
				fmt.Sprintf("%s is in bond %s (line %d) and has no address", p, b.Name, b.At.Line),
				"the bond has the address", "delete addresses, and write subnet: at the bond")
		}
	}
	if len(l.Addresses) > hosts {
		f.bad(diag.LinkEnds, "addresses", fmt.Sprintf("the link has %d addresses for %d ends at hosts", len(l.Addresses),
			hosts),
			"a switch port has no address", "write one address for each host, in the order of ends")
	}
	d.fits(l, at)
}

// addressAt returns the place of a link's address in the file.
func (d *decoder) addressAt(l *Link, i int) At {
	if at, ok := d.written[l]; ok && i < len(at) {
		return at[i]
	}
	return l.At
}

// plugs returns the form factors of a cable's plugs, empty if unknown.
func plugs(cable *catalog.Part) []catalog.Cage {
	if cable == nil || cable.Cable == nil {
		return nil
	}
	return cable.Cable.Ends
}

// anyPlug reports whether one of a cable's plugs fits a cage.
func anyPlug(cable *catalog.Part, cage catalog.Cage) (ok bool, why string) {
	ends := plugs(cable)
	for _, e := range ends {
		if ok, why = catalog.Fits(cage, e); ok {
			return true, ""
		}
	}
	return len(ends) == 0, why
}

// cage returns the form factor of the port at a link's end; empty if unknown.
func (d *decoder) cage(p Port) catalog.Cage {
	var part *catalog.Part
	if s := d.switches[p.Switch]; s != nil {
		part = s.Part
	} else if h := d.hosts[p.Host]; h != nil {
		c := h.nic(p.NIC)
		if b := h.bond(p.NIC); b != nil && len(b.Of) > 0 {
			c, p = h.nic(b.Of[0].NIC), b.Of[0]
		}
		if c != nil {
			part = c.Part
		}
	}
	if part == nil {
		return ""
	}
	port, _, _ := part.Port(p.Index)
	return port.Cage
}

// fitsWith reports whether a plug goes into a cage, directly or with an adapter.
func fitsWith(cage, plug catalog.Cage, adapter *catalog.Part) (ok, with bool, why string) {
	ok, why = catalog.Fits(cage, plug)
	if ok || len(plugs(adapter)) != 2 {
		return ok, false, why
	}
	goesIn, _ := catalog.Fits(cage, adapter.Cable.Ends[0])
	takes, _ := catalog.Fits(adapter.Cable.Ends[1], plug)
	if goesIn && takes {
		return true, true, ""
	}
	return false, false, why
}

// fits reports a cable that does not fit both of its ports, in either orientation.
func (d *decoder) fits(l *Link, at [2]At) {
	cable := l.Cable.Part
	ends := plugs(cable)
	if cable != nil && cable.Kind != catalog.Cable && cable.Kind != catalog.Transceiver && cable.Kind != catalog.Adapter {
		d.bad(diag.PartKind, l.Cable.At, "link "+l.Name, fmt.Sprintf("%s is not a cable but a %s", cable.Name, cable.Kind),
			"a link is a cable",
			"choose a cable or a pair of transceivers")
		return
	}
	if len(ends) == 0 {
		return
	}
	cages := [2]catalog.Cage{d.cage(l.Ends[0]), d.cage(l.Ends[1])}
	try := func(first, second catalog.Cage) (misfit int, why string) {
		ok0, with0, why0 := fitsWith(cages[0], first, l.Adapter.Part)
		ok1, with1, why1 := fitsWith(cages[1], second, l.Adapter.Part)
		switch {
		case ok0 && ok1:
			l.Adapted = [2]bool{with0, with1}
			return -1, ""
		case !ok0:
			return 0, why0
		}
		return 1, why1
	}
	last := ends[len(ends)-1]
	i, why := try(ends[0], last)
	plug := [2]catalog.Cage{ends[0], last}
	if i >= 0 {
		j, otherWhy := try(last, ends[0])
		if j < 0 {
			return
		}
		if j > i { // turned round, one end more fits
			i, why, plug = j, otherWhy, [2]catalog.Cage{last, ends[0]}
		}
	}
	if i < 0 {
		return
	}
	fix := "choose another cable or NIC: linerate parts WORD searches the catalogue"
	if reason, advice, ok := strings.Cut(why, ": "); ok {
		why, fix = reason, advice
	}
	d.bad(diag.CableMisfit, at[i], "link "+l.Name,
		fmt.Sprintf("the %s plug of %s does not fit the %s cage of %s", plug[i], cable.Name, cages[i], l.Ends[i]), why, fix)
}
