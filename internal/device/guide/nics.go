package guide

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// nics writes the NICs that get a cable, with the slot that each needs.
func (w *writer) nics() {
	type kind struct{ nic, slot, ports string }
	at := map[kind]int{}
	var kinds []kind
	var hosts [][]*plan.Host
	for _, c := range w.p.NICs() {
		if c.Part == nil || len(c.Ports) == 0 {
			continue
		}
		k := kind{c.Part.Name, slot(c), fmt.Sprint(len(c.Ports))}
		i, ok := at[k]
		if !ok {
			i = len(kinds)
			at[k] = i
			kinds, hosts = append(kinds, k), append(hosts, nil)
		}
		hosts[i] = append(hosts[i], w.p.Host(c.Host))
	}
	if len(kinds) == 0 {
		return
	}
	w.next("Shut down the hosts, install the NICs, start the hosts, and list the interfaces again. The new interfaces " +
		"belong to the NICs. If an old interface has a new name, correct the LAN settings first.")
	rows := [][]string{{"NIC", "count", "hosts", "cables each", "slot"}}
	for i, k := range kinds {
		rows = append(rows, []string{k.nic, fmt.Sprint(len(hosts[i])), w.names(hosts[i]), k.ports, k.slot})
	}
	w.table(rows, "kinds of NICs (see plan.html)")
}

// plugged returns a NIC's ports with a cable in them.
func plugged(h *plan.Host, n *fabric.NIC) []*plan.Port {
	return xslices.Filter(h.Ports, func(p *plan.Port) bool {
		return p.NIC == n.Name && p.Link != "" && n.VF == ""
	})
}

// payload is the assumed MaxPayload of a slot in bytes, which most systems set.
const payload = 256

// carries returns the data rate of a PCI Express link each way; 0: there is no formula.
func carries(gen, lanes int) unit.BitRate {
	c, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: gen, Lanes: lanes, Payload: payload})
	if err != nil {
		return 0
	}
	return c.Rate
}

// slot returns the slot of a NIC, or the slot that it needs for its ports with a cable.
func slot(c plan.NIC) string {
	n, slots := c.Need, c.Need.Slots()
	switch {
	case c.Slot != "":
		return c.Slot + " (from the file)"
	case n.Sum == 0:
		return "unknown, because its speed is unknown"
	case slots == "":
		return fmt.Sprintf("unknown; it needs %s each way", n.Sum)
	case n.Short:
		return fmt.Sprintf("%s, the most that the NIC has: about %s of its %s", slots, carries(n.Edge.Gen, n.Edge.Lanes),
			n.Sum)
	case n.Edge == nil:
		return fmt.Sprintf("at least %s for its %s (lanes of the NIC: unknown)", slots, n.Sum)
	}
	return fmt.Sprintf("at least %s (the NIC: %d.0 x%d)", slots, n.Edge.Gen, n.Edge.Lanes)
}

func (w *writer) names(hosts []*plan.Host) string { return Names(w.p, hosts) }

// Names writes hosts as in the file: a complete range as n[1-16], and "n[1-16] without n1" if one is missing. Long
// lists are cut.
func Names(p *plan.Plan, hosts []*plan.Host) string {
	have := xslices.SetOf(hosts, func(h *plan.Host) string { return h.Name })
	absent := map[string][]string{}
	size := map[string]int{}
	for _, h := range p.Hosts {
		size[h.Decl.Group]++
		if !have[h.Name] {
			absent[h.Decl.Group] = append(absent[h.Decl.Group], h.Name)
		}
	}
	var out []string
	said := map[string]bool{}
	for _, h := range hosts {
		name := h.Name
		switch group := h.Decl.Group; {
		case size[group] > 1 && len(absent[group]) == 0:
			name = group
		case size[group] > 3 && len(absent[group]) == 1:
			name = group + " without " + absent[group][0]
		}
		if !said[name] && len(said) < 8 {
			out = append(out, name)
		}
		said[name] = true
	}
	if len(said) > len(out) {
		return fmt.Sprintf("%s and %d more", strings.Join(out, ", "), len(said)-len(out))
	}
	return strings.Join(out, ", ")
}
