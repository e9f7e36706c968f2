package report

import (
	"html/template"
	"strconv"
	"strings"

	"linerate/fabric"
	"linerate/plan"
	"linerate/result"
)

// planView is what the page of a plan prints; every text in it is ready.
type planView struct {
	Policy, Version string
	Style           template.CSS

	Name, Head, Sentence string
	Wrong                bool
	Fabric               template.HTML
	Notes                []string
	Tall                 bool           // the drawing goes on a printed page of its own
	Problems, Known      []plan.Problem // what would not work or may not; what is good to know
	Currencies           []string
	Roles                []roleView
	Totals               []totalView
	Unpriced             string
	Cables               []cableView
	VLANs, Names         bool // some cable has one, some port has a name in the file
	Addresses            []addressView
	Assumed              bool
	HostsFiles           []hostsFile
	HostsLeft            string
	Machines             []machineView
}

// roleView is the items of one role of the bill of materials.
type roleView struct {
	Name  string
	Items []itemView
}

type itemView struct {
	Count, Part, Each, Note string
	Totals                  []string // one a currency
}

type totalView struct {
	Name   string
	Totals []string
}

// endView is one end of a cable.
type endView struct {
	Label, Cable  string
	ID, Name      string // Name is the interface, or the switch's own name of the port; empty: not known
	Address       string
	Other, There  string // the other end, and its name
	owner, number string
}

type cableView struct {
	Label, Part, Media, Length, Rate, VLAN, Link string
	Ends                                         [2]endView
	metres, bits, vlan                           string
}

type addressView struct{ Host, Port, Interface, Address, Subnet, MTU, Link string }

type hostsFile struct {
	Name  string
	Lines string
}

// machineView is a host or switch with what plugs in where.
type machineView struct {
	Name, Head string
	Ends       []endView
}

// mostNames is how many lines of hosts files a page has; they grow with the square
// of the hosts.
const mostNames = 3000

// cableViews are all cables with both ends in words.
func cableViews(p *plan.Plan) []cableView {
	picture := result.PictureOf(p)
	names, addresses := endNames(&picture)
	var out []cableView
	for i, l := range p.Links {
		pl := &picture.Links[i]
		c := cableView{Label: labelOf(pl), Part: notKnown, Media: pl.Media, Length: notKnown, Rate: notKnown, Link: clean(l.Name)}
		if l.Cable != nil {
			c.Part = clean(l.Cable.Name)
		}
		if m, ok := l.LengthM.Get(); ok {
			c.Length, c.metres = metres(m), strconv.FormatFloat(m, 'f', -1, 64)
		}
		if l.Speed > 0 {
			c.Rate, c.bits = l.Speed.String(), strconv.FormatFloat(float64(l.Speed), 'f', -1, 64)
		}
		if l.VLAN != 0 {
			c.vlan = strconv.Itoa(l.VLAN)
			c.VLAN = c.vlan
		}
		for k, e := range l.Ends {
			v := endView{Label: c.Label, Cable: linkText(pl), ID: clean(e.ID), Name: clean(names[e.ID]), Address: clean(addresses[e.ID]), Other: clean(l.Ends[1-k].ID), owner: owner(e), number: portNumber(e.ID)}
			if len(pl.Ports) == 2 && pl.Ports[k] != "" {
				v.Name = clean(pl.Ports[k])
			}
			c.Ends[k] = v
		}
		c.Ends[0].There, c.Ends[1].There = c.Ends[1].Name, c.Ends[0].Name
		out = append(out, c)
	}
	return out
}

// endNames finds the names of interfaces that the file gives, and the addresses
// that ports answer on, those of bonds at their members.
func endNames(p *result.Picture) (names, addresses map[string]string) {
	names, addresses = map[string]string{}, map[string]string{}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if !port.Assumed {
				names[port.ID] = port.Interface
			}
			if port.Address == "" {
				continue
			}
			addresses[port.ID] = port.Address
			for _, m := range port.Of {
				addresses[m] = port.Address + " (" + shortPort(port.ID) + ")"
			}
		}
	}
	return names, addresses
}

func newPlanView(p *plan.Plan, version string) planView {
	v := planView{Version: clean(version), Name: clean(p.Name), Cables: cableViews(p)}
	if p.Variant != "" {
		v.Name += " [" + clean(p.Variant) + "]"
	}
	for _, problem := range p.Problems {
		if problem.Severity == plan.Info {
			v.Known = append(v.Known, problem)
		} else {
			v.Problems = append(v.Problems, problem)
		}
	}
	v.Head = planCounts(p)
	v.Sentence, v.Wrong = planSentence(p)
	drawn, note := planDrawing(p)
	v.Fabric = drawn
	v.Tall = strings.Contains(string(drawn[:min(len(drawn), 100)]), " tall")
	if note != "" {
		v.Notes = append(v.Notes, note)
	}
	v.bill(&p.BOM)
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if !port.Address.IsValid() {
				continue
			}
			name := clean(port.Interface)
			if !port.Declared {
				name += " *"
				v.Assumed = true
			}
			v.Addresses = append(v.Addresses, addressView{clean(h.Name), clean(port.ID), name, port.Address.String(), port.Address.Masked().String(), strconv.Itoa(port.MTU), clean(port.Link)})
		}
	}
	v.hosts(p)
	v.labels(p)
	return v
}

// planCounts is "3 hosts, 3 links".
func planCounts(p *plan.Plan) string {
	parts := []string{count(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, count(len(p.Switches), "switch"))
	}
	return strings.Join(append(parts, count(len(p.Links), "cable")), ", ")
}

// planSentence is the answer to whether to buy: what it costs and whether it works.
func planSentence(p *plan.Plan) (text string, wrong bool) {
	n := map[plan.Severity]int{}
	for _, problem := range p.Problems {
		n[problem.Severity]++
	}
	var sums []string
	for _, t := range p.BOM.Totals {
		if t.Currency == "" || t.Amount.Amount() == 0 && t.Unpriced > 0 {
			continue
		}
		sum := t.Amount.Add(t.Spares.Times(-1)).Number() + " " + clean(t.Currency)
		if t.Spares.Amount() > 0 {
			sum += " (" + t.Amount.Number() + " with spares)"
		}
		sums = append(sums, sum)
	}
	missing := unpriced(&p.BOM)
	switch {
	case len(sums) > 0 && missing > 0:
		text = "The parts with a known price cost " + list(sums) + ", " + count(missing, "item") + " without one come on top"
	case len(sums) > 0:
		text = "The parts cost " + list(sums)
	case missing > 0:
		text = "No price is known of " + count(missing, "item")
	default:
		text = "Nothing is to be bought"
	}
	switch {
	case n[plan.Error] > 0:
		return text + ", and " + count(n[plan.Error], "thing") + " would not work.", true
	case n[plan.Warning] > 0:
		return text + "; " + count(n[plan.Warning], "thing") + " to look at before buying.", false
	}
	return text + "; linerate's checks find nothing that would not work.", false
}

// bill lists the materials by role, with a column of totals for every currency.
func (v *planView) bill(b *plan.BOM) {
	for _, t := range b.Totals {
		if t.Currency != "" {
			v.Currencies = append(v.Currencies, clean(t.Currency))
		}
	}
	at := map[string]int{}
	for _, i := range b.Items {
		k, ok := at[i.Role]
		if !ok {
			k = len(v.Roles)
			at[i.Role] = k
			v.Roles = append(v.Roles, roleView{Name: clean(i.Role)})
		}
		item := itemView{Count: strconv.Itoa(i.Count), Part: clean(i.Part), Each: notKnown, Totals: make([]string, len(v.Currencies))}
		if i.UnitPrice != nil {
			item.Each = i.UnitPrice.Number() + " " + clean(i.Currency)
		}
		for c, currency := range v.Currencies {
			if i.Total != nil && i.Currency == currency {
				item.Totals[c] = i.Total.Number()
			}
		}
		switch i.Origin {
		case fabric.PriceOwned:
			item.Each, item.Note = "owned", "costs nothing more"
		case fabric.PriceCatalogue:
			item.Note = "price of the catalogue"
		case fabric.PriceWritten:
		default:
			item.Note = "price not known: in no total"
		}
		v.Roles[k].Items = append(v.Roles[k].Items, item)
	}
	if len(v.Currencies) > 0 {
		all := totalView{Name: "all", Totals: make([]string, len(v.Currencies))}
		spares := totalView{Name: "of it spares", Totals: make([]string, len(v.Currencies))}
		any := false
		for c, currency := range v.Currencies {
			for _, t := range b.Totals {
				if clean(t.Currency) != currency {
					continue
				}
				all.Totals[c] = t.Amount.Number()
				if t.Spares.Amount() > 0 {
					spares.Totals[c], any = t.Spares.Number(), true
				}
			}
		}
		v.Totals = append(v.Totals, all)
		if any {
			v.Totals = append(v.Totals, spares)
		}
	}
	if n := unpriced(b); n > 0 {
		v.Unpriced = count(n, "item") + " without a known price, in no total."
	}
	if len(v.Currencies) > 1 {
		v.Unpriced = strings.TrimSpace(v.Unpriced + " The currencies are not converted.")
	}
}

func (v *planView) hosts(p *plan.Plan) {
	lines := 0
	for _, h := range p.Hosts {
		lines += len(h.Names)
	}
	if lines > mostNames {
		v.HostsLeft = "The hosts files of " + count(len(p.Hosts), "host") + " have " + strconv.Itoa(lines) + " lines and are left out; linerate plan without -o prints them."
		return
	}
	for _, h := range p.Hosts {
		var text []string
		for _, n := range h.Names {
			text = append(text, pad(n.Address.String(), 16)+" "+strings.Join(cleaned(n.Names), " "))
		}
		if len(text) > 0 {
			v.HostsFiles = append(v.HostsFiles, hostsFile{clean(h.Name), strings.Join(text, "\n")})
		}
	}
}

// labels makes a label for both ends of every cable, and for every machine the
// list of what plugs in where.
func (v *planView) labels(p *plan.Plan) {
	at := map[string]int{}
	machine := func(name, head string) {
		at[name] = len(v.Machines)
		v.Machines = append(v.Machines, machineView{Name: clean(name), Head: clean(head)})
	}
	for _, s := range p.Switches {
		part := ""
		if s.Part != nil {
			part = s.Part.Name
		}
		machine(s.Name, part)
	}
	for _, h := range p.Hosts {
		machine(h.Name, h.OS)
	}
	for i := range v.Cables {
		v.VLANs = v.VLANs || v.Cables[i].VLAN != ""
		for k, e := range v.Cables[i].Ends {
			v.Names = v.Names || e.Name != ""
			if m, ok := at[v.Cables[i].Ends[k].owner]; ok {
				v.Machines[m].Ends = append(v.Machines[m].Ends, e)
			}
		}
	}
	v.Machines = keep(v.Machines, func(m machineView) bool { return len(m.Ends) > 0 })
}
