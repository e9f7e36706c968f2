package report

import (
	"fmt"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
)

// cardView is a card in one machine, or in several that have it alike.
type cardView struct {
	Machines, Card, Part string
	System, Driver, From string
	Use, Slot, Edge      string
}

// cardViews says of every card what it asks of its slot and what is known of its driver; cards that are alike in all of
// this stand together.
func cardViews(p *plan.Plan) []cardView {
	versions := map[string]string{}
	for _, h := range p.Hosts {
		if h.Decl != nil {
			versions[h.Name] = h.Decl.Version
		}
	}
	cards := p.Cards()
	at := map[cardView]int{}
	var out []cardView
	var machines [][]string
	for len(cards) > 0 {
		n := 1
		for n < len(cards) && cards[n].Host == cards[0].Host {
			n++
		}
		for _, v := range ofOne(cards[:n], versions[cards[0].Host]) {
			k, ok := at[v]
			if !ok {
				k = len(out)
				at[v] = k
				out, machines = append(out, v), append(machines, nil)
			}
			machines[k] = append(machines[k], clean(cards[0].Host))
		}
		cards = cards[n:]
	}
	for k := range out {
		out[k].Machines = span(machines[k])
	}
	return out
}

// ofOne are the cards of one machine.
func ofOne(cards []plan.Card, version string) []cardView {
	at := map[cardView]int{}
	var out []cardView
	var names [][]string
	for _, c := range cards {
		v := cardView{Part: "not written in the file", System: clean(systemWords(c.System, version))}
		if c.Part != nil {
			v.Part = clean(c.Part.Name)
			v.Driver, v.From = driverWords(c)
		}
		v.Use, v.Slot, v.Edge = needWords(c)
		k, ok := at[v]
		if !ok {
			k = len(out)
			at[v] = k
			out, names = append(out, v), append(names, nil)
		}
		names[k] = append(names[k], clean(c.Name))
	}
	for k := range out {
		out[k].Card = span(names[k])
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

// needWords are the ports in use, the slot, and how long its socket must be.
func needWords(c plan.Card) (use, slot, edge string) {
	n := c.Need
	if n.Ports == 0 {
		return "none", "any that it fits into", ""
	}
	use = count(n.Ports, "port")
	if n.Sum == 0 {
		return use, "not known, because the rate of its ports is not", ""
	}
	use += ", " + n.Sum.String()
	switch {
	case n.Edge == nil && n.Slots() == "":
		slot = "not known"
	case n.Edge == nil:
		slot = "how many lanes the card has is not known; card and slot must both have " + n.Slots()
	case n.Short:
		slot = n.Slots() + ": all of the card's lanes, and even they carry less"
	default:
		slot = n.Slots() + ", or more"
	}
	if c.Slot != "" {
		slot += "; in the file it is " + clean(c.Slot)
	}
	if n.Edge != nil && n.Edge.Lanes > 1 {
		edge = fmt.Sprintf("the card's edge is x%d: the socket must be that long, or open at its end", n.Edge.Lanes)
	}
	return use, slot, edge
}

// driverWords says what the catalogue knows of a card's driver on its host's system, and where that is from.
func driverWords(c plan.Card) (text, from string) {
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
	name := clean(d.Driver)
	more := strings.TrimLeft(d.Status, "abcdefghijklmnopqrstuvwxyz") // what stands behind the first word
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
	text = clean(text)
	switch {
	case name != "" && text != "":
		text = name + ": " + text
	case name != "":
		text = name
	}
	var words []string
	for _, s := range d.From {
		words = append(words, s.Words())
	}
	return text, clean(strings.Join(words, "; "))
}
