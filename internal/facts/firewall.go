package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// Firewall is the packet filter of a host: its chains, of nftables and, where it is read by itself, of iptables.
type Firewall struct {
	Chains []FirewallChain
	Limits []FirewallLimit // rules that drop what comes above a rate
}

// FirewallChain is a list of rules, which are asked one after another.
type FirewallChain struct {
	Table  string // "inet filter"
	Chain  string
	Hook   string // input, output, forward, prerouting, postrouting, ingress; empty: only other chains lead to it
	Policy string // what becomes of a packet that no rule decides on: accept, drop; empty: the chain has none
	Rules  int
	Jumps  []string // chains of its table that its rules lead to
	// Established is the place of the first rule that accepts every packet of an established connection, from 1; 0: there is none.
	// JumpsBefore is how many of Jumps stand before it.
	Established, JumpsBefore int
	// Dropped is how many packets the rules that count dropped or rejected; Silent is how many rules of its own drop and do not count. The
	// drops of a policy count nowhere.
	Dropped uint64
	Silent  int
	// SilentRules are the first of them, as they are written.
	SilentRules []string
	// Drops are the first rules that drop or reject, whether they count or not, as they are written.
	Drops []string
}

// mostSilent is how many rules that drop are kept of a chain: of all, and of those that do not count.
const mostSilent = 3

// met is how many of the chain's rules, and which of its jumps, a packet of an established connection meets.
func (c FirewallChain) met() (rules int, jumps []string) {
	if c.Established > 0 {
		return c.Established, c.Jumps[:c.JumpsBefore]
	}
	return c.Rules, c.Jumps
}

// drops takes up a rule that drops, with what it counted; empty: it does not count.
func (c *FirewallChain) drops(rule, counted string) {
	if len(c.Drops) < mostSilent {
		c.Drops = append(c.Drops, rule)
	}
	n, err := strconv.ParseUint(counted, 10, 64)
	if err != nil {
		if c.Silent++; len(c.SilentRules) < mostSilent {
			c.SilentRules = append(c.SilentRules, rule)
		}
		return
	}
	c.Dropped += n
}

// Dropped is how many packets all rules that count dropped; silent is how many rules drop without counting.
func (f Firewall) Dropped() (packets uint64, silent int) {
	for _, c := range f.Chains {
		packets, silent = packets+c.Dropped, silent+c.Silent
	}
	return packets, silent
}

// Name is the chain as its program writes it: "inet filter input".
func (c FirewallChain) Name() string { return strings.TrimSpace(c.Table + " " + c.Chain) }

// Most is the chain with a hook from which a packet of an established connection can meet the most rules, its own and those of the
// chains it leads to; Rules is that number.
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

var (
	nftBlock  = lazyregexp.New(`^(table|chain|set|map|flowtable|counter|quota|limit|secmark|synproxy|ct \w+) ([^{]*?) ?\{$`)
	nftHook   = lazyregexp.New(`^type \w+ hook (\w+)`)
	nftPolicy = lazyregexp.New(`(?:^|; ?)policy (\w+);?`)
	// "ct state { established, related } accept", "ct state vmap { established : accept, .. }", with or without a counter.
	nftEstablished = lazyregexp.New(`^ct state (?:vmap \{[^}]*\bestablished : accept\b|[^a-z]*(?:[a-z]+, ?)*established\b[^"]*\baccept\b)`)
	nftDrop        = lazyregexp.New(`(?:^| )(?:drop|reject(?: with [^{}"]+)?)(?: comment ".*")?$`)
	nftCounted     = lazyregexp.New(`\bcounter packets (\d+) bytes \d+ `)
	nftJump        = lazyregexp.New(`\b(?:jump|goto) ([^\s;,}]+)`)
)

// parseNftRuleset reads the output of "nft list ruleset": nested blocks of tables and chains, a rule a line.
// Format: nft(8). No ruleset at all is an empty output.
func parseNftRuleset(text []byte) (Firewall, error) {
	var f Firewall
	table, chain, other := "", -1, 0
	odd := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, " # handle "); i >= 0 {
			line = strings.TrimSpace(line[:i])
		}
		block := nftBlock.FindStringSubmatch(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case other > 0: // inside of a set or the like
			other += strings.Count(line, "{") - strings.Count(line, "}")
		case line == "}" && chain >= 0:
			chain = -1
		case line == "}" && table != "":
			table = ""
		case block != nil && block[1] == "table" && table == "":
			table = block[2]
		case block != nil && block[1] == "chain" && table != "" && chain < 0:
			f.Chains = append(f.Chains, FirewallChain{Table: table, Chain: block[2]})
			chain = len(f.Chains) - 1
		case block != nil && table != "" && chain < 0:
			other = 1
		case chain >= 0:
			c := &f.Chains[chain]
			if hook := nftHook.FindStringSubmatch(line); hook != nil {
				c.Hook = hook[1]
				c.Policy = append(nftPolicy.FindStringSubmatch(line), "", "")[1]
				continue
			}
			if strings.HasPrefix(line, "policy ") {
				c.Policy = append(nftPolicy.FindStringSubmatch(line), "", "")[1]
				continue
			}
			if strings.HasPrefix(line, "comment ") && c.Rules == 0 {
				continue
			}
			c.Rules++
			if nftDrop.MatchString(line) {
				counted := append(nftCounted.FindStringSubmatch(line), "", "")[1]
				c.drops(line, counted)
			}
			if l := parseNftLimit(line); l != nil {
				l.Table, l.Chain, l.Hook, l.Index = c.Table, c.Chain, c.Hook, c.Rules-1
				f.Limits = append(f.Limits, *l)
			}
			if c.Established == 0 && nftEstablished.MatchString(line) {
				c.Established, c.JumpsBefore = c.Rules, len(c.Jumps)
			}
			for _, j := range nftJump.FindAllStringSubmatch(line, -1) {
				c.Jumps = append(c.Jumps, j[1])
			}
			if open := strings.Count(line, "{") - strings.Count(line, "}"); open > 0 { // its set goes on in the next lines
				other = open
			}
		case table != "": // a property of the table, as "flags dormant"
		default:
			odd = line
		}
	}
	for i := range f.Limits {
		l := &f.Limits[i]
		l.Last = slices.ContainsFunc(f.Chains, func(c FirewallChain) bool { return c.Table == l.Table && c.Chain == l.Chain && c.Rules == l.Index+1 })
	}
	if odd != "" {
		return f, toolError([]byte(odd))
	}
	return f, nil
}

var iptablesEstablished = lazyregexp.New(`^-A \S+ -m (?:state --state|conntrack --ctstate) (?:[A-Z]+,)*ESTABLISHED(?:,[A-Z]+)*(?: -m comment --comment (?:\S+|".*"))? -j ACCEPT$`)

var iptablesHook = map[string]string{"INPUT": "input", "OUTPUT": "output", "FORWARD": "forward", "PREROUTING": "prerouting", "POSTROUTING": "postrouting"}

// parseIptablesSave reads the output of "iptables-save": tables behind a star, chains behind a colon, a rule a line.
// Format: iptables-save(8).
func parseIptablesSave(text []byte) (Firewall, error) {
	var f Firewall
	at, table, seen := map[string]int{}, "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] == '*':
			table, seen, at = "ip "+line[1:], true, map[string]int{}
		case line[0] == ':' && table != "":
			name := words[0][1:]
			at[name] = len(f.Chains)
			policy := ""
			if len(words) > 1 && words[1] != "-" {
				policy = strings.ToLower(words[1])
			}
			f.Chains = append(f.Chains, FirewallChain{Table: table, Chain: name, Hook: iptablesHook[name], Policy: policy})
		case words[0] == "COMMIT":
			table = ""
		default:
			counted := "" // with -c: [PACKETS:BYTES]
			for len(words) > 0 && strings.HasPrefix(words[0], "[") {
				counted, _, _ = strings.Cut(words[0][1:], ":")
				words = words[1:]
			}
			if len(words) < 2 || words[0] != "-A" {
				continue
			}
			i, ok := at[words[1]]
			if !ok {
				continue
			}
			f.Chains[i].Rules++
			if j := slices.Index(words, "-j"); j >= 0 && j+1 < len(words) && (words[j+1] == "DROP" || words[j+1] == "REJECT") {
				f.Chains[i].drops(strings.Join(words, " "), counted)
			}
			if c := &f.Chains[i]; c.Established == 0 && iptablesEstablished.MatchString(strings.Join(words, " ")) {
				c.Established, c.JumpsBefore = c.Rules, len(c.Jumps)
			}
			for n, w := range words[:len(words)-1] {
				if w == "-j" || w == "-g" {
					f.Chains[i].Jumps = append(f.Chains[i].Jumps, words[n+1])
				}
			}
		}
	}
	if !seen && len(strings.TrimSpace(string(text))) > 0 {
		return f, toolError(text)
	}
	return f, nil
}

// putFirewall adds the chains of one program to those of the other.
func putFirewall(f *Facts, _ []string, v Firewall) {
	all := f.Firewall.Or(Firewall{})
	all.Chains, all.Limits = append(all.Chains, v.Chains...), append(all.Limits, v.Limits...)
	f.Firewall = known(all)
}
