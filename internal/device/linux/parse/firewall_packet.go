package parse

import (
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// Packet is a TCP packet of a measurement, whose ports are those that the systems of both ends picked.
type Packet struct {
	In, Out  string // interfaces; empty: it has none at the hook
	From, To netip.Addr
	// Established marks packets of a connection that both ends have agreed on. Others open one.
	Established bool
}

// Fate is what a firewall does with a packet. The zero value lets it pass.
type Fate struct {
	Table, Chain, Hook string
	Rule               string // as written; empty: the chain's policy
	// Dropped reports that each such packet is dropped; Sometimes that a part of them is, by chance or above a rate.
	Dropped, Sometimes bool
	// Unsure reports that a rule that is not understood decides about the packet.
	Unsure bool
}

// fate is what one rule, or a chain, does with a packet.
type fate int

const (
	goesOn fate = iota
	accepted
	dropped
	returned
)

// FateOf returns what the chains of a hook (input, forward, output ..) do with a packet.
func FateOf(f facts.Firewall, hook string, p Packet) Fate {
	out := Fate{}
	for i := range f.Chains {
		c := &f.Chains[i]
		if c.Hook != hook || c.Off || !ofFamily(c.Table, p.From) {
			continue
		}
		w := walk{all: f, packet: p, hook: hook, seen: map[string]bool{}}
		if got := w.chain(c, true); got == goesOn || got == returned {
			if c.Policy == "drop" {
				w.drop(Fate{Table: c.Table, Chain: c.Chain}, !w.mayAccept)
			}
		}
		w.found.Hook = hook
		switch {
		case w.found.Dropped:
			return w.found
		case w.found.Sometimes && !out.Sometimes:
			out = w.found
		case w.found.Unsure && out.Rule == "" && out.Chain == "":
			out = w.found
		}
	}
	return out
}

// ofFamily reports whether the chains of a table see packets between such addresses.
func ofFamily(table string, a netip.Addr) bool {
	switch family, _, _ := strings.Cut(table, " "); family {
	case "inet":
		return true
	case "ip":
		return a.Unmap().Is4()
	case "ip6":
		return !a.Unmap().Is4()
	}
	return false // netdev, bridge, arp: not understood well enough
}

// walk is one packet on its way through a base chain.
type walk struct {
	all    facts.Firewall
	packet Packet
	hook   string
	seen   map[string]bool // chains on the way, against loops
	steps  int             // rules so far
	found  Fate
	// mayAccept reports that a rule that is not understood may have accepted the packet.
	mayAccept bool
}

// drop notes what drops the packet, the first of the most certain ones.
func (w *walk) drop(by Fate, sure bool) {
	by.Dropped, by.Unsure = sure && !w.mayAccept, !sure || w.mayAccept
	if w.found.Sometimes && !by.Dropped || w.found.Unsure && by.Unsure {
		return
	}
	w.found = by
}

// mostSteps is how many rules a packet is followed through. Chains that jump to each other can have any number.
const mostSteps = 100_000

// chain passes the packet through the rules of a chain; sure reports whether it certainly comes there.
func (w *walk) chain(c *facts.FirewallChain, sure bool) fate {
	if w.seen[c.Chain] || c.Rules != len(c.All) {
		w.mayAccept = true // a loop, or more rules than are kept
		return goesOn
	}
	w.seen[c.Chain] = true
	defer delete(w.seen, c.Chain)
	for _, r := range c.All {
		if w.steps++; w.steps > mostSteps {
			w.mayAccept = true
			return goesOn
		}
		if got := w.rule(c, r, sure); got != goesOn {
			return got
		}
	}
	return goesOn
}

// rule passes the packet through one rule.
func (w *walk) rule(c *facts.FirewallChain, r facts.FirewallRule, reached bool) fate {
	match, verdict := w.match(c.Table, r.Text)
	if match == no {
		return goesOn
	}
	by := Fate{Table: c.Table, Chain: c.Chain, Rule: r.Text}
	sure := reached && match == yes
	verb, to, _ := strings.Cut(verdict, " ")
	got := goesOn
	switch verb {
	case "accept", "return":
		if got = accepted; verb == "return" {
			got = returned
		}
		if !sure {
			w.mayAccept, got = true, goesOn
		}
	case "drop", "reject":
		if match == sometimes && reached {
			if !w.found.Sometimes && !w.mayAccept {
				by.Sometimes = true
				w.found = by
			}
			return goesOn
		}
		if w.drop(by, sure); sure {
			return dropped
		}
	case "jump", "goto":
		i := slices.IndexFunc(w.all.Chains, func(o facts.FirewallChain) bool { return o.Table == c.Table && o.Chain == to })
		if i < 0 {
			w.mayAccept = true
			return goesOn
		}
		switch inside := w.chain(&w.all.Chains[i], sure); {
		case !sure:
		case inside == accepted || inside == dropped:
			return inside
		case verb == "goto":
			return returned
		}
	case "": // it counts, logs or marks
	default:
		w.mayAccept = true
	}
	return got
}
