// Package layout reduces a plan to what a lab builds: hosts as namespaces or guests, switches as bridges, links as veth
// pairs with a shaped rate. It is a pure function of the plan, the same on every system.
package layout

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
)

// Layout is what the init builds: a plan reduced to namespaces, bridges and wires. It is a pure function of the plan.
type Layout struct {
	Fabric string `json:"fabric"`
	Hosts  []Node `json:"hosts"`
	// Switches are namespaces of their own with bridges, so that a command sees a switch as one host.
	Switches []string `json:"switches"`
	Bridges  []Bridge `json:"bridges"`
	Wires    []Wire   `json:"wires"`
	Notes    []Note   `json:"notes"`
}

// Note is a difference from real hardware.
type Note struct {
	Kind    string `json:"kind"` // host, link, port
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// Node is a host: a namespace, or a guest.
type Node struct {
	Name     string         `json:"name"`
	Names    []HostsLine    `json:"names"`
	Settings []plan.Setting `json:"settings"`
	Guest    bool           `json:"guest,omitempty"`   // a whole machine
	System   string         `json:"system,omitempty"`  // the operating system of a guest; empty: programs alone
	RDMA     []RDMAPort     `json:"rdma,omitempty"`    // of a guest
	Because  string         `json:"because,omitempty"` // the needs of experiments, if it is a guest only for them
	// Missing are the sets of modules that a guest needs and the cache does not have.
	Missing []string `json:"lacks,omitempty"`
}

// LACP reports whether an interface is a member of a bond with LACP.
func (n Node) LACP(name string) bool {
	return slices.ContainsFunc(n.Settings, func(s plan.Setting) bool {
		return s.Kind == plan.SetBond && s.Key == "lacp" && slices.Contains(s.Of, name)
	})
}

// RDMAPort is an interface with RDMA.
type RDMAPort struct {
	Interface string `json:"interface"`
	Transport string `json:"transport"` // rocev2, iwarp, .. as in the fabric file
	// InPlace reports whether soft iWARP replaces a transport that kernels cannot emulate. It stands for a host's second
	// model of InfiniBand NIC, so that the two models are also different adapters in the lab.
	InPlace bool `json:"in_place,omitempty"`
}

// HostsLine is one line of a hosts file.
type HostsLine struct {
	Address netip.Addr `json:"address"`
	Names   []string   `json:"names"`
}

// Bridge stands for a switch, for one VLAN of it, or for a NIC's port with virtual functions.
type Bridge struct {
	Switch string `json:"switch,omitempty"` // its namespace; empty: the init's, for a NIC's port
	Name   string `json:"name"`
	Alias  string `json:"alias"`
}

// Wire is a veth pair between two hosts, a host and a bridge, or two bridges.
type Wire struct {
	Link  string       `json:"link"` // name of the plan's link; empty for an unplugged port and a virtual function
	Ends  [2]WireEnd   `json:"ends"`
	Speed unit.BitRate `json:"speed"` // 0: not shaped
	MTU   int          `json:"mtu"`   // of the link, which the shaped rate follows
	Down  bool         `json:"down"`  // the second end stays down: there is no cable
}

func (w Wire) String() string {
	if w.Link != "" {
		return "link " + w.Link
	}
	return "port " + w.Ends[0].Alias
}

// WireEnd is an interface of a host (Host set), of a switch (Host, the switch, and Bridge set), or in the init's
// namespace (Bridge set, or neither for an unplugged port).
type WireEnd struct {
	Host      string `json:"host,omitempty"`
	Bridge    string `json:"bridge,omitempty"`
	Interface string `json:"interface"`
	Alias     string `json:"alias,omitempty"`
	MTU       int    `json:"mtu"`
}

// builder collects a layout.
type builder struct {
	plan    *plan.Plan
	out     Layout
	bridges map[string]string // the bridge's name by what it stands for, "sw1/711" or "n1.ql.1"
	taken   map[string]bool   // interface names in the bridges' namespace
	ports   map[string]*plan.Port
	swports map[string]plan.SwitchPort
}

// New returns the layout of a plan.
func New(p *plan.Plan) *Layout {
	b := &builder{plan: p, bridges: map[string]string{}, taken: map[string]bool{}, ports: map[string]*plan.Port{},
		swports: map[string]plan.SwitchPort{}}
	b.out.Fabric = p.Name
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			b.ports[port.ID] = port
		}
		b.host(h)
	}
	for _, s := range p.Switches {
		b.out.Switches = append(b.out.Switches, s.Name)
		for _, port := range s.Ports {
			b.swports[port.ID] = port
		}
	}
	parents := b.functions()
	for _, l := range p.Links {
		b.link(l, parents)
	}
	for _, h := range p.Hosts {
		b.otherPorts(h, parents)
	}
	return &b.out
}

func (b *builder) host(h *plan.Host) {
	n := Node{Name: h.Name, Settings: slices.Clone(h.Settings)}
	for i, s := range n.Settings {
		n.Settings[i].Interface = InterfaceName(s.Interface)
		n.Settings[i].Of = slices.Clone(s.Of)
		for j, m := range s.Of {
			n.Settings[i].Of[j] = InterfaceName(m)
		}
	}
	n.Names = xslices.Map(h.Names, func(l plan.Name) HostsLine { return HostsLine(l) })
	b.out.Hosts = append(b.out.Hosts, n)
}

// functions returns the ports whose virtual functions are assigned to virtual machines, by the functions' ports.
func (b *builder) functions() map[string]string {
	parents := map[string]string{}
	for _, h := range b.plan.Hosts {
		if h.Decl == nil {
			continue
		}
		for _, nic := range h.Decl.NICs {
			if nic.VF == "" {
				continue
			}
			for _, port := range h.Ports {
				if port.NIC == nic.Name {
					parents[port.ID] = nic.VF
				}
			}
		}
	}
	return parents
}

// hasFunctions reports whether a port is the parent of virtual functions.
func hasFunctions(parents map[string]string, port string) bool {
	return slices.Contains(slices.Collect(maps.Values(parents)), port)
}

// link adds the wires of a cable: one, or one a VLAN between two switches that share several.
func (b *builder) link(l *plan.Link, parents map[string]string) {
	if l.InfiniBand {
		b.note("link", l.Name, "InfiniBand is carried as Ethernet")
	}
	if l.Loop { // without spanning tree, broadcasts would circle forever
		b.note("link", l.Name, "it is left out, because a spanning tree would block it: it closes a loop of switches")
		return
	}
	vlans := []int{l.VLAN}
	if l.Ends[0].Switch != "" && l.Ends[1].Switch != "" {
		vlans = b.trunk(l)
	}
	for i, vlan := range vlans {
		w := Wire{Link: l.Name, Speed: l.Speed, MTU: l.MTU}
		if i > 0 {
			w.Link = fmt.Sprintf("%s (VLAN %d)", l.Name, vlan)
			b.note("link", l.Name, "each VLAN has a wire of its own between the switches, with the link's whole rate")
		}
		for e, end := range l.Ends {
			w.Ends[e] = b.end(end, l, vlan, parents)
		}
		b.out.Wires = append(b.out.Wires, w)
	}
}

func (b *builder) end(e plan.End, l *plan.Link, vlan int, parents map[string]string) WireEnd {
	if e.Switch != "" {
		if port := b.swports[e.ID]; vlan == 0 && port.VLAN != 0 {
			vlan = port.VLAN
		}
		return WireEnd{Host: e.Switch, Bridge: b.switchBridge(e.Switch, vlan), Interface: b.freeName(e.ID),
			Alias: e.ID, MTU: max(b.swports[e.ID].MTU, l.MTU)}
	}
	port := b.ports[e.ID]
	if port == nil { // a plan that Build made has every port that a link names
		return WireEnd{Host: e.Host, Interface: InterfaceName(e.ID), Alias: e.ID, MTU: l.MTU}
	}
	if hasFunctions(parents, port.ID) {
		return WireEnd{Bridge: b.portBridge(port), Interface: b.freeName(port.ID + ".up"), Alias: port.ID, MTU: l.MTU}
	}
	return WireEnd{Host: e.Host, Interface: InterfaceName(port.Interface), Alias: port.ID,
		MTU: cmp.Or(port.MTU, l.MTU, 1500)}
}

// otherPorts adds ports without a cable: virtual functions, ports that carry them, and unplugged ports.
func (b *builder) otherPorts(h *plan.Host, parents map[string]string) {
	for _, port := range h.Ports {
		parent, function := parents[port.ID]
		own := WireEnd{Host: h.Name, Interface: InterfaceName(port.Interface), Alias: port.ID,
			MTU: cmp.Or(port.MTU, b.plan.MTU, 1500)}
		far := WireEnd{Interface: b.freeName(port.ID), Alias: port.ID, MTU: own.MTU}
		switch {
		case function:
			if p := b.ports[parent]; p != nil {
				far.Bridge = b.portBridge(p)
			}
		case hasFunctions(parents, port.ID):
			far.Bridge = b.portBridge(port)
		case port.Link != "" || own.Interface == "" || b.isBond(h, port):
			continue
		}
		b.out.Wires = append(b.out.Wires, Wire{Ends: [2]WireEnd{own, far}, MTU: own.MTU, Down: far.Bridge == ""})
	}
}

// isBond reports whether a port is a bond, which a setting makes.
func (b *builder) isBond(h *plan.Host, port *plan.Port) bool {
	return slices.ContainsFunc(h.Settings, func(s plan.Setting) bool {
		return s.Kind == plan.SetBond && s.Interface == port.Interface
	})
}

// trunk returns the VLANs that a cable between two switches carries: its own, or all that both have.
func (b *builder) trunk(l *plan.Link) []int {
	if l.VLAN != 0 {
		return []int{l.VLAN}
	}
	have := func(name string) (out []int) {
		for _, s := range b.plan.Switches {
			if s.Name != name {
				continue
			}
			for _, p := range s.Ports {
				out = append(out, p.VLAN)
			}
		}
		return out
	}
	far := have(l.Ends[1].Switch)
	vlans := []int{0}
	for _, v := range have(l.Ends[0].Switch) {
		if slices.Contains(far, v) && !slices.Contains(vlans, v) {
			vlans = append(vlans, v)
		}
	}
	return vlans
}

// switchBridge returns the bridge of a switch's VLAN. One bridge for each VLAN needs no VLAN filtering, which kernels
// may not support.
func (b *builder) switchBridge(name string, vlan int) string {
	key, want := fmt.Sprintf("%s/%d", name, vlan), name
	if vlan != 0 {
		want = fmt.Sprintf("%s-v%d", name, vlan)
	}
	return b.bridge(key, name, want, strings.TrimSuffix(fmt.Sprintf("switch %s VLAN %d", name, vlan), " VLAN 0"))
}

func (b *builder) portBridge(port *plan.Port) string {
	if _, ok := b.bridges[port.ID]; !ok {
		b.note("port", port.ID,
			"its virtual functions share a bridge that stands for the NIC's own switch; the rate is limited where the "+
				"cable leaves it")
	}
	return b.bridge(port.ID, "", port.ID+".vf", "port "+port.ID)
}

func (b *builder) bridge(key, of, want, alias string) string {
	if name, ok := b.bridges[key]; ok {
		return name
	}
	name := b.freeName(want)
	b.bridges[key] = name
	b.out.Bridges = append(b.out.Bridges, Bridge{Switch: of, Name: name, Alias: alias})
	return name
}

func (b *builder) note(kind, subject, text string) {
	b.out.Notes = append(b.out.Notes, Note{Kind: kind, Subject: subject, Text: text})
}

// freeName returns an interface name that is free in the bridges' namespace, like want if that fits.
func (b *builder) freeName(want string) string {
	name := InterfaceName(want)
	for i := 1; b.taken[name] || name == "lo"; i++ {
		name = fmt.Sprintf("p%d", len(b.taken)+i)
	}
	b.taken[name] = true
	return name
}

// interfaceLimit is IFNAMSIZ without the final NUL.
const interfaceLimit = 15

// InterfaceName turns a name that another system gave ("Ethernet 4") into one that Linux accepts: at most 15 bytes
// without blanks, slashes and colons. Long names keep their ends, which differ most.
func InterfaceName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r <= ' ' || r == '/' || r == ':' || r == '%' || r > '~':
			return '-'
		}
		return r
	}, name)
	if len(clean) > interfaceLimit {
		clean = clean[:5] + "-" + clean[len(clean)-(interfaceLimit-6):]
	}
	if clean == "." || clean == ".." {
		clean = "dot"
	}
	return clean
}

// NeedsTap reports whether a guest is connected to a namespace or a switch of the lab.
func (l *Layout) NeedsTap() bool {
	guests := map[string]bool{}
	for _, n := range l.Hosts {
		guests[n.Name] = n.Guest
	}
	for _, w := range l.Wires {
		a, b := w.Ends[0], w.Ends[1]
		if guests[b.Host] {
			a, b = b, a
		}
		if guests[a.Host] && !guests[b.Host] && (b.Host != "" || b.Bridge != "") {
			return true
		}
	}
	return false
}
