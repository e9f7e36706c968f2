package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

// NamedFacts is the facts of one machine, with the name that the caller uses for it.
type NamedFacts struct {
	Name  string `json:"name"`
	Facts *Facts `json:"facts"`
	// BridgeInPortID reports whether its system prefixes a port's name with the bridge: "bridge1/sfp2".
	BridgeInPortID bool `json:"bridge_in_port_id"`
}

// CableEnd is a port of a machine.
type CableEnd struct {
	Machine string `json:"machine,omitempty"` // of NamedFacts
	Port    string `json:"port,omitempty"`    // its name in that machine's facts
}

func (e CableEnd) String() string { return e.Machine + ": " + e.Port }

// HeardAt is one neighbour that a machine received on a port, and its machine and port in the list.
type HeardAt struct {
	At        CableEnd      `json:"at"`
	Neighbour LLDPNeighbour `json:"neighbour"`
	// empty machine: not in the list, or unknown which; empty port: unknown which of the machine
	To CableEnd `json:"to"`
	// how the machine was found: "port MAC", "chassis MAC", "system name"; empty: it was not
	By      string `json:"by"`
	Why     string `json:"why"`     // why the machine or port is unknown; empty: both are known
	Several bool   `json:"several"` // the machine is unknown because several of the list match: clones
	Both    bool   `json:"both"`    // the port To received this port in turn
	// no other neighbour was received on the port; otherwise a bridge between them forwards LLDP, and the cable's other
	// end is unknown
	Alone bool `json:"alone"`
}

// Cables finds which ports of several machines are connected: it compares the neighbours that each received by LLDP
// with the facts of all. Several machines may have one name; common values do not identify them.
//
// A neighbour's machine is, in this order:
//
//   - the one with an interface of the neighbour's port id, if that is a MAC address of only one machine;
//   - the one with an interface of its chassis id, if that is a MAC address of only one machine;
//   - the one whose name is its system name (its own name or the given one, whole or up to the first dot), if only one
//     machine has it. Among machines with the same MAC address (clones) the name decides. A MAC address takes
//     precedence over a different name.
//
// Its port is, in this order:
//
//   - the interface with the port id, if that is a MAC address: of several (the members of a bond) the one that the
//     port's description names, else the one with an adapter;
//   - the interface of that name (Eth1/19, Ethernet 1/19 and 1/19 are one name; RouterOS puts the bridge and a slash
//     before it), whatever kind of id it is;
//   - the interface with that alias, if the id is an alias;
//   - the interface that the port's description names word for word, as Linux' lldpd sends it.
//
// A number that only the neighbour understands is not a name of another port. Cables is a pure function; its order is
// that of the machines and their interfaces.
func Cables(machines []NamedFacts) []HeardAt {
	var out []HeardAt
	for _, m := range machines {
		for i := range m.Facts.NICs {
			n := &m.Facts.NICs[i]
			for _, h := range n.LLDP {
				e := HeardAt{At: CableEnd{m.Name, n.Name}, Neighbour: h, Alone: len(n.LLDP) == 1}
				to, by, why := machineHeard(machines, h)
				e.By, e.Why, e.Several = by, why, to == -2
				if to >= 0 {
					e.To.Machine = machines[to].Name
					if port := machines[to].portHeard(h); port != nil {
						e.To.Port = port.Name
					} else {
						e.Why = fmt.Sprintf("%s has no port that is known to be %q", e.To.Machine, h.Port.Value)
					}
				}
				out = append(out, e)
			}
		}
	}
	said := xslices.SetOf(out, func(e HeardAt) [2]CableEnd { return [2]CableEnd{e.At, e.To} })
	for i := range out {
		out[i].Both = out[i].To.Port != "" && said[[2]CableEnd{out[i].To, out[i].At}]
	}
	return out
}

// machineHeard returns the machine of a neighbour, by its index in the list, and how it was found; -1: none of them,
// -2: several match, with the reason.
func machineHeard(machines []NamedFacts, h LLDPNeighbour) (at int, by, why string) {
	clones := []int(nil)
	for _, id := range []struct {
		LLDPID
		by string
	}{{h.Port, "port MAC"}, {h.Chassis, "chassis MAC"}} {
		if id.Kind != LLDPMAC {
			continue
		}
		var with []int
		for i, m := range machines {
			if slices.ContainsFunc(m.Facts.NICs, func(n Interface) bool { return sameMAC(n.MAC, id.Value) }) {
				with = append(with, i)
			}
		}
		if len(with) == 1 {
			return with[0], id.by, ""
		}
		if len(with) > 1 && clones == nil {
			clones = with
		}
	}
	var called []int
	for i, m := range machines {
		if (clones == nil || slices.Contains(clones, i)) && (sameName(h.System, m.Name) || sameName(h.System, m.Facts.Host)) {
			called = append(called, i)
		}
	}
	name := cmp.Or(h.System, h.Chassis.Value)
	switch {
	case len(called) == 1:
		return called[0], "system name", ""
	case len(called) > 1:
		return -2, "", fmt.Sprintf("%d machines are called %q", len(called), name)
	case clones != nil:
		return -2, "", fmt.Sprintf("%d machines have the MAC address that it sends", len(clones))
	}
	return -1, "", fmt.Sprintf("%q is none of the machines of which facts are known", name)
}

// sameMAC reports whether two MAC addresses are equal, and belong to an adapter.
func sameMAC(a, b string) bool {
	a = ColonMAC(a)
	return a != "" && a != "00:00:00:00:00:00" && a == b
}

// sameName compares names of machines: whole, or up to the first dot if one of them has none.
func sameName(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if !strings.Contains(a, ".") || !strings.Contains(b, ".") {
		a, _, _ = strings.Cut(a, ".")
		b, _, _ = strings.Cut(b, ".")
	}
	return strings.EqualFold(a, b)
}

// portHeard returns the port of a neighbour on its machine; nil: unknown.
func (m NamedFacts) portHeard(h LLDPNeighbour) *Interface {
	f := m.Facts
	if h.Port.Kind == LLDPMAC {
		var with []*Interface
		for i := range f.NICs {
			if sameMAC(f.NICs[i].MAC, h.Port.Value) {
				with = append(with, &f.NICs[i])
			}
		}
		for _, n := range with {
			if n.Name == h.PortDescription {
				return n
			}
		}
		with = slices.DeleteFunc(with, func(n *Interface) bool { return len(with) > 1 && n.Kind != "" && n.Kind != "veth" })
		if len(with) == 1 {
			return with[0]
		}
	}
	if n := m.portNamed(h.Port.Value); n != nil {
		return n
	}
	if h.Port.Kind == LLDPAlias || h.Port.Kind == "" {
		var with []*Interface
		for i := range f.NICs {
			if a := f.NICs[i].Alias; a != "" && a == h.Port.Value {
				with = append(with, &f.NICs[i])
			}
		}
		if len(with) == 1 {
			return with[0]
		}
	}
	return f.NIC(h.PortDescription)
}

// portNamed returns the interface with a name in the neighbour's form; nil: there is none, or several.
func (m NamedFacts) portNamed(name string) *Interface {
	f := m.Facts
	if name == "" {
		return nil
	}
	if n := f.NIC(name); n != nil {
		return n
	}
	var with []*Interface
	for i := range f.NICs {
		n := &f.NICs[i]
		own := PlainPort(n.Name)
		if own == PlainPort(name) || m.BridgeInPortID && strings.HasSuffix(PlainPort(name), "/"+own) {
			with = append(with, n)
		}
	}
	if len(with) != 1 {
		return nil
	}
	return with[0]
}
