package survey

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device/families"
	"linerate/internal/facts"
)

// port adds the NIC of an interface, and returns the port's name without the host.
func (h *Host) port(nic *facts.Interface, entries *catalog.Catalog) string {
	if nic.Kind == "bond" {
		return h.bond(nic, entries)
	}
	for _, c := range h.NICs {
		if i := slices.Index(c.Ports, nic.Name); i >= 0 {
			return c.portName(i)
		}
	}
	c := h.nic(nic, entries)
	h.NICs = append(h.NICs, c)
	return c.portName(slices.Index(c.Ports, nic.Name))
}

func (c *NIC) portName(i int) string {
	if len(c.Ports) == 1 && (c.Part == nil || len(c.Part.Ports) < 2) {
		return c.Name
	}
	return fmt.Sprintf("%s.%d", c.Name, i+1)
}

// bond adds a bond and its members' NICs. The mode is in the words of the file.
func (h *Host) bond(nic *facts.Interface, entries *catalog.Catalog) string {
	for _, b := range h.Bonds {
		if b.Name == Name(nic.Name) {
			return b.Name
		}
	}
	b := &Bond{Name: Name(nic.Name), Mode: "set"}
	if nic.Bond != nil {
		switch mode := strings.ToLower(nic.Bond.Mode); {
		case strings.Contains(mode, "802.3ad") || strings.Contains(mode, "lacp"):
			b.Mode = "lacp"
		case strings.Contains(mode, "backup") || strings.Contains(mode, "failover"):
			b.Mode = "backup"
		}
	}
	for i := range h.Facts.NICs {
		if m := &h.Facts.NICs[i]; m.Master == nic.Name {
			b.Of = append(b.Of, h.port(m, entries))
		}
	}
	h.Bonds = append(h.Bonds, b)
	return b.Name
}

// nic returns the device of an interface, with all its interfaces: functions of one slot are ports of one NIC.
func (h *Host) nic(nic *facts.Interface, entries *catalog.Catalog) *NIC {
	c := &NIC{Ports: []string{nic.Name}}
	ports := []*facts.Interface{nic}
	if slot := facts.PCISlot(nic.PCI); nic.PCI != "" {
		ports = nil
		for i := range h.Facts.NICs {
			if n := &h.Facts.NICs[i]; n.PCI != "" && facts.PCISlot(n.PCI) == slot && n.Kind == "" {
				ports = append(ports, n)
			}
		}
		slices.SortStableFunc(ports, func(a, b *facts.Interface) int { return strings.Compare(a.PCI, b.PCI) })
		c.Ports = nil
		for _, n := range ports {
			c.Ports = append(c.Ports, n.Name)
		}
		c.known(h.Facts.Device(nic.PCI), entries)
	}
	for _, n := range ports {
		v := n.Speed.Or(0)
		c.Speed = max(c.Speed, v)
	}
	if c.Part != nil {
		for _, n := range ports {
			c.Slow = append(c.Slow, slower(n.Speed.Or(0), c.Part))
		}
	}
	c.Seen = slices.Clone(c.Ports)
	name := Name(c.Ports[0])
	if c.Part != nil {
		name = Name(strings.ToLower(c.Part.ID))
	}
	c.Name = name
	for n := 2; h.uses(c.Name); n++ {
		c.Name = fmt.Sprintf("%s-%d", name, n)
	}
	return c
}

// bridged moves a port's address to the bridge over it.
func (h *Host) bridged(port, bridge string) {
	for _, c := range h.NICs {
		if i := slices.Index(c.Ports, port); i >= 0 {
			c.Seen[i] = bridge
		}
	}
}

func (h *Host) uses(name string) bool {
	return slices.ContainsFunc(h.NICs, func(c *NIC) bool { return c.Name == name }) ||
		slices.ContainsFunc(h.Bonds, func(b *Bond) bool { return b.Name == name })
}

// known finds the part of a device by its PCI id.
func (c *NIC) known(dev *facts.PCIDevice, entries *catalog.Catalog) {
	if dev == nil {
		return
	}
	c.Says = strings.TrimSpace(dev.Name)
	id := dev.Vendor + ":" + dev.Device
	for _, p := range entries.Parts {
		if p.Kind == catalog.NIC && slices.Contains(p.PCIIDs, id) {
			c.Like = append(c.Like, p)
		}
	}
	if len(c.Like) > 1 { // of parts with one chip, those with as many ports, and then the one that the device names
		if same := keep(c.Like, func(p *catalog.Part) bool { return len(p.Ports) == len(c.Ports) }); len(same) > 0 {
			c.Like = same
		}
		if same := xslices.Filter(c.Like, func(p *catalog.Part) bool {
			return slices.ContainsFunc(append([]string{p.ID}, p.Aliases...),
				func(n string) bool { return strings.Contains(strings.ToLower(c.Says), strings.ToLower(n)) })
		}); len(same) > 0 {
			c.Like = same
		}
	}
	if len(c.Like) == 1 && (len(c.Like[0].Ports) == 0 || len(c.Like[0].Ports) >= len(c.Ports)) {
		c.Part, c.Like = c.Like[0], nil
	}
}

func keep(all []*catalog.Part, which func(*catalog.Part) bool) (out []*catalog.Part) {
	for _, p := range all {
		if which(p) {
			out = append(out, p)
		}
	}
	return out
}

// slower returns the speed of a port below that of its part.
func slower(v unit.BitRate, p *catalog.Part) unit.BitRate {
	if n := len(p.Speeds); v > 0 && n > 0 && v < p.Speeds[n-1] && slices.Contains(p.Speeds, v) {
		return v
	}
	return 0
}

// Name turns any text into a name for a fabric file.
func Name(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', b.Len() > 0 && (r == '-' || r == '_'):
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('-')
		}
	}
	name := strings.TrimRight(b.String(), "-_")
	if len(name) > 63 {
		name = strings.TrimRight(name[:63], "-_")
	}
	return cmp.Or(name, "nic")
}

// Drive is storage of a host.
type Drive struct {
	Name   string
	Path   string            // as on its own host; empty: not known
	Mounts map[string]string // as on other hosts, by host
}

// Drive adds a drive to the host, named after its path, or after its mount point. Names of NICs, bonds and drives of a
// host differ.
func (h *Host) Drive(at string) *Drive {
	name := Name(strings.ToLower(path.Base(strings.ReplaceAll(at, `\`, "/"))))
	if name == "nic" { // the path gave no name
		name = "storage"
	}
	d := &Drive{Name: name, Mounts: map[string]string{}}
	for n := 2; h.uses(d.Name) || slices.ContainsFunc(h.Drives, func(o *Drive) bool { return o.Name == d.Name }); n++ {
		d.Name = fmt.Sprintf("%s-%d", name, n)
	}
	h.Drives = append(h.Drives, d)
	return d
}

// place returns the place of a drive, as written in the file.
func (d *Drive) place() string {
	var out []string
	if d.Path != "" {
		out = append(out, "path: "+quoted(d.Path))
	}
	var mounts []string
	for _, host := range slices.Sorted(maps.Keys(d.Mounts)) {
		mounts = append(mounts, host+": "+quoted(d.Mounts[host]))
	}
	if mounts != nil {
		out = append(out, "mounts: {"+strings.Join(mounts, ", ")+"}")
	}
	return strings.Join(out, ", ")
}

// RDMA records the RDMA protocol of the NICs in the file, if both ends of a network of two have RDMA. why is the reason
// where they do not; empty: they do.
func (d *Draft) RDMA(n *Net) (why string) {
	if len(n.Ends) != 2 {
		return "more than two machines are on the network"
	}
	var speaks [2]string
	for i, e := range n.Ends {
		if speaks[i], why = e.rdma(); why != "" {
			return why
		}
	}
	if speaks[0] != speaks[1] {
		return fmt.Sprintf("%s speaks %s, and %s %s", n.Ends[0].Host.Name, speaks[0], n.Ends[1].Host.Name, speaks[1])
	}
	for i, e := range n.Ends {
		for _, c := range e.Host.NICs {
			if slices.Contains(c.Ports, e.lower.Name) {
				c.RDMA = speaks[i]
			}
		}
	}
	return ""
}

// rdma returns the protocol of the RDMA device on an end's interface, as written in the file, or why there is none.
func (e *End) rdma() (speaks, why string) {
	host, f := e.Host.Name, e.Host.Facts
	if !families.Traits(f.OS).Proc {
		return "", fmt.Sprintf("linerate measures it between Linux hosts, and %s is none", host)
	}
	if f.RDMA == nil {
		return "", fmt.Sprintf("whether %s has an RDMA device is not known", host)
	}
	for i := range f.RDMA {
		for _, p := range f.RDMA[i].Ports {
			if name := p.Interface.Or(""); name != e.lower.Name && name != e.nic.Name {
				continue
			}
			if state := p.State.Or(""); state != "" && state != "ACTIVE" {
				return "", fmt.Sprintf("port %d of %s of %s is %s", p.Port, f.RDMA[i].Name, host, strings.ToLower(state))
			}
			return spoken(&f.RDMA[i], &p), ""
		}
	}
	return "", fmt.Sprintf("%s has no RDMA device on %s", host, e.nic.Name)
}

// spoken returns the protocol of a port of an RDMA device.
func spoken(d *facts.RDMADevice, p *facts.RDMAPort) string {
	switch {
	case p.LinkLayer.Or("") == "InfiniBand":
		return "ib"
	case strings.Contains(d.NodeType.Or(""), "RNIC"):
		return "iwarp"
	case len(p.GIDs) > 0 && !slices.ContainsFunc(p.GIDs, func(g facts.GID) bool {
		return strings.Contains(g.Type.Or("RoCE v2"), "v2")
	}):
		return "rocev1"
	}
	return "rocev2"
}

// SetSpeed gives the ends of a network a speed that the system does not say, or replaces the one that it says.
func (d *Draft) SetSpeed(n *Net, v unit.BitRate) error {
	var set []func()
	for _, e := range n.Ends {
		c, i := e.port()
		if c == nil {
			return fmt.Errorf("%s of %s is a bond, and its speed is that of its ports", e.Port, e.Host.Name)
		}
		set = append(set, func() {
			e.Speed, c.Speed = v, v
			if c.Part != nil {
				c.Slow[i] = slower(v, c.Part)
			}
		})
	}
	n.Speed = v
	for _, f := range set {
		f()
	}
	return nil
}

// port returns the NIC of an end and the index of its port; nil: it is a bond.
func (e *End) port() (*NIC, int) {
	for _, c := range e.Host.NICs {
		for i := range c.Ports {
			if e.Port == c.portName(i) {
				return c, i
			}
		}
	}
	return nil, 0
}
