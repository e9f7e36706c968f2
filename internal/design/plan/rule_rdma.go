package plan

import (
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

var ruleRDMA = Rule{
	ID:    "rdma-transport",
	Title: "RDMA transport that both ends can speak",
	Why: "RoCE v1, RoCE v2, iWARP and InfiniBand do not understand each other; programs then fall back to TCP " +
		"without a word",
	Worst: record.Error,
	check: func(c *checkup) {
		for _, n := range c.nics {
			c.transport(n)
		}
		for _, key := range c.subnets {
			c.speak(key)
		}
		c.asked()
	},
}

// transport compares what the file asks of a NIC with what it can do.
func (c *checkup) transport(n usedNIC) {
	want, part, line := n.RDMA, n.Part, n.At.Line
	if want == "" || want == "none" {
		return
	}
	roce := strings.HasPrefix(want, "roce")
	switch {
	case n.Mode == "ib" && (roce || want == "iwarp"):
		c.fail(n.id(), line, "write rdma: ib, or mode: eth",
			"rdma is %s, which runs over Ethernet, and the NIC's mode is ib", want)
	case n.Mode == "eth" && want == "ib":
		c.fail(n.id(), line, "write rdma: rocev2, or mode: ib", "rdma is ib, and the NIC's mode is eth")
	case part == nil:
	case part.RDMA == nil:
		c.info("part "+part.Name, line, "look into its data sheet before buying",
			"whether it speaks %s is not known, because no source of the catalogue says which RDMA transports it has", want)
	case !slices.Contains(part.RDMA, want):
		have := "no RDMA at all"
		if len(part.RDMA) > 0 {
			have = strings.Join(part.RDMA, ", ")
		}
		c.fail(n.id(), line,
			"choose a NIC that has it, or another transport at all ends", "rdma is %s, and %s has %s", want, part.Name, have)
	}
}

// speak compares the transports that the file gives the NICs of one subnet, and checks that the switch between them has
// a lossless class for RoCE.
func (c *checkup) speak(key string) {
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
	for _, t := range order[min(1, len(order)):] {
		c.warn("subnet "+key, 0, "give all NICs of a subnet one transport",
			"%s speaks %s and %s speaks %s: between them there is no RDMA", first[order[0]].ID, order[0], first[t].ID, t)
	}
	if switched && roce > 1 && len(c.lossless()) == 0 {
		c.info("subnet "+key, 0,
			"add a class: classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 50%}}",
			"RoCE goes through a switch without a lossless class: every packet that the switch drops is retransmitted with all "+
				"that followed it; iWARP would not mind")
	}
}

// physical returns the NIC behind a port: of a virtual function that of its parent.
func (c *checkup) physical(p *Port) *fabric.NIC {
	h := c.p.Host(p.Host)
	if h == nil {
		return nil
	}
	adapter := p.NIC
	for _, b := range h.Decl.Bonds {
		if b.Name == adapter && len(b.Of) > 0 {
			adapter = b.Of[0].NIC
		}
	}
	n := nic(h, adapter)
	if n != nil && n.VF != "" {
		if words := strings.Split(n.VF, "."); len(words) > 1 {
			return nic(c.p.Host(words[0]), words[1])
		}
	}
	return n
}

// asked finds hosts without RDMA in experiments that need it.
func (c *checkup) asked() {
	reported := map[string]bool{}
	for _, e := range c.f.Experiments {
		if !wantsRDMA(e) {
			continue
		}
		for _, end := range slices.Concat(e.From, e.To) {
			name, _, _ := strings.Cut(end, ".")
			h := c.p.Host(name)
			if h == nil || reported[name] {
				continue
			}
			can, nics := false, 0
			for _, n := range h.Decl.NICs {
				if n.VF != "" {
					can = true // of the host's NIC, which is checked with the host
				} else if nics++; n.RDMA != "none" && (n.Part == nil || n.Part.RDMA == nil || len(n.Part.RDMA) > 0) {
					can = true
				}
			}
			if !can && nics > 0 {
				reported[name] = true
				c.warn("host "+name, h.Decl.At.Line, "give it a NIC with RDMA, or measure over TCP",
					"experiment %s moves data by RDMA, and none of its NICs has any", e.Name)
			}
		}
	}
}

// ExchangesOverRDMA reports whether an experiment of the method halo goes over RDMA: as written, else if the NICs that
// it goes through have it.
func (p *Plan) ExchangesOverRDMA(e *fabric.Experiment) bool {
	if written := e.Parameter("transport"); len(written) > 0 {
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
			names := func(v string) bool { return port.ID == v || port.NIC == v || port.Host+"."+port.NIC == v }
			have = have || port.Address.IsValid() && (len(e.Via) == 0 || slices.ContainsFunc(e.Via, names)) &&
				port.RDMA != "" && port.RDMA != "iwarp"
		}
		if !have {
			return false
		}
		some = true
	}
	return some
}

func wantsRDMA(e *fabric.Experiment) bool {
	m := method.Named(e.Method)
	return m.UsesRDMA || slices.ContainsFunc(e.Parameter("transport"), func(t string) bool {
		return m.Exchanges && t == "rdma" || t == "smb-direct" || t == "ib" || t == "iwarp" || strings.HasPrefix(t, "roce")
	})
}
