package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/report"
)

// identity is the model of an adapter, as far as its PCI ids tell.
type identity struct {
	title string
	note  string       // which parts have these ids, or that none has
	speed unit.BitRate // maximum speed of a port; 0: not known
}

// adapterIdentity looks the adapter up in the catalogue of parts. Several parts may have the same ids.
func adapterIdentity(c *slotAdapter, entries *catalog.Catalog) identity {
	var id identity
	at := ""
	if c.slot != "" {
		at = strings.TrimPrefix(c.slot, "0000:") + "  "
	}
	name, number := "", ""
	for _, d := range c.devices {
		if d.Name != "" && name == "" {
			name = d.Name
		}
		if d.Vendor != "" && d.Device != "" && number == "" {
			number = strings.ToLower(d.Vendor + ":" + d.Device)
		}
	}
	var parts []*catalog.Part
	for _, p := range entries.Parts {
		if number != "" && p.Kind == catalog.NIC && slices.Contains(p.PCIIDs, number) {
			parts = append(parts, p)
		}
	}
	// One chip is on adapters with different numbers of ports. Those with too few are other adapters.
	enough := xslices.Filter(parts, func(p *catalog.Part) bool {
		return len(p.Ports) == 0 || len(p.Ports) >= len(c.devices)
	})
	switch {
	case len(parts) > 0 && len(enough) == 0:
		p := slices.MaxFunc(parts, func(a, b *catalog.Part) int { return len(a.Ports) - len(b.Ports) })
		parts = []*catalog.Part{p}
		id.title = at + cmp.Or(name, p.Family)
		id.note = fmt.Sprintf("a NIC with the chip of %s, %s, and with %d functions in place of %d", p.ID, number,
			len(c.devices), len(p.Ports))
	case len(enough) == 1:
		parts = enough
		p := parts[0]
		id.title = at + cmp.Or(name, p.Name)
		id.note = fmt.Sprintf("%s, or another NIC with the same chip: the number on the bus is %s", p.ID, number)
		id.speed = portSpeed(p)
	case len(parts) == 0:
		id.title = at + name
		switch {
		case number != "":
			id.note = number + " is in no part of the catalogue"
			if name == "" {
				id.title = at + strings.TrimSpace(vendorName(number)+" NIC")
			}
		case name == "" && len(c.ports) > 0:
			id.title = at + "NIC with the driver " + c.ports[0].Driver.Or("not known")
		}
	default:
		parts = enough
		var ids, families []string
		id.speed = portSpeed(parts[0])
		for _, p := range parts {
			ids = append(ids, p.ID)
			families = xslices.AppendNew(families, p.Family)
			if portSpeed(p) != id.speed {
				id.speed = 0
			}
		}
		id.title = at + strings.Join(families, " or ")
		if len(ids) > 4 {
			ids = append(ids[:4], fmt.Sprintf("%d more", len(ids)-4))
		}
		id.note = fmt.Sprintf("one of %s: all have the number %s", strings.Join(ids, ", "), number)
	}
	if len(parts) > 0 && parts[0].Vendor != "" && !strings.Contains(id.title, parts[0].Vendor) {
		id.title = at + parts[0].Vendor + " " + strings.TrimPrefix(id.title, at)
	}
	id.title = cmp.Or(strings.TrimSpace(id.title), "a NIC")
	return id
}

// vendorName is the vendor of a PCI id, of the common ones (https://pci-ids.ucw.cz); empty: another.
func vendorName(number string) string {
	vendor, _, _ := strings.Cut(number, ":")
	return map[string]string{"8086": "Intel", "15b3": "Mellanox", "14e4": "Broadcom", "1af4": "virtio", "15ad": "VMware",
		"1d0f": "Amazon", "1414": "Microsoft", "10ec": "Realtek", "1425": "Chelsio", "1d6a": "Aquantia", "1077": "QLogic",
		"19e5": "Huawei", "10df": "Emulex", "1924": "Solarflare", "1dd8": "Pensando", "1ae0": "Google"}[vendor]
}

// portSpeed is the maximum speed of each port of an adapter; 0: not known, or the ports differ.
func portSpeed(p *catalog.Part) unit.BitRate {
	speeds := slices.Clone(p.Speeds)
	for _, port := range p.Ports {
		speeds = append(speeds, port.Speeds...)
	}
	if len(speeds) == 0 {
		return 0
	}
	return slices.Max(speeds)
}

// machinePort is the display of a port. least is its bottleneck, nil: not known; all: every hop is known.
func machinePort(f *facts.Facts, n *facts.Interface, id identity, p *path.Port, least *record.Hop,
	all bool) (report.MachinePort, portMaxSpeed) {
	out := report.MachinePort{Name: n.Name, NarrowestLink: least == &p.Link && all && len(p.Bus) > 0}
	w := portMaxSpeed{name: n.Name}
	can, from := id.speed, "by the catalogue"
	if fast := facts.Fastest(n.Wire.Supported); fast > 0 {
		can, from = fast, "by its driver"
	}
	out.Link, w.up = linkText(n, can, from)
	add := func(name, text string) { out.Rows = append(out.Rows, report.Named{Name: name, Text: text}) }
	if text := moduleText(f, n); text != "" {
		add("module", text)
	}
	driver := n.Driver.Or(notKnown(n.Driver.Why()))
	if fw, ok := n.Firmware.Get(); ok {
		driver += ", firmware " + fw
	} else {
		driver += "; firmware " + notKnown(n.Firmware.Why())
	}
	add("driver", driver)
	if of, index, ok := f.FunctionOf(n); ok {
		add("function", fmt.Sprintf("%d of %s (SR-IOV)", index, of.Name))
	}
	add("address", addressText(f, n))
	if text := neighbourText(f, n); text != "" {
		add("neighbour", text)
	}
	for _, d := range f.RDMA {
		for _, q := range d.Ports {
			if slices.ContainsFunc(q.GIDs, func(g facts.GID) bool { return g.Interface.Or("") == n.Name }) {
				add("RDMA", d.Name+", "+rdmaPortText(q))
			}
		}
	}
	_, state := n.Carrier.Get()
	w.known = w.up || state || n.UpKnown && !n.Up
	switch {
	case !w.known:
		out.MaximumSpeed = "not known, as the state of its link is not in the snapshot"
		if least := lowest(p.Bus); least != nil {
			out.MaximumSpeed += fmt.Sprintf("; the bus carries %s", least.Rate.Or(0))
		}
	case !w.up:
		out.MaximumSpeed = "nothing as long as it has no link"
		if least := lowest(p.Bus); least != nil {
			out.MaximumSpeed += fmt.Sprintf("; the bus carries %s", least.Rate.Or(0))
		}
	case least == nil:
		out.MaximumSpeed = "not known, as its link's speed is not"
	default:
		w.rate, w.at = least.Rate.Or(0), "its link"
		if least.Kind == "pcie" {
			w.at = "the bus, " + least.Component
		}
		out.MaximumSpeed = fmt.Sprintf("%s of data over TCP with MTU %d; the narrowest place is %s", w.rate, n.MTU, w.at)
		switch {
		case !all && p.Link.Why != "":
			out.MaximumSpeed = fmt.Sprintf("at most %s of data over TCP, which the bus carries; of its link: %s", w.rate,
				notKnown(p.Link.Why))
		case !all:
			out.MaximumSpeed = fmt.Sprintf("at most %s of data over TCP with MTU %d, by what is known; a link of the bus is not",
				w.rate, n.MTU)
		case len(p.Bus) == 0:
			out.MaximumSpeed = fmt.Sprintf(
				"at most %s of data over TCP with MTU %d, which its link carries; what its bus does is not known", w.rate, n.MTU)
		}
	}
	return out, w
}

// linkText is the state of a link, and its speed compared with the port's maximum.
func linkText(n *facts.Interface, can unit.BitRate, from string) (text string, up bool) {
	carrier, known := n.Carrier.Get()
	speed, knownSpeed := n.Speed.Get()
	could := ""
	if can > 0 {
		could = fmt.Sprintf("; the port can %s %s", can, from)
	}
	switch {
	case known && !carrier:
		return "none: nothing is plugged in, or the other end is off" + could, false
	case !known && n.UpKnown && !n.Up:
		return "switched off; " + n.Carrier.Why() + could, false
	}
	text = "up"
	if !known {
		text = "state " + notKnown(n.Carrier.Why())
	}
	if knownSpeed {
		text += " at " + speed.String()
		if can > 0 && speed == can {
			could = ", all that the port can " + from
		}
	} else {
		why := n.Speed.Why()
		if known { // it is up, so that is not the reason
			why = strings.TrimSuffix(why, "; the link may be down")
		}
		text += "; speed " + notKnown(why)
	}
	if d, ok := n.Duplex.Get(); ok {
		text += ", " + d + " duplex"
	}
	if fec := n.Wire.FEC.InEffect(); fec != "" {
		text += ", FEC " + fec
	}
	return text + could, known || knownSpeed
}

// moduleText is the module or cable in a port; empty: it is not known, without a reason.
func moduleText(f *facts.Facts, n *facts.Interface) string {
	o := n.Wire.Optic
	if o == nil {
		if why := whyOf(f, "ethtool -m "+n.Name); why != "" && !strings.HasPrefix(why, "the driver does not offer it") {
			return notKnown(why)
		}
		if n.Wire.Port != "" && n.Wire.Port != "Other" {
			return n.Wire.Port
		}
		return ""
	}
	words := []string{}
	for _, w := range []string{o.Form, o.Vendor, o.Part, strings.Join(o.Types, ", "), o.Length, o.Wavelength} {
		if w != "" && w != "0m" {
			words = append(words, w)
		}
	}
	text := strings.Join(words, " ")
	if t, ok := o.Temperature.Get(); ok {
		text += fmt.Sprintf("; %.0f degrees C", t)
	}
	if len(o.Raised) > 0 {
		text += "; it raises " + unit.Counted(len(o.Raised), "alarm")
	}
	return text
}

func whyOf(f *facts.Facts, source string) string {
	for _, u := range f.Unknown {
		if u.Subject == source {
			return u.Reason
		}
	}
	return ""
}

// maxAddresses is the number of addresses of a port in the report.
const maxAddresses = 4

func addressText(f *facts.Facts, n *facts.Interface) string {
	var list []string
	for _, a := range n.Addresses {
		if !a.Addr().IsLinkLocalUnicast() {
			list = append(list, a.String())
		}
	}
	if len(list) > maxAddresses {
		list = append(list[:maxAddresses], fmt.Sprintf("and %d more", len(list)-maxAddresses))
	}
	text := strings.Join(list, ", ")
	switch {
	case text == "" && n.Master != "":
		text = "none of its own: it is part of " + n.Master
	case text == "" && len(n.Addresses) > 0:
		text = "none but link-local"
	case text == "" && slices.ContainsFunc(f.NICs, func(n facts.Interface) bool { return len(n.Addresses) > 0 }):
		text = "none of its own"
	case text == "":
		text = "none is in the snapshot"
	}
	mtu := "MTU not known"
	if n.MTU > 0 {
		mtu = fmt.Sprintf("MTU %d", n.MTU)
	}
	return text + "; " + mtu
}

// maxOthers is the number of interfaces without an adapter in the report; for a switch maxPorts.
const (
	maxOthers = 12
	maxPorts  = 64
)

// otherInterfaces are virtual interfaces: veth, bridges, VLANs, bonds; for a switch its ports. Those that are down
// without an address, or of unknown state, are only counted.
func otherInterfaces(f *facts.Facts, adapters []*slotAdapter) []report.Named {
	var out []report.Named
	off, bare := 0, 0
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Name == "lo" || isPort(n) ||
			slices.ContainsFunc(adapters, func(c *slotAdapter) bool { return slices.Contains(c.ports, n) }) {
			continue
		}
		if n.UpKnown && !n.Up && len(n.Addresses) == 0 {
			off++
			continue
		}
		text := otherText(f, n)
		if text == "" {
			bare++
			continue
		}
		out = append(out, report.Named{Name: n.Name, Text: text})
	}
	most := maxOthers
	if isSwitch(f) {
		most = maxPorts
	}
	if more := len(out) - most; more > 0 {
		out = append(out[:most],
			report.Named{Name: "..", Text: fmt.Sprintf("and %d more; linerate facts --json has all", more)})
	}
	if off > 0 {
		out = append(out, report.Named{Name: "..", Text: fmt.Sprintf("%d more, switched off and without an address", off)})
	}
	if bare > 0 {
		out = append(out,
			report.Named{Name: "..", Text: fmt.Sprintf("%d of which neither state nor address is in the snapshot", bare)})
	}
	return out
}

// otherText describes an interface without an adapter; empty: its kind, its state and its address are all unknown.
func otherText(f *facts.Facts, n *facts.Interface) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	kind := cmp.Or(n.Kind, n.Driver.Or(""))
	if kind != "" && n.Lower != "" {
		kind += " on " + n.Lower
	}
	if kind != "" {
		add("%s", kind)
	}
	carrier, known := n.Carrier.Get()
	speed, knownSpeed := n.Speed.Get()
	switch {
	case known && !carrier:
		add("no link")
	case knownSpeed && known:
		add("up at %s", speed)
	case knownSpeed:
		add("%s", speed)
	case known && n.Kind == "":
		add("up")
	}
	if o := n.Wire.Optic; o != nil && o.Form+o.Part != "" {
		add("%s", strings.TrimSpace(o.Form+" "+o.Part))
	}
	if len(n.Addresses) > 0 || n.Master != "" || n.MTU > 0 {
		address := addressText(f, n)
		add("%s", strings.TrimSuffix(strings.TrimPrefix(address, "none is in the snapshot; "), "; MTU not known"))
	}
	if len(n.LLDP) > 0 {
		add("cable to %s", neighbourText(f, n))
	}
	for _, q := range n.Qdiscs {
		if r, ok := q.Rate.Get(); ok && q.Parent == "root" {
			add("held to %s by %s", r, q.Kind)
		}
	}
	return strings.Join(words, ", ")
}

// isSwitch reports whether a machine is a switch, whose ports are not adapters.
func isSwitch(f *facts.Facts) bool {
	return families.Commands(f.OS) != nil
}
