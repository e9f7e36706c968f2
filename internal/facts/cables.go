package facts

import (
	"fmt"
	"slices"
	"strings"
)

// NamedFacts is what one machine says, with the name by which whoever asks knows it.
type NamedFacts struct {
	Name  string
	Facts *Facts
}

// CableEnd is a port of a machine.
type CableEnd struct {
	Machine string `json:"machine,omitempty"` // of NamedFacts
	Port    string `json:"port,omitempty"`    // its name in that machine's facts
}

func (e CableEnd) String() string { return e.Machine + ": " + e.Port }

// HeardAt is one neighbour that a machine heard on a port, and which machine and port of the list that is.
type HeardAt struct {
	At        CableEnd
	Neighbour LLDPNeighbour
	To        CableEnd // an empty machine: none of the list, or not known which; an empty port: of that machine, not known which
	By        string   // what told the machine: "port MAC", "chassis MAC", "system name"; empty: nothing did
	Why       string   // why the machine or the port is not known; empty: both are
	Several   bool     // the machine is not known because several of the list may be it: clones
	Both      bool     // the port that it is heard To says the same of this one
	Alone     bool     // no other neighbour is heard on the port. Else a bridge that forwards LLDP is between, and the cable's other end is not known
}

// Cables says of several machines which port of which one hears which: what LLDP told each of them, held against the facts of all.
// Several of one name are allowed; what they have in common tells nothing.
//
// A neighbour's machine is, in this order:
//   - the one with an interface of the neighbour's port id, if that is a MAC address and one machine alone has it;
//   - the one with an interface of its chassis id, if that is a MAC address and one machine alone has it;
//   - the one that is called as its system name, by its own name for itself or the one given, whole or up to the first dot, if one
//     machine alone is. Of machines with the same MAC address (clones) the name decides between these. A name does not speak against a MAC address.
//
// Its port is, in this order:
//   - the interface with the port id, if that is a MAC address: of several with it (the members of a bond) the one that the port's
//     description names, else the one that has a card;
//   - the interface of that name (Eth1/19, Ethernet 1/19 and 1/19 are one name; RouterOS writes the bridge and a stroke before it), whatever kind of id it is;
//   - the interface with that alias, if the id is an alias;
//   - the interface that the port's description names word for word, as Linux' lldpd sends it.
//
// A number that only the neighbour understands is no name of another port. It is a pure function; its order is that of the machines and their interfaces.
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
					if port := portHeard(machines[to].Facts, h); port != nil {
						e.To.Port = port.Name
					} else {
						e.Why = fmt.Sprintf("%s has no port that is known to be %q", e.To.Machine, h.Port.Value)
					}
				}
				out = append(out, e)
			}
		}
	}
	said := map[[2]CableEnd]bool{}
	for _, e := range out {
		said[[2]CableEnd{e.At, e.To}] = true
	}
	for i := range out {
		out[i].Both = out[i].To.Port != "" && said[[2]CableEnd{out[i].To, out[i].At}]
	}
	return out
}

// machineHeard is the machine of a neighbour, by its place in the list; -1: it is none of them, -2: several may be it, and why.
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
	name := h.System
	if name == "" {
		name = h.Chassis.Value
	}
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

// sameMAC says whether two MAC addresses are one, and are of a card.
func sameMAC(a, b string) bool {
	a = colonMAC(a)
	return a != "" && a != "00:00:00:00:00:00" && a == b
}

// sameName compares names of machines: whole, or up to the first dot where one of them has none.
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

// portHeard is the port of a neighbour on its machine; nil: not known.
func portHeard(f *Facts, h LLDPNeighbour) *Interface {
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
	if n := f.portNamed(h.Port.Value); n != nil {
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

// portNamed is the interface of a name as a neighbour sends it; nil: there is none, or several.
func (f *Facts) portNamed(name string) *Interface {
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
		if own == PlainPort(name) || f.OS == "routeros" && strings.HasSuffix(PlainPort(name), "/"+own) {
			with = append(with, n)
		}
	}
	if len(with) != 1 {
		return nil
	}
	return with[0]
}
