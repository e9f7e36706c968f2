package parse

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

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

// parseNftRuleset reads the output of "nft list ruleset": nested blocks of tables and chains, one rule a line. Format:
// nft(8). Without a ruleset the output is empty.
func parseNftRuleset(text []byte) (facts.Firewall, error) {
	f := facts.Firewall{Sets: map[string][]string{}}
	table, chain, other, odd, dormant := "", -1, 0, "", ""
	set, block := "", []string(nil) // inside of a block that goes on: its set, its lines
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, " # handle "); i >= 0 {
			line = strings.TrimSpace(line[:i])
		}
		head := nftBlock.FindStringSubmatch(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case other > 0: // inside a set or similar block
			block = append(block, line)
			if other += strings.Count(line, "{") - strings.Count(line, "}"); other > 0 {
				continue
			}
			if text := strings.Join(block, " "); chain >= 0 {
				finishRule(&f.Chains[chain], text)
			} else if set != "" {
				f.Sets[set] = nftElements(text)
			}
			block, set = nil, ""
		case line == "}" && chain >= 0:
			chain = -1
		case line == "}" && table != "":
			table = ""
		case head != nil && head[1] == "table" && table == "":
			table = head[2]
		case head != nil && head[1] == "chain" && table != "" && chain < 0:
			f.Chains = append(f.Chains, facts.FirewallChain{Table: table, Chain: head[2]})
			chain = len(f.Chains) - 1
			f.Chains[chain].Off = dormant == table
		case head != nil && table != "" && chain < 0:
			if other = 1; head[1] == "set" {
				set = table + " " + head[2]
			}
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
			counted, drops := append(nftCounted.FindStringSubmatch(line), "", "")[1], nftDrop.MatchString(line)
			if drops {
				c.AddDrop(line, counted)
			}
			c.Add(WithoutCounters(line), counted, drops)
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
			if open := strings.Count(line, "{") - strings.Count(line, "}"); open > 0 { // its set continues on the next lines
				other = open
			}
		case table != "": // a property of the table
			if line == "flags dormant" {
				dormant = table
			}
		default:
			odd = line
		}
	}
	for i := range f.Limits {
		l := &f.Limits[i]
		l.Last = slices.ContainsFunc(f.Chains, func(c facts.FirewallChain) bool {
			return c.Table == l.Table && c.Chain == l.Chain && c.Rules == l.Index+1
		})
	}
	if odd != "" {
		return f, parse.ToolError([]byte(odd))
	}
	return f, nil
}

// nftElements returns the elements in the text of a set's block: "elements = { 10.0.0.0/8, 192.168.0.0/16 }", without
// their counters, timeouts and comments.
func nftElements(text string) []string {
	out := []string{}
	if _, list, ok := strings.Cut(text, "elements = {"); ok {
		list, _, _ = strings.Cut(list, "}")
		for e := range strings.SplitSeq(list, ",") {
			if words := strings.Fields(e); len(words) > 0 {
				out = append(out, words[0])
			}
		}
	}
	return out
}

// finishRule adds the rest of a chain's last rule, whose set is on several lines.
func finishRule(c *facts.FirewallChain, rest string) {
	if c.Rules != len(c.All) {
		return // it is not kept
	}
	r := &c.All[len(c.All)-1]
	r.Text += " " + rest
	counted := append(nftCounted.FindStringSubmatch(r.Text), "", "")[1]
	if r.Drops = nftDrop.MatchString(r.Text); r.Drops {
		c.AddDrop(r.Text, counted)
	}
	if n, err := strconv.ParseUint(counted, 10, 64); err == nil {
		r.Packets = &n
	}
	r.Text = WithoutCounters(r.Text)
}

var iptablesEstablished = lazyregexp.New(`^-A \S+ -m (?:state --state|conntrack --ctstate) (?:[A-Z]+,)*ESTABLISHED(?:,[A-Z]+)*(?: -m comment --comment (?:\S+|".*"))? -j ACCEPT$`)

var iptablesHook = map[string]string{"INPUT": "input", "OUTPUT": "output", "FORWARD": "forward",
	"PREROUTING": "prerouting", "POSTROUTING": "postrouting"}

// parseIptablesSave reads the output of "iptables-save": tables after a star, chains after a colon, one rule a line.
// Format: iptables-save(8).
func parseIptablesSave(text []byte) (facts.Firewall, error) {
	var f facts.Firewall
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
			f.Chains = append(f.Chains, facts.FirewallChain{Table: table, Chain: name, Hook: iptablesHook[name], Policy: policy})
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
			j := slices.Index(words, "-j")
			drops := j >= 0 && j+1 < len(words) && (words[j+1] == "DROP" || words[j+1] == "REJECT")
			if drops {
				f.Chains[i].AddDrop(strings.Join(words, " "), counted)
			}
			f.Chains[i].Add(strings.Join(words, " "), counted, drops)
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
		return f, parse.ToolError(text)
	}
	return f, nil
}

// putFirewall adds the chains of one program to those of the others.
func putFirewall(f *parse.Builder, _ []string, v facts.Firewall) {
	all := f.Firewall.Or(facts.Firewall{})
	all.Chains, all.Limits = append(all.Chains, v.Chains...), append(all.Limits, v.Limits...)
	if all.Sets == nil {
		all.Sets = v.Sets
	}
	f.Firewall = unit.Known(all)
}
