package design

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
)

// nicView is a NIC in one machine, or in several with the same.
type nicView struct {
	Machines, NIC, Part  string
	System, Driver, From string
	Use, Slot, Edge      string
}

// nicViews returns each NIC's requirements on its slot, and what is known about its driver. Equal NICs share a row.
func nicViews(p *plan.Plan) []nicView {
	versions := map[string]string{}
	for _, h := range p.Hosts {
		if h.Decl != nil {
			versions[h.Name] = h.Decl.Version
		}
	}
	nics := p.NICs()
	at := map[nicView]int{}
	var out []nicView
	var machines [][]string
	for len(nics) > 0 {
		n := 1
		for n < len(nics) && nics[n].Host == nics[0].Host {
			n++
		}
		for _, v := range ofOne(nics[:n], versions[nics[0].Host]) {
			k, ok := at[v]
			if !ok {
				k = len(out)
				at[v] = k
				out, machines = append(out, v), append(machines, nil)
			}
			machines[k] = append(machines[k], format.Clean(nics[0].Host))
		}
		nics = nics[n:]
	}
	for k := range out {
		out[k].Machines = diagram.Span(machines[k])
	}
	return out
}

// ofOne are the NICs of one machine.
func ofOne(nics []plan.NIC, version string) []nicView {
	at := map[nicView]int{}
	var out []nicView
	var names [][]string
	for _, c := range nics {
		v := nicView{Part: "not written in the file", System: format.Clean(systemWords(c.System, version))}
		if c.Part != nil {
			v.Part = format.Clean(c.Part.Name)
			v.Driver, v.From = driverWords(c)
		}
		v.Use, v.Slot, v.Edge = needWords(c)
		k, ok := at[v]
		if !ok {
			k = len(out)
			at[v] = k
			out, names = append(out, v), append(names, nil)
		}
		names[k] = append(names[k], format.Clean(c.Name))
	}
	for k := range out {
		out[k].NIC = diagram.Span(names[k])
		if len(names[k]) > 1 {
			out[k].Use = "each " + out[k].Use
		}
	}
	return out
}

func systemWords(system, version string) string {
	switch {
	case version == "" || system == "":
		return system
	case strings.Contains(system, "("):
		return system + ", " + version
	}
	return system + " " + version
}

// needWords describes the ports in use, the slot, and the length of its socket.
func needWords(c plan.NIC) (use, slot, edge string) {
	n := c.Need
	if n.Ports == 0 {
		return "none", "any that it fits into", ""
	}
	use = unit.Counted(n.Ports, "port")
	if n.Sum == 0 {
		return use, "not known, because the rate of its ports is not", ""
	}
	use += ", " + n.Sum.String()
	switch {
	case n.Edge == nil && n.Slots() == "":
		slot = "not known"
	case n.Edge == nil:
		slot = "how many lanes the NIC has is not known; NIC and slot must both have " + n.Slots()
	case n.Short:
		slot = n.Slots() + ": all of the NIC's lanes, and even they carry less"
	default:
		slot = n.Slots() + ", or more"
	}
	if c.Slot != "" {
		slot += "; in the file it is " + format.Clean(c.Slot)
	}
	if n.Edge != nil && n.Edge.Lanes > 1 {
		edge = fmt.Sprintf("the NIC's edge is x%d: the socket must be that long, or open at its end", n.Edge.Lanes)
	}
	return use, slot, edge
}

// driverWords is what the catalogue has on the driver of a NIC on its host's system, and its source.
func driverWords(c plan.NIC) (text, from string) {
	if c.System == "" {
		return "the file does not say which system", ""
	}
	d := c.Driver
	if d == nil && c.Part.Confidence == catalog.Declared {
		return "not known, because the file writes the part out", ""
	}
	if d == nil {
		return "no source of the catalogue names one", ""
	}
	name := format.Clean(d.Driver)
	more := strings.TrimLeft(d.Status, "abcdefghijklmnopqrstuvwxyz") // what follows the first word
	switch word := strings.TrimSuffix(d.Status, more); word {
	case "inbox":
		text = "comes with the system" + more
	case "supported":
		text = "by the maker, who keeps it up" + more
	case "legacy":
		text = "an old one, not kept up" + more
	default:
		text = d.Status
	}
	text = format.Clean(text)
	switch {
	case name != "" && text != "":
		text = name + ": " + text
	case name != "":
		text = name
	}
	words := xslices.Map(d.From, func(s catalog.Source) string { return s.Words() })
	return text, format.Clean(strings.Join(words, "; "))
}
