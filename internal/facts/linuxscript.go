package facts

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// scriptLooks is what a text has that sets traffic classes or RoCE on Linux; what a tool prints has none of it.
const scriptLooks = `(?m)^[^#\n]*(?:\bdcb (?:-\w+ )*(?:pfc|app|ets|buffer|apptrust|dcbx) (?:set|add|replace|flush) dev\b|\bmlnx_qos (?:-i|--interface)[ =]?\S+ +-{1,2}\w|` +
	`\bcma_roce_(?:tos|mode) .*-[tm] ?\d|\blldptool .*-T\b|/ecn/roce_[nr]p/enable/|/traffic_class\b|default_roce_tos)`

// script reads the lines of a shell script or of a note in which somebody keeps commands.
type script struct {
	f    *Facts
	vars map[string][]string // a loop gives a variable several values
	rdma map[string][]string // variable of an RDMA device to the interfaces that it is of
}

// Limits of a script: the values of a variable, and the interfaces that are named.
const (
	maxValues     = 64
	maxInterfaces = 4096
)

// readLinuxScript reads a shell script, also the apply.sh that linerate writes, for what it sets of the traffic classes of
// interfaces: iproute2's dcb, mlnx_qos, lldptool, ethtool -A, cma_roce_tos, and the files of mlx5 that ECN and marking are written
// to. Of several lines about one thing the last counts. Conditions are not followed. A variable counts for what it is set to, or for the
// name that linerate's scripts give it.
func readLinuxScript(f *Facts, _ []string, text []byte) error {
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
			if run := scriptTools[tool]; run != nil && run(s, words[i+1:], f.proof(line)) {
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

// scriptTools are the commands that set something; each says whether it did.
var scriptTools = map[string]func(s *script, words []string, p Proof) bool{
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

// assign keeps what variables are set to.
func (s *script) assign(line string) {
	if m := rdmaOf.FindStringSubmatch(line); m != nil {
		s.rdma[m[1]] = s.values("$" + m[2])
		return
	}
	if m := ownPort.FindStringSubmatch(line); m != nil { // port VARIABLE NAME ..: linerate's scripts look for the card
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

// values are the names that a word of a script stands for. Of a variable that is set nowhere it is its own name, without the if_
// that linerate's scripts put before; of $1 and the like none.
func (s *script) values(word string) []string {
	word = strings.Trim(word, `"'`)
	m := variable.FindStringSubmatchIndex(word)
	if m == nil {
		if isDeviceName(word) && !strings.ContainsAny(word, "$`(){}*<>;|&") {
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
		if whole := word[:m[0]] + v + word[m[1]:]; isDeviceName(whole) && !strings.Contains(whole, "$") && len(out) < maxValues {
			out = append(out, whole)
		}
	}
	return out
}

// each changes what is asked of every interface that a word stands for.
func (s *script) each(word string, change func(c *Classes)) bool {
	done := false
	for _, name := range s.values(word) {
		if s.f.NIC(name) != nil || len(s.f.NICs) < maxInterfaces {
			change(s.f.askedOf(name))
			done = true
		}
	}
	return done
}

// dcb is iproute2's: dcb OBJECT set dev X KEY VALUES..
func (s *script) dcb(words []string, p Proof) bool {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(words) < 4 || words[2] != "dev" || !slices.Contains([]string{"set", "add", "replace", "flush", "del"}, words[1]) {
		return false
	}
	return s.each(words[3], func(c *Classes) {
		items := dcbItems(words[4:])
		switch {
		case words[1] == "flush":
			if len(words) == 4 || slices.Contains(words[4:], "dscp-prio") {
				c.DSCP = map[int]int{}
			}
			return
		case words[0] == "dcbx":
			if slices.Contains(words[4:], "lld-managed") {
				c.agent("firmware", p)
			}
			c.says("dcbx", p, true)
			return
		case words[1] == "del":
			for _, item := range items {
				for _, v := range item.values {
					key, _, _ := strings.Cut(v, ":")
					if point, ok := codePoint(key); ok && item.key == "dscp-prio" {
						delete(c.DSCP, point)
					}
				}
			}
			return
		}
		for _, item := range items {
			if len(item.values) > 0 {
				c.dcb(item, p, true)
			}
		}
	})
}

// ethtool -A X rx off tx off: pause of the whole port.
func (s *script) ethtool(words []string, p Proof) bool {
	if len(words) < 4 || words[0] != "-A" && words[0] != "--pause" {
		return false
	}
	return s.each(words[1], func(c *Classes) {
		o := pairs(words[2:])
		if v := o["rx"]; v == "on" || v == "off" {
			c.PauseRx = known(v == "on")
		}
		if v := o["tx"]; v == "on" || v == "off" {
			c.PauseTx = known(v == "on")
		}
		c.says("pause", p, true)
	})
}

// shellWords divides a line at blanks, without what stands inside of quotes; quotes around a word are taken off, redirections and
// what ends a command stand alone.
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
			return out // a comment behind a command
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
