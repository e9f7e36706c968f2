package plan

import (
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

var ruleRDMA = Rule{
	ID:    "rdma-transport",
	Title: "RDMA transport that both ends can speak",
	Why:   "RoCE v1, RoCE v2, iWARP and InfiniBand do not understand each other; programs then fall back to TCP without a word",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, card := range c.cards {
			out = append(out, transport(card)...)
		}
		for _, key := range c.subnets {
			out = append(out, c.speak(key)...)
		}
		return append(out, c.asked()...)
	},
}

// transport holds what the file asks of a card against what it can do.
func transport(c card) []record.Problem {
	want, part, line := c.nic.RDMA, c.nic.Part, c.nic.At.Line
	if want == "" || want == "none" {
		return nil
	}
	roce := strings.HasPrefix(want, "roce")
	switch {
	case c.nic.Mode == "ib" && (roce || want == "iwarp"):
		return []record.Problem{said(record.Error, c.id(), line, "write rdma: ib, or mode: eth", "rdma is %s, which runs over Ethernet, and the card's mode is ib", want)}
	case c.nic.Mode == "eth" && want == "ib":
		return []record.Problem{said(record.Error, c.id(), line, "write rdma: rocev2, or mode: ib", "rdma is ib, and the card's mode is eth")}
	case part == nil:
		return nil
	case part.RDMA == nil:
		return []record.Problem{said(record.Info, "part "+part.Name, line, "look into its data sheet before buying", "whether it speaks %s is not known, because no source of the catalogue says which RDMA transports it has", want)}
	case !slices.Contains(part.RDMA, want):
		have := "no RDMA at all"
		if len(part.RDMA) > 0 {
			have = strings.Join(part.RDMA, ", ")
		}
		return []record.Problem{said(record.Error, c.id(), line, "choose a card that has it, or another transport at all ends", "rdma is %s, and %s has %s", want, part.Name, have)}
	}
	return nil
}

// speak compares the transports that the file gives the cards of one subnet, and
// says what RoCE wants of the switch between them.
func (c *checkup) speak(key string) []record.Problem {
	var order []string
	first := map[string]*Port{}
	switched := false
	roce := 0
	for _, p := range c.domains[key] {
		n := c.physical(p)
		if n == nil || n.RDMA == "" || n.RDMA == "none" {
			continue
		}
		if first[n.RDMA] == nil {
			first[n.RDMA] = p
			order = append(order, n.RDMA)
		}
		if strings.HasPrefix(n.RDMA, "roce") {
			roce++
			if l := c.p.Link(p.Link); l != nil && (l.Ends[0].Switch != "" || l.Ends[1].Switch != "") {
				switched = true
			}
		}
	}
	var out []record.Problem
	for _, t := range order[min(1, len(order)):] {
		out = append(out, said(record.Warning, "subnet "+key, 0, "give all cards of a subnet one transport",
			"%s speaks %s and %s speaks %s: between them there is no RDMA", first[order[0]].ID, order[0], first[t].ID, t))
	}
	if switched && roce > 1 && len(c.lossless()) == 0 {
		out = append(out, said(record.Info, "subnet "+key, 0, "add a class: classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 50%}}",
			"RoCE goes through a switch without a lossless class: every packet that the switch drops is sent again with all that followed it; iWARP would not mind"))
	}
	return out
}

// physical is the real card behind a port: of a function, its parent's.
func (c *checkup) physical(p *Port) *fabric.NIC {
	h := c.p.Host(p.Host)
	if h == nil {
		return nil
	}
	card := p.Card
	for _, b := range h.Decl.Bonds {
		if b.Name == card && len(b.Of) > 0 {
			card = b.Of[0].Card
		}
	}
	n := nic(h, card)
	if n != nil && n.VF != "" {
		words := strings.Split(n.VF, ".")
		if len(words) > 1 {
			return nic(c.p.Host(words[0]), words[1])
		}
	}
	return n
}

// asked finds hosts without RDMA of which an experiment asks it.
func (c *checkup) asked() []record.Problem {
	var out []record.Problem
	told := map[string]bool{}
	for _, e := range c.f.Experiments {
		if !wantsRDMA(e) {
			continue
		}
		for _, end := range slices.Concat(e.From, e.To) {
			name, _, _ := strings.Cut(end, ".")
			h := c.p.Host(name)
			if h == nil || told[name] {
				continue
			}
			can, cards := false, 0
			for _, n := range h.Decl.NICs {
				if n.VF != "" {
					can = true // of its host's card, which is looked at there
				} else if cards++; n.RDMA != "none" && (n.Part == nil || n.Part.RDMA == nil || len(n.Part.RDMA) > 0) {
					can = true
				}
			}
			if !can && cards > 0 {
				told[name] = true
				out = append(out, said(record.Warning, "host "+name, h.Decl.At.Line, "give it a card with RDMA, or measure over TCP",
					"experiment %s moves data by RDMA, and none of its cards has any", e.Name))
			}
		}
	}
	return out
}

// ExchangesOverRDMA says whether an experiment of the method halo goes over RDMA: as written, else where the cards that it goes through have it.
func (p *Plan) ExchangesOverRDMA(e *fabric.Experiment) bool {
	if written := e.Axis("transport"); len(written) > 0 {
		return slices.Contains(written, "rdma")
	}
	some := false
	for _, name := range slices.Concat(e.On, e.From, e.To) {
		name, _, _ := strings.Cut(name, ".")
		h := p.Host(name)
		if h == nil {
			return false
		}
		have := false
		for _, port := range h.Ports {
			if port.Address.IsValid() && (len(e.Via) == 0 || slices.ContainsFunc(e.Via, func(v string) bool { return port.ID == v || port.Card == v || port.Host+"."+port.Card == v })) {
				have = have || port.RDMA != "" && port.RDMA != "iwarp"
			}
		}
		if !have {
			return false
		}
		some = true
	}
	return some
}

func wantsRDMA(e *fabric.Experiment) bool {
	return e.Method == "verbs" || e.Method == "halo" && slices.Contains(e.Axis("transport"), "rdma") || slices.ContainsFunc(e.Axis("transport"), func(t string) bool {
		return t == "smb-direct" || t == "ib" || t == "iwarp" || strings.HasPrefix(t, "roce")
	})
}
