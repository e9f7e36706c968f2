package doctor

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// wantsPorts is what a firewall has to let through: agents themselves have no port.
const wantsPorts = "TCP and UDP between the measured addresses, to ports that the receiving system picks"

var topicFirewall = Topic{
	ID: "ports", Why: "agents need no port, and the measured connections need " + wantsPorts,
	host: func(g *Gathered, h *Host) []Line {
		if h.Facts == nil {
			return []Line{notKnown("its facts were not read")}
		}
		rules, known := h.Facts.Firewall.Get()
		if !known {
			why := h.Facts.Firewall.Why()
			if why == "" {
				why = "nothing was read of a firewall"
			}
			l := notKnown("%s; to be let through: %s", why, wantsPorts)
			switch {
			case h.OS == "linux" && h.Needs != nil && h.Needs.UID > 0:
				l = l.do("sudo nft list ruleset")
			case h.OS == "freebsd":
				l = l.do(h.root("pfctl -sr; ipfw list"))
			case h.OS == "windows":
				l = l.do("Get-NetFirewallProfile | Format-Table Name,Enabled,DefaultInboundAction")
			}
			return []Line{l}
		}
		var out []Line
		for _, c := range dropping(rules) {
			from := g.peersOf(h)
			if from == "" {
				from = "ADDRESSES/BITS"
			}
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

// dropping are the chains that what comes in passes and that drop some of it: by their policy, or by a rule of theirs or of a chain that they lead to.
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

// harmless are rules that drop nothing of a measurement: what connection tracking calls broken.
func harmless(rule string) bool {
	return strings.Contains(rule, "ct state invalid") && !strings.Contains(rule, ",") || strings.Contains(rule, "--ctstate INVALID ")
}

// peersOf is the first subnet that the host shares with another one that was looked at; empty: there is none.
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
