package parse

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/dcb"
	"linerate/internal/facts/parse/rdma"
)

// scriptLooks matches a text that sets traffic classes or RoCE on Linux, and no output of a tool.
const scriptLooks = `(?m)^[^#\n]*(?:\bdcb (?:-\w+ )*(?:pfc|app|ets|buffer|apptrust|dcbx) (?:set|add|replace|flush) dev\b|\bmlnx_qos (?:-i|--interface)[ =]?\S+ +-{1,2}\w|` +
	`\bcma_roce_(?:tos|mode) .*-[tm] ?\d|\blldptool .*-T\b|/ecn/roce_[nr]p/enable/|/traffic_class\b|default_roce_tos)`

// script has the state while a shell script, or notes with commands, are read.
type script struct {
	f    *parse.Builder
	vars map[string][]string // a loop gives a variable several values
	rdma map[string][]string // from the variable of an RDMA device to its interfaces
}

// Limits of a script: the values of a variable, and the interfaces that are named.
const (
	maxValues     = 64
	maxInterfaces = 4096
)

// readLinuxScript reads which traffic class settings of interfaces a shell script makes, such as linerate's apply.sh:
// iproute2's dcb, mlnx_qos, lldptool, ethtool -A, cma_roce_tos, and writes to the files of mlx5 for ECN and marking. Of
// several lines about one setting the last counts. Conditions are not evaluated. A variable has its assigned value, or
// the name that linerate's scripts give it.
func readLinuxScript(f *parse.Builder, _ []string, text []byte) error {
	s := &script{f, map[string][]string{}, map[string][]string{}}
	before := len(f.NICs)
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	n := 0
	for line := range strings.Lines(joined) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		s.assign(trimmed)
		words := shellWords(trimmed)
		for i, w := range words {
			tool := w[strings.LastIndexAny(w, "/=")+1:]
			if run := scriptTools[tool]; run != nil && run(s, words[i+1:], f.Proof(line)) {
				n++
				break
			}
		}
	}
	if n == 0 {
		f.NICs = f.NICs[:before]
		return errors.New("no line in it sets traffic classes or RoCE of an interface that it names")
	}
	return nil
}

// scriptTools are the commands that set something; each reports whether it did.
var scriptTools = map[string]func(s *script, words []string, p facts.Proof) bool{
	"dcb":          (*script).dcb,
	"mlnx_qos":     (*script).mlnxQoS,
	"ethtool":      (*script).ethtool,
	"cma_roce_tos": (*script).cmaToS,
	"lldptool":     (*script).lldptool,
	"echo":         (*script).echo,
	"set_ecn":      (*script).setECN,   // of linerate's own scripts
	"set_class":    (*script).setClass, // the same
}

var (
	assignment = lazyregexp.New(`(?:^|[\s;])([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s;&|]*)`)
	forLoop    = lazyregexp.New(`\bfor\s+([A-Za-z_]\w*)\s+in\s+([^;\n]+)`)
	rdmaOf     = lazyregexp.New(`\b([A-Za-z_]\w*)=\$\(rdma_of "?\$\{?([A-Za-z_]\w*)\}?"?\)`)
	ownPort    = lazyregexp.New(`^port (if_\w+) (\S+) `)
	variable   = lazyregexp.New(`\$\{?([A-Za-z_]\w*)(?::-([^}]*))?\}?`)
)

// assign records the values of variables.
func (s *script) assign(line string) {
	if m := rdmaOf.FindStringSubmatch(line); m != nil {
		s.rdma[m[1]] = s.values("$" + m[2])
		return
	}
	if m := ownPort.FindStringSubmatch(line); m != nil { // port VARIABLE NAME ..: linerate's scripts search the adapter
		s.vars[m[1]] = []string{strings.Trim(m[2], `'"`)}
		return
	}
	if m := forLoop.FindStringSubmatch(line); m != nil {
		var list []string
		for _, w := range strings.Fields(m[2]) {
			list = append(list, s.values(w)...)
		}
		s.vars[m[1]] = list[:min(len(list), maxValues)]
	}
	for _, m := range assignment.FindAllStringSubmatch(line, 8) {
		if value := strings.Trim(m[2], `"'`); value != "" && !strings.Contains(value, "$(") && !strings.Contains(value, "`") {
			s.vars[m[1]] = s.values(value)
		}
	}
}

// values returns the names that a word of a script stands for. For an unassigned variable it is the variable's name,
// without the prefix if_ of linerate's scripts; for $1 and similar ones there is none.
func (s *script) values(word string) []string {
	word = strings.Trim(word, `"'`)
	m := variable.FindStringSubmatchIndex(word)
	if m == nil {
		if rdma.IsDeviceName(word) && !strings.ContainsAny(word, "$`(){}*<>;|&") {
			return []string{word}
		}
		return nil
	}
	name := word[m[2]:m[3]]
	list := s.vars[name]
	if len(list) == 0 && m[4] >= 0 && m[5] > m[4] {
		list = []string{word[m[4]:m[5]]}
	}
	if len(list) == 0 {
		list = []string{strings.TrimPrefix(name, "if_")}
	}
	if m[0] == 0 && m[1] == len(word) {
		return list
	}
	var out []string
	for _, v := range list {
		if whole := word[:m[0]] + v + word[m[1]:]; rdma.IsDeviceName(whole) && !strings.Contains(whole, "$") &&
			len(out) < maxValues {
			out = append(out, whole)
		}
	}
	return out
}

// each changes the settings of every interface that a word stands for.
func (s *script) each(word string, change func(c *facts.Classes)) bool {
	done := false
	for _, name := range s.values(word) {
		if s.f.NIC(name) != nil || len(s.f.NICs) < maxInterfaces {
			change(s.f.AskedOf(name))
			done = true
		}
	}
	return done
}

// dcb reads a command of iproute2: dcb OBJECT set dev X KEY VALUES..
func (s *script) dcb(words []string, p facts.Proof) bool {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(words) < 4 || words[2] != "dev" ||
		!slices.Contains([]string{"set", "add", "replace", "flush", "del"}, words[1]) {
		return false
	}
	return s.each(words[3], func(c *facts.Classes) {
		items := dcb.Items(words[4:])
		switch {
		case words[1] == "flush":
			if len(words) == 4 || slices.Contains(words[4:], "dscp-prio") {
				c.DSCP = map[int]int{}
			}
			return
		case words[0] == "dcbx":
			if slices.Contains(words[4:], "lld-managed") {
				dcb.SetAgent(c, "firmware", p)
			}
			dcb.Says(c, "dcbx", p, true)
			return
		case words[1] == "del":
			for _, item := range items {
				for _, v := range item.Values {
					key, _, _ := strings.Cut(v, ":")
					if point, ok := dcb.CodePoint(key); ok && item.Key == "dscp-prio" {
						delete(c.DSCP, point)
					}
				}
			}
			return
		}
		for _, item := range items {
			if len(item.Values) > 0 {
				dcb.SetItem(c, item, p, true)
			}
		}
	})
}

// ethtool reads ethtool -A X rx off tx off: pause of the whole port.
func (s *script) ethtool(words []string, p facts.Proof) bool {
	if len(words) < 4 || words[0] != "-A" && words[0] != "--pause" {
		return false
	}
	return s.each(words[1], func(c *facts.Classes) {
		o := parse.Pairs(words[2:])
		if v := o["rx"]; v == "on" || v == "off" {
			c.PauseRx = unit.Known(v == "on")
		}
		if v := o["tx"]; v == "on" || v == "off" {
			c.PauseTx = unit.Known(v == "on")
		}
		dcb.Says(c, "pause", p, true)
	})
}

// shellWords splits a line at blanks outside quotes. It removes quotes around words, and makes redirections and command
// separators separate words.
func shellWords(line string) (out []string) {
	var word strings.Builder
	quote, started := rune(0), false
	end := func() {
		if started {
			out = append(out, word.String())
		}
		word.Reset()
		started = false
	}
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, started = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		case r == ';' || r == '|' || r == '&' || r == '>' || r == '<':
			end()
			out = append(out, string(r))
		case r == '#' && !started:
			return out // a comment after a command
		default:
			word.WriteRune(r)
			started = true
		}
	}
	end()
	return out
}

// upTo reads a word of a script as a number of 0 to most.
func upTo(word string, most int) (int, bool) {
	n, err := strconv.ParseInt(word, 0, 32)
	return int(n), err == nil && n >= 0 && int(n) <= most
}
