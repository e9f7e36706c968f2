package survey

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/device/families"
	"linerate/internal/facts"
)

// Machine is a host with its facts. Name is its name for the fabric file, Connection its connection, as written in the
// file.
type Machine struct {
	Name, Connection string
	Facts            *facts.Facts
}

// Draft is a fabric as far as its hosts show it.
type Draft struct {
	Name    string
	MTU     int // of most links; 0: not known
	Hosts   []*Host
	Nets    []*Net
	Unknown []string // what could not be seen, as sentences

	heard []facts.HeardAt
}

// Host is a machine with the NICs with connections between the machines.
type Host struct {
	Machine
	NICs   []*NIC
	Bonds  []*Bond
	Drives []*Drive
}

// NIC is a device with its interfaces, in the order of its ports.
type NIC struct {
	Name  string // in the file
	Part  *catalog.Part
	Like  []*catalog.Part // parts of the catalogue with the same PCI id, where there are several
	Says  string          // the device's own name; empty: none
	Speed unit.BitRate    // of its fastest port; 0: not known
	Ports []string        // interfaces
	Seen  []string        // the same; a bridge replaces an interface whose address is on it
	Slow  []unit.BitRate  // of each port, where the part supports more; 0: it does not, or it is not known
	RDMA  string          // protocol of its RDMA devices, as written in the file; empty: not requested
}

// Bond is an interface over ports of NICs.
type Bond struct {
	Name, Mode string
	Of         []string // HOST's NIC.PORT
}

// Net is a network in which two or more of the machines have an address.
type Net struct {
	Range netip.Prefix
	VLAN  int
	// Switch is the name of the switch; empty: none was seen between two ends, which are assumed to share a cable.
	Switch string
	Why    string // the reason for that, or that it is assumed
	Heard  bool   // LLDP reports that it is one cable
	Ends   []*End
	MTU    int          // the smallest of its ends; 0: not known
	Speed  unit.BitRate // of the slowest end; 0: not known
}

// End is a host's port on a network.
type End struct {
	Host    *Host
	Port    string // NIC.PORT, NIC, or a bond
	Address netip.Addr
	MTU     int
	Speed   unit.BitRate
	nic     *facts.Interface // with the address
	lower   *facts.Interface // with the cable
}

// Of drafts a fabric. It removes from the name what a fabric's name must not have.
func Of(name string, machines []Machine, catalog *catalog.Catalog) *Draft {
	d := &Draft{Name: Name(name)}
	d.Hosts = xslices.Map(machines, func(m Machine) *Host { return &Host{Machine: m} })
	d.networks()
	d.leaveOutLone()
	var named []facts.NamedFacts
	for _, m := range machines {
		named = append(named, facts.NamedFacts{Name: m.Name, Facts: m.Facts,
			BridgeInPortID: families.Traits(m.Facts.OS).BridgeInPortID})
	}
	d.heard = facts.Cables(named)
	for _, n := range d.Nets {
		for _, e := range n.Ends {
			e.Port = e.Host.port(e.lower, catalog)
			if e.nic.Kind == "bridge" {
				e.Host.bridged(e.lower.Name, e.nic.Name)
			}
		}
		d.between(n)
	}
	d.mtu()
	return d
}

// networks finds the subnets that machines share, the fastest first, with one interface of each machine.
func (d *Draft) networks() {
	of := map[netip.Prefix]*Net{}
	for _, h := range d.Hosts {
		seen := map[netip.Prefix]bool{}
		for i := range h.Facts.NICs {
			nic := &h.Facts.NICs[i]
			lower, _ := carrier(h.Facts, nic)
			if lower == nil {
				continue
			}
			for _, a := range nic.Addresses {
				p := a.Masked()
				if !measurable(a) || seen[p] {
					continue
				}
				seen[p] = true
				if of[p] == nil {
					of[p] = &Net{Range: p, VLAN: nic.VLAN}
					d.Nets = append(d.Nets, of[p])
				}
				of[p].Ends = append(of[p].Ends, &End{Host: h, Address: a.Addr(), MTU: nic.MTU, Speed: speed(h.Facts, nic, lower),
					nic: nic, lower: lower})
			}
		}
	}
	d.Nets = slices.DeleteFunc(d.Nets, func(n *Net) bool { return len(n.Ends) < 2 })
	taken := map[*Host]map[string]bool{} // interfaces that already have a network: a port has one cable
	for _, h := range d.Hosts {
		taken[h] = map[string]bool{}
	}
	for _, n := range d.Nets {
		n.Speed = n.Ends[0].Speed
		for _, e := range n.Ends {
			n.Speed = min(n.Speed, e.Speed)
			if e.MTU > 0 && (n.MTU == 0 || e.MTU < n.MTU) {
				n.MTU = e.MTU
			}
		}
	}
	slices.SortStableFunc(d.Nets, func(a, b *Net) int {
		return cmp.Or(cmp.Compare(b.Speed, a.Speed), cmp.Compare(boolean(b.Range.Addr().Is4()),
			boolean(a.Range.Addr().Is4())))
	})
	d.Nets = slices.DeleteFunc(d.Nets, func(n *Net) bool {
		n.Ends = slices.DeleteFunc(n.Ends, func(e *End) bool { return taken[e.Host][e.lower.Name] })
		if len(n.Ends) < 2 {
			return true
		}
		for _, e := range n.Ends {
			taken[e.Host][e.lower.Name] = true
		}
		return false
	})
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// measurable reports whether an address can be measured: it is in a network with room for others.
func measurable(a netip.Prefix) bool {
	ip := a.Addr()
	return ip.IsGlobalUnicast() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !a.IsSingleIP()
}

// carrier returns the interface with the cable of an address: the one member of a bridge with a link, the interface
// below a VLAN, or else the interface itself. Nil: there is no cable (a bridge for containers, a tunnel), or no link,
// and why says so.
func carrier(f *facts.Facts, nic *facts.Interface) (lower *facts.Interface, why string) {
	for range 3 {
		if nic.UpKnown && !nic.Up {
			return nil, "switched off"
		}
		if up, known := nic.Carrier.Get(); known && !up {
			return nil, "no link"
		}
		switch {
		case nic.Kind == "bridge":
			var members []*facts.Interface
			var names []string
			for i := range f.NICs {
				m := &f.NICs[i]
				if up, known := m.Carrier.Get(); m.Master != nic.Name || known && !up {
					continue
				}
				names = append(names, m.Name)
				if m.PCI != "" || m.Kind == "bond" || m.Kind == "vlan" {
					members = append(members, m)
				}
			}
			switch {
			case len(names) == 0:
				return nil, "a bridge over nothing with a link"
			case len(members) == 0:
				return nil, "a bridge over " + strings.Join(names, ", ") + ", of which none is a NIC"
			case len(members) > 1:
				return nil, "a bridge over " + strings.Join(names, ", ") + ": in which of them the cable is, is not known"
			}
			nic = members[0]
		case nic.Kind == "vlan" && nic.Lower != "":
			lower := f.NIC(nic.Lower)
			if lower == nil {
				return nil, "a VLAN on " + nic.Lower + ", which is not here"
			}
			nic = lower
		case slices.Contains([]string{"", "veth", "bond"}, nic.Kind):
			return nic, ""
		default:
			return nil, "a " + nic.Kind + " has no cable of its own"
		}
	}
	return nil, "interfaces over interfaces over interfaces"
}

// LeftOut returns the reason why an interface is omitted from drafts; empty: it is not.
func LeftOut(f *facts.Facts, nic *facts.Interface) string {
	_, why := carrier(f, nic)
	return why
}

// speed returns the speed of an interface; 0: not known.
func speed(f *facts.Facts, nic, lower *facts.Interface) unit.BitRate {
	if v := lower.Speed.Or(0); v > 0 {
		return v
	}
	return nic.Speed.Or(0)
}

// between finds what connects the ends of a network, as far as their neighbours show it: by LLDP, or else by answers
// from there.
func (d *Draft) between(n *Net) {
	for _, h := range d.heard {
		for i, e := range n.Ends {
			if h.At.Machine != e.Host.Name || h.At.Port != e.lower.Name || !h.Alone {
				continue
			}
			if other := n.Ends[len(n.Ends)-1-i]; len(n.Ends) == 2 && h.To.Machine == other.Host.Name &&
				h.To.Port == other.lower.Name {
				n.Why, n.Heard = e.Host.Name+" hears "+other.Host.Name+" by LLDP", true
				return
			}
			if h.To.Machine == "" && !h.Several {
				d.Through(n, e.Host.Name+" hears "+h.Neighbour.System+" by LLDP")
				if name := Name(h.Neighbour.System); h.Neighbour.System != "" && !d.host(name) {
					n.Switch = name // which other networks may have, too
				}
				return
			}
		}
	}
	if len(n.Ends) > 2 {
		n.Switch, n.Why = d.unusedSwitch(), "more than two machines are on it"
		return
	}
	own := map[netip.Addr]bool{n.Ends[0].Address: true, n.Ends[1].Address: true}
	for _, e := range n.Ends {
		for _, o := range e.Host.Facts.Neighbours {
			if o.Interface == e.nic.Name && o.Fresh() && n.Range.Contains(o.Address) && !own[o.Address] {
				n.Switch, n.Why = d.unusedSwitch(), e.Host.Name+" has heard "+o.Address.String()+" on it"
				return
			}
		}
	}
	n.Why = "no other machine was heard on it; if a switch is between, write it in"
}

// host reports whether a host has a name.
func (d *Draft) host(name string) bool {
	return slices.ContainsFunc(d.Hosts, func(h *Host) bool { return h.Name == name })
}

// Through inserts a switch between the ends of a network.
func (d *Draft) Through(n *Net, why string) {
	n.Switch, n.Why = d.unusedSwitch(), why
}

// Over makes experiments use the fastest network that two machines share, where they share several.
func (d *Draft) Over(all []*fabric.Experiment) []*fabric.Experiment {
	for _, x := range all {
		var ports []string
		for _, n := range d.Nets {
			has := func(name string) *End {
				i := slices.IndexFunc(n.Ends, func(e *End) bool { return e.Host.Name == name })
				if i < 0 {
					return nil
				}
				return n.Ends[i]
			}
			if from := has(x.From[0]); from != nil && has(x.To[0]) != nil {
				ports = append(ports, from.Host.Name+"."+from.Port)
			}
		}
		if len(ports) > 1 {
			x.Via = ports[:1]
		}
	}
	return all
}

// Between returns the ends of a network, with their addresses.
func (n *Net) Between() string {
	var ends []string
	for _, e := range n.Ends {
		ends = append(ends, fmt.Sprintf("%s %s (%s)", e.Host.Name, e.Address, e.nic.Name))
	}
	return strings.Join(ends, " -- ")
}

// String describes a network in a line: its ends, its addresses, its speed and what connects them.
func (n *Net) String() string {
	between := "a cable"
	if n.Switch != "" {
		between = n.Switch
	}
	text := n.Between() + ", " + between
	if n.Speed > 0 {
		text += ", " + rate(n.Speed) + "b/s"
	} else {
		text += ", speed not known"
	}
	return text
}

func (d *Draft) unusedSwitch() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("switch%d", i)
		if !d.host(name) && !slices.ContainsFunc(d.Nets, func(n *Net) bool { return n.Switch == name }) {
			return name
		}
	}
}

// mtu sets the MTU to that of most networks.
func (d *Draft) mtu() {
	times := map[int]int{}
	for _, n := range d.Nets {
		if n.MTU > 0 {
			times[n.MTU]++
		}
	}
	for v, n := range times {
		if d.MTU == 0 || n > times[d.MTU] || n == times[d.MTU] && v > d.MTU {
			d.MTU = v
		}
	}
}
