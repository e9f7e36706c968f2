package parse

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// answer is whether a packet matches a rule.
type answer int

const (
	no answer = iota
	unknown
	sometimes // by chance, or above a rate
	yes
)

// The ports that Linux picks by default (net.ipv4.ip_local_port_range), those of measurements.
const firstPort, lastPort = 32768, 60999

// nftOperand is a value: a set in braces, a named set, or words up to the next statement.
const nftOperand = `(!= )?(\{[^}]*\}|@\S+|"[^"]*"|\S+)`

var (
	nftInterface = lazyregexp.New(`^(i|o)if(?:name)? ` + nftOperand)
	nftAddress   = lazyregexp.New(`^(ip6?) ([sd])addr ` + nftOperand)
	nftProtocol  = lazyregexp.New(`^(?:(?:meta )?l4proto|ip protocol|ip6 nexthdr) ` + nftOperand)
	nftVersion   = lazyregexp.New(`^meta (?:nfproto|protocol) ` + nftOperand)
	nftPort      = lazyregexp.New(`^(tcp|udp|th|sctp|dccp) [sd]port ` + nftOperand)
	nftState     = lazyregexp.New(`^ct state ` + nftOperand)
	nftMap       = lazyregexp.New(`^(ct state|[io]ifname) vmap \{([^}]*)\}`)
	nftOther     = lazyregexp.New(`^(?:icmp|icmpv6|igmp|esp|ah) |^ct status `)
	nftType      = lazyregexp.New(`^fib daddr type ` + nftOperand)
	nftChance    = lazyregexp.New(`^numgen random mod \d+ (?:<|<=|==|>|>=)? ?\d+|` +
		`^limit rate over \S+(?: \w+)?(?: burst \d+ \w+)?|^xt match "statistic"`)
	nftNeutral = lazyregexp.New(`^counter(?: packets \d+ bytes \d+| name \S+)?(?: |$)|` +
		`^log(?: (?:prefix "[^"]*"|level \w+|flags [\w ,]+?|group \d+))*(?: |$)` +
		`|^comment "[^"]*"|^(?:meta|ct) mark set \S+|^meta nftrace set \d|^notrack|^xt match "comment"`)
	nftVerdict = lazyregexp.New(`^(?:(accept|drop|return|continue)|(reject)(?: with .*)?|((?:jump|goto) \S+))(?: |$)`)
)

// match returns whether the packet matches a rule, and the rule's verdict; empty: it has none.
func (w *walk) match(table, rule string) (answer, string) {
	if strings.HasPrefix(rule, "-A ") {
		rule = fromIptables(rule)
	}
	got := yes
	for rest := strings.TrimSpace(rule); rest != ""; rest = strings.TrimSpace(rest) {
		if v := nftVerdict.FindStringSubmatch(rest); v != nil {
			return got, v[1] + v[2] + v[3]
		}
		if m := nftMap.FindStringSubmatch(rest); m != nil {
			if verdict := w.mapped(m[1], m[2]); verdict != "" {
				return got, verdict
			}
			return no, ""
		}
		a, used := w.statement(table, rest)
		if got = min(got, a); a == no {
			return no, ""
		}
		if used == 0 {
			return got, nftLast(rest)
		}
		rest = rest[used:]
	}
	return got, ""
}

// nftLast returns the verdict at the end of a rule with parts that are not understood.
func nftLast(rest string) string {
	if nftDrop.MatchString(rest) {
		return "drop"
	}
	if i := strings.LastIndex(rest, " jump "); i >= 0 {
		return strings.Join(append(strings.Fields(rest[i:]), "")[:2], " ")
	}
	return "accept"
}

// statement matches the first statement of a rule's rest; used is its length, 0: it is not understood.
func (w *walk) statement(table, rest string) (a answer, used int) {
	p := w.packet
	find := func(re *lazyregexp.Regexp) []string {
		m := re.FindStringSubmatch(rest)
		if m != nil {
			used = len(m[0])
		}
		return m
	}
	if find(nftNeutral) != nil {
		return yes, used
	}
	if m := find(nftInterface); m != nil {
		name := p.In
		if m[1] == "o" {
			name = p.Out
		}
		return w.one(table, m[2], m[3], func(v string) answer { return truth(name != "" && sameName(v, name)) }), used
	}
	if m := find(nftAddress); m != nil {
		at := p.From
		if m[2] == "d" {
			at = p.To
		}
		if at = at.Unmap(); at.Is4() != (m[1] == "ip") {
			return no, used
		}
		return w.one(table, m[3], m[4], func(v string) answer { return among(v, at) }), used
	}
	if m := find(nftProtocol); m != nil {
		return w.one(table, m[1], m[2], func(v string) answer { return truth(v == "tcp" || v == "6") }), used
	}
	if m := find(nftVersion); m != nil {
		v4 := p.From.Unmap().Is4()
		return w.one(table, m[1], m[2], func(v string) answer { return truth((v == "ip" || v == "ipv4") == v4) }), used
	}
	if m := find(nftPort); m != nil {
		if m[1] != "tcp" && m[1] != "th" {
			return no, used
		}
		return w.one(table, m[2], m[3], ports), used
	}
	if m := find(nftState); m != nil {
		return w.one(table, m[1], strings.ReplaceAll(m[2], "|", ","), func(v string) answer { return truth(v == w.state()) }),
			used
	}
	if m := find(nftType); m != nil && w.hook == "input" {
		return w.one(table, m[1], m[2], func(v string) answer { return truth(v == "local") }), used
	}
	if find(nftOther) != nil {
		return no, used
	}
	if find(nftChance) != nil {
		return sometimes, used
	}
	return unknown, 0
}

func (w *walk) state() string {
	if w.packet.Established {
		return "established"
	}
	return "new"
}

// one matches a value, a list in braces or with commas, or a named set.
func (w *walk) one(table, not, value string, match func(string) answer) answer {
	values := strings.Split(strings.Trim(value, "{ }"), ",")
	if name, ok := strings.CutPrefix(value, "@"); ok {
		if values, ok = w.all.Sets[table+" "+name]; !ok {
			return unknown
		}
	}
	got := no
	for _, v := range values {
		got = max(got, match(strings.Trim(v, ` "`)))
	}
	if not != "" && got != unknown {
		return truth(got == no)
	}
	return got
}

// mapped returns the verdict of a map for the packet; empty: it has none.
func (w *walk) mapped(key, entries string) string {
	is := map[string]string{"ct state": w.state(), "iifname": w.packet.In, "oifname": w.packet.Out}[key]
	for e := range strings.SplitSeq(entries, ",") {
		if k, verdict, ok := strings.Cut(e, ":"); ok && is != "" && sameName(strings.Trim(k, ` "`), is) {
			return strings.TrimSpace(verdict)
		}
	}
	return ""
}

func truth(v bool) answer {
	if v {
		return yes
	}
	return no
}

// sameName reports whether a name, or one with a star at its end, is that of the interface.
func sameName(pattern, name string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, start)
	}
	return pattern == name
}

// among reports whether an address is the value, in its prefix or in its range.
func among(value string, a netip.Addr) answer {
	if p, err := netip.ParsePrefix(value); err == nil {
		return truth(p.Contains(a))
	}
	first, last, isRange := strings.Cut(value, "-")
	low, err := netip.ParseAddr(first)
	if err != nil {
		return unknown // a name
	}
	if !isRange {
		return truth(low == a)
	}
	high, err := netip.ParseAddr(last)
	if err != nil {
		return unknown
	}
	return truth(low.Compare(a) <= 0 && a.Compare(high) <= 0)
}

// ports reports whether the ports that a system picks are the value or in its range.
func ports(value string) answer {
	first, last, isRange := strings.Cut(value, "-")
	low, err0 := strconv.Atoi(first)
	high, err1 := strconv.Atoi(last)
	if !isRange {
		high, err1 = low, err0
	}
	switch {
	case err0 != nil && !isRange:
		return no // a service's name: its port is a fixed one
	case err0 != nil || err1 != nil:
		return unknown
	case high < firstPort || low > lastPort:
		return no
	case low <= firstPort && high >= lastPort:
		return yes
	}
	return unknown
}

// iptablesOptions are what the options of iptables are in the words of nft. A percent sign is the option's value.
var iptablesOptions = map[string]string{
	"-i": `iifname "%"`, "-o": `oifname "%"`, "-s": "ip saddr %", "-d": "ip daddr %",
	"-p": "meta l4proto %", "--dport": "tcp dport %", "--sport": "tcp sport %", "--dports": "tcp dport { % }",
	"--sports": "tcp sport { % }", "--state": "ct state %", "--ctstate": "ct state %", "--mode": "numgen random mod 2 < 1",
	"--comment": "", "--probability": "", "--reject-with": "", "-A": "",
}

// fromIptables returns a rule of iptables-save as nft writes it, as far as it is understood.
func fromIptables(rule string) string {
	words, out := strings.Fields(rule), []string(nil)
	not := ""
	for i := 0; i < len(words); i++ {
		next := append(slices.Clone(words[i+1:]), "")[0]
		text, ok := iptablesOptions[words[i]]
		switch {
		case words[i] == "!":
			not = "!= "
			continue
		case words[i] == "-m" && slices.Contains([]string{"tcp", "udp", "state", "conntrack", "comment", "statistic",
			"multiport"}, next):
			i++
		case words[i] == "-j" || words[i] == "-g":
			target := strings.ToLower(next)
			if !slices.Contains([]string{"accept", "drop", "reject", "return"}, target) {
				target = "jump " + next
			}
			return strings.Join(append(out, target), " ")
		case ok:
			value := next
			if words[i] == "--state" || words[i] == "--ctstate" {
				value = strings.ToLower(value)
			}
			if strings.HasPrefix(value, `"`) { // a comment of several words
				for i++; i+1 < len(words) && !strings.HasSuffix(words[i], `"`); i++ {
				}
			} else {
				i++
			}
			out = append(out, strings.Replace(text, "%", value, 1))
			if at := len(out) - 1; not != "" && out[at] != "" {
				last := strings.LastIndexByte(out[at], ' ')
				out[at] = out[at][:last+1] + not + out[at][last+1:]
			}
		default:
			out = append(out, "iptables "+words[i])
		}
		not = ""
	}
	return strings.Join(out, " ")
}
