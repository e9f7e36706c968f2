package facts

import (
	"slices"
	"strconv"
	"strings"
)

// Firewall is the packet filter of a host: its chains, of nftables and, if read separately, of iptables.
type Firewall struct {
	Chains []FirewallChain `json:"chains"`
	Limits []FirewallLimit `json:"limits"` // rules that drop packets above a rate
	// Sets are the elements of the named sets, as written, by table and name: "inet filter lan".
	Sets map[string][]string `json:"-"`
}

// FirewallRule is one rule as its program prints it.
type FirewallRule struct {
	Text string // without the value of its counter
	// Packets is the value of its counter; nil: it has none.
	Packets *uint64
	// Drops reports whether the rule drops or rejects what it matches.
	Drops bool
}

// FirewallChain is a list of rules, which are evaluated in order.
type FirewallChain struct {
	Table string `json:"table"` // "inet filter"
	Chain string `json:"chain"`
	// input, output, forward, prerouting, postrouting, ingress; empty: only other chains jump to it
	Hook   string   `json:"hook"`
	Policy string   `json:"policy"` // the default for packets without a matching rule: accept, drop; empty: none
	Rules  int      `json:"rules"`
	Jumps  []string `json:"jumps"` // chains of its table that its rules jump to
	// Established is the position of the first rule that accepts every packet of an established connection, from 1; 0:
	// none. JumpsBefore is how many of Jumps are before it.
	Established int `json:"established"`
	JumpsBefore int `json:"jumps_before"`
	// Dropped is how many packets the rules with counters dropped or rejected; Silent is how many of its rules drop
	// without a counter. A policy has no counter.
	Dropped uint64 `json:"dropped"`
	Silent  int    `json:"silent"`
	// SilentRules are the first of them, as written.
	SilentRules []string `json:"silent_rules"`
	// Drops are the first rules that drop or reject, with or without a counter, as written.
	Drops []string `json:"drops"`
	// All are its rules in their order, up to MaxRules.
	All []FirewallRule `json:"-"`
	// Off reports that the kernel does not use the chain now: its table is dormant.
	Off bool `json:"-"`
}

// MaxRules is how many rules of a chain are kept as text. A chain with more is not walked.
const MaxRules = 1000

// Add adds the text of a rule, with its counter; empty: it has none.
func (c *FirewallChain) Add(text, counted string, drops bool) {
	if len(c.All) >= MaxRules {
		return
	}
	r := FirewallRule{Text: text, Drops: drops}
	if n, err := strconv.ParseUint(counted, 10, 64); err == nil {
		r.Packets = &n
	}
	c.All = append(c.All, r)
}

// maxDrops is how many dropping rules of a chain are kept: of all, and of those without a counter.
const maxDrops = 3

// met returns the number of the chain's rules, and its jumps, that a packet of an established connection meets.
func (c FirewallChain) met() (rules int, jumps []string) {
	if c.Established > 0 {
		return c.Established, c.Jumps[:c.JumpsBefore]
	}
	return c.Rules, c.Jumps
}

// AddDrop adds a rule that drops, with its counter; empty: it has none.
func (c *FirewallChain) AddDrop(rule, counted string) {
	if len(c.Drops) < maxDrops {
		c.Drops = append(c.Drops, rule)
	}
	n, err := strconv.ParseUint(counted, 10, 64)
	if err != nil {
		if c.Silent++; len(c.SilentRules) < maxDrops {
			c.SilentRules = append(c.SilentRules, rule)
		}
		return
	}
	c.Dropped += n
}

// Dropped returns how many packets all rules with counters dropped; silent is how many rules drop without a counter.
func (f Firewall) Dropped() (packets uint64, silent int) {
	for _, c := range f.Chains {
		packets, silent = packets+c.Dropped, silent+c.Silent
	}
	return packets, silent
}

// Name returns the chain as its program writes it: "inet filter input".
func (c FirewallChain) Name() string { return strings.TrimSpace(c.Table + " " + c.Chain) }

// Most returns the chain with a hook from which a packet of an established connection can meet the most rules, its own
// and those of the chains that it jumps to; Rules is that number.
func (f Firewall) Most() (most FirewallChain) {
	at := map[string]int{}
	for i, c := range f.Chains {
		at[c.Table+"\x00"+c.Chain] = i
	}
	for _, c := range f.Chains {
		if c.Hook == "" {
			continue
		}
		sum, seen, open := 0, map[string]bool{}, []string{c.Chain}
		for len(open) > 0 {
			name := open[len(open)-1]
			open = open[:len(open)-1]
			i, ok := at[c.Table+"\x00"+name]
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			rules, jumps := f.Chains[i].met()
			sum += rules
			open = append(open, jumps...)
		}
		if c.Rules = sum; sum > most.Rules || most.Hook == "" {
			most = c
		}
	}
	return most
}

// From reports whether packets of one of the hooks can come to a chain: it has such a hook, or a chain that has one
// jumps to it, by way of others too.
func (f Firewall) From(hooks []string, c FirewallChain) bool {
	seen, open := map[string]bool{}, []FirewallChain{c}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		if at.Hook != "" && slices.Contains(hooks, at.Hook) {
			return true
		}
		for _, o := range f.Chains {
			if o.Table == c.Table && !seen[o.Chain] && slices.Contains(o.Jumps, at.Chain) {
				seen[o.Chain] = true
				open = append(open, o)
			}
		}
	}
	return false
}

// FirewallLimit is a rule that drops packets above a rate: a policer.
type FirewallLimit struct {
	Table   string  `json:"table"`
	Chain   string  `json:"chain"`
	Hook    string  `json:"hook"`
	Rule    string  `json:"rule"`    // as written
	Index   int     `json:"index"`   // of the rule in its chain, from 0, as nft counts
	Last    bool    `json:"last"`    // of its chain
	Bytes   float64 `json:"bytes"`   // per second; 0: it counts packets
	Packets float64 `json:"packets"` // per second; 0: it counts bytes
	// Dropped and DroppedBytes are its counter; nil: it has none.
	Dropped      *uint64 `json:"dropped"`
	DroppedBytes *uint64 `json:"dropped_bytes"`
}

// Conntrack is the losses of the kernel's connection tracking.
type Conntrack struct {
	Drop      uint64 `json:"drop"`
	EarlyDrop uint64 `json:"early_drop"` // connections that found the table full, of all CPUs
	Proof            // the line with the most of them
}
