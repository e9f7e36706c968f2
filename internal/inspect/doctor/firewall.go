package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// wantsPorts is the traffic that a firewall must allow. Agents need no port.
const wantsPorts = "TCP and UDP between the measured addresses, to ports that the receiving system picks"

var topicFirewall = Topic{
	ID: "ports", Why: "agents need no port, and the measured connections need " + wantsPorts,
	host: func(g *Gathered, h *Host) []Line {
		if h.Facts == nil {
			return []Line{notKnown("its facts were not read")}
		}
		rules, known := h.Facts.Firewall.Get()
		if !known {
			why := cmp.Or(h.Facts.Firewall.Why(), "nothing was read of a firewall")
			l := notKnown("%s; to be let through: %s", why, wantsPorts)
			switch t := h.traits(); {
			case t.Proc && h.Needs != nil && h.Needs.UID > 0:
				l = l.do(t.ListFirewall)
			case t.Proc || t.ListFirewall == "":
			case t.AsRoot:
				l = l.do(h.root(t.ListFirewall))
			default:
				l = l.do(t.ListFirewall)
			}
			return []Line{l}
		}
		var out []Line
		for _, c := range dropping(rules) {
			from := cmp.Or(g.peersOf(h), "ADDRESSES/BITS")
			what := fmt.Sprintf("chain %s drops by policy what no rule accepts", c.Name())
			if len(c.Drops) > 0 {
				what = fmt.Sprintf("chain %s drops: %s", c.Name(), strings.Join(c.Drops, "; "))
			}
			out = append(out, warning("%s; that may take measured connections, which need %s", what, wantsPorts).
				do(h.root(fmt.Sprintf("nft insert rule %s %s saddr %s accept", c.Name(), familyOf(from), from))))
		}
		if out == nil {
			return []Line{ok("no rule drops what comes in; needed: " + wantsPorts)}
		}
		return out
	},
}

// dropping returns the chains on incoming traffic that drop some of it: by their policy, or by a rule of their own or
// of a chain that they jump to.
func dropping(f facts.Firewall) (out []facts.FirewallChain) {
	for _, c := range f.Chains {
		if c.Hook != "input" && c.Hook != "ingress" && c.Hook != "prerouting" {
			continue
		}
		seen, open := map[string]bool{c.Chain: true}, c.Jumps
		for len(open) > 0 {
			name := open[0]
			open = open[1:]
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, to := range f.Chains {
				if to.Table == c.Table && to.Chain == name {
					c.Drops, open = slices.Concat(c.Drops, to.Drops), slices.Concat(open, to.Jumps)
				}
			}
		}
		c.Drops = slices.DeleteFunc(slices.Clone(c.Drops), harmless)
		if c.Policy == "drop" || len(c.Drops) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// harmless reports whether a rule drops only what connection tracking calls invalid, which no measurement sends.
func harmless(rule string) bool {
	return strings.Contains(rule, "ct state invalid") && !strings.Contains(rule, ",") ||
		strings.Contains(rule, "--ctstate INVALID ")
}

// peersOf returns the first subnet that the host shares with another examined host; empty: there is none.
func (g *Gathered) peersOf(h *Host) string {
	for _, s := range g.shared() {
		for _, e := range s.ends {
			if e.host == h {
				return s.prefix.String()
			}
		}
	}
	return ""
}

func familyOf(prefix string) string {
	if strings.Contains(prefix, ":") {
		return "ip6"
	}
	return "ip"
}
