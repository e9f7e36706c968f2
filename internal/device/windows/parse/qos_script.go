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
)

// psStatement is a call of a cmdlet in a script: its name in lower case, its parameters by name ("priority"), and the
// values without a name.
type psStatement struct {
	name   string
	params map[string]string
	bare   []string
	before *psStatement // the call before it in the pipe; nil: none
	line   string
}

// psTokens are strings, lists, parameters, words, and separators of statements.
var psTokens = lazyregexp.New("'(?:[^']|'')*'|\"(?:[^\"`]|`.)*\"|[|;{}()]|[^\\s|;{}()'\"]+")

// parsePSScript returns the calls of cmdlets in a script, one after the other, as if all conditions were true. Lines
// that end in a grave accent continue below; text after # is a comment.
func parsePSScript(text string) (calls []psStatement, variables map[string]string) {
	variables = map[string]string{}
	text = strings.ReplaceAll(text, "`\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) > 1<<14 || line == "" || line[0] != '$' && !strings.Contains(strings.ToLower(line), "-net") {
			continue // not a variable, and not about the network
		}
		tokens := psTokens.FindAllString(line, -1)
		if i := slices.IndexFunc(tokens, func(t string) bool { return t[0] == '#' }); i >= 0 {
			tokens = tokens[:i]
		}
		if len(tokens) >= 3 && strings.HasPrefix(tokens[0], "$") && tokens[1] == "=" {
			variables[strings.ToLower(tokens[0])] = strings.Join(tokens[2:], " ")
		}
		var current *psStatement
		param := ""
		for _, t := range tokens {
			switch {
			case t == ";" || t == "{" || t == "}":
				current = nil
			case t == "|":
				if current != nil {
					current = &psStatement{before: current}
				}
			case t == "(" || t == ")":
				if t == ")" || current != nil && current.name != "" && param == "" {
					param = ""
				}
			case current == nil || current.name == "":
				if !psVerbNoun.MatchString(t) {
					if current != nil {
						current.name = "?"
					}
					continue
				}
				s := psStatement{name: strings.ToLower(t), params: map[string]string{}, line: line}
				if current != nil {
					s.before = current.before
				}
				calls = append(calls, s)
				current, param = &calls[len(calls)-1], ""
			case current.params == nil:
			case len(t) > 1 && t[0] == '-' && (t[1] < '0' || t[1] > '9'):
				name, value, colon := strings.Cut(strings.ToLower(t[1:]), ":")
				param = name
				current.params[param] = ""
				if colon {
					current.params[param], param = psString(value), ""
				}
			case param != "":
				current.params[param] += psString(t)
				if !strings.HasSuffix(t, ",") && !strings.HasSuffix(t, "@") {
					param = ""
				}
			default:
				current.bare = append(current.bare, psString(t))
			}
		}
	}
	return calls, variables
}

var psVerbNoun = lazyregexp.New(`^(?i:New|Set|Enable|Disable|Remove|Get)-[A-Za-z]+$`)

// psString returns the meaning of a token without its quotes.
func psString(t string) string {
	switch {
	case len(t) >= 2 && t[0] == '\'':
		return strings.ReplaceAll(t[1:len(t)-1], "''", "'")
	case len(t) >= 2 && t[0] == '"':
		return t[1 : len(t)-1]
	}
	return t
}

// names returns the adapters of a call; port is the plan's if the script finds the adapter itself.
func (s *psStatement) names(variables map[string]string) (names []string, port string) {
	said := s.params["name"]
	for _, p := range []string{"interfacealias", "name"} {
		if v, ok := s.params[p]; ok {
			said = v
		}
	}
	if said == "" && len(s.bare) > 0 {
		said = s.bare[0]
	}
	if value, ok := variables[strings.ToLower(said)]; ok {
		words := psTokens.FindAllString(value, -1)
		switch {
		case len(words) >= 3 && strings.EqualFold(words[0], "Get-Port"):
			return []string{psString(words[2])}, psString(words[1])
		case len(words) >= 2 && strings.EqualFold(words[0], "Find-Port"):
			return nil, psString(words[1])
		case len(words) == 1 && (words[0][0] == '\'' || words[0][0] == '"'):
			said = psString(words[0])
		default:
			return nil, ""
		}
	}
	if said == "" || strings.ContainsAny(said, "$*") {
		return nil, ""
	}
	return strings.Split(said, ","), ""
}

// ReadQosScript reads the DCB settings of a script: a typed one, or linerate's apply.ps1. Cmdlets:
// https://learn.microsoft.com/powershell/module/dcbqos and /netqos.
func ReadQosScript(f *parse.Builder, _ []string, text []byte) error {
	calls, variables := parsePSScript(string(text))
	c, marks, ports := &facts.Classes{}, []facts.PolicyMark{}, []string{}
	var on []string // adapters
	paused, said := map[int]bool{}, false
	type class struct {
		name, algorithm string
		percent         unit.Opt[int64]
		list            []int
		line            string
	}
	var classes []class
	for i := range calls {
		s := &calls[i]
		list, _ := priorities(s.params["priority"])
		if list == nil && len(s.bare) > 0 {
			list, _ = priorities(s.bare[0])
		}
		name := s.params["name"]
		if name == "" && len(s.bare) > 0 {
			name = s.bare[0]
		}
		switch s.name {
		case "enable-netqosflowcontrol", "disable-netqosflowcontrol":
			said = said || list != nil
			for _, p := range list {
				paused[p] = strings.HasPrefix(s.name, "enable")
				c.Proofs = unsaid(c.Proofs, "pfc "+strconv.Itoa(p))
				c.Proves("pfc "+strconv.Itoa(p), f.Proof(s.line))
				if paused[p] {
					c.Proves("pfc", f.Proof(s.line))
				}
			}
		case "set-netqosdcbxsetting":
			if v, ok := psBool(s.params["willing"]); ok {
				c.Willing = unit.Known(v)
				c.Proofs = unsaid(c.Proofs, "willing")
				c.Proves("willing", f.Proof(s.line))
			}
		case "new-netqostrafficclass":
			percent := unit.Unknown[int64]("the script names none")
			if n, ok := psNumber(first(s.params, "bandwidthpercentage", "bandwidth")); ok {
				percent = unit.Known(n)
			}
			classes = append(classes, class{name, s.params["algorithm"], percent, list, s.line})
		case "remove-netqostrafficclass":
			if s.before == nil && s.params["name"] != "" {
				classes = slices.DeleteFunc(classes, func(k class) bool { return strings.EqualFold(k.name, s.params["name"]) })
			}
		case "new-netqospolicy":
			marks = append(marks, asked(f, s, name))
		case "enable-netadapterqos":
			names, port := s.names(variables)
			on = append(on, names...)
			if port != "" {
				ports = append(ports, port)
			}
		}
	}
	if said {
		list := []int{}
		for p := range 8 {
			if paused[p] {
				list = append(list, p)
			}
		}
		c.PFCReceive, c.PFCSend = unit.Known(list), unit.Known(list)
	}
	if len(classes) > 0 {
		rest, left := int64(100), map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
		for i, k := range classes[:min(len(classes), 7)] {
			setShare(c, i+1, k.algorithm, k.percent, k.list)
			c.Proves("queue "+strconv.Itoa(i+1), f.Proof(k.line))
			rest -= k.percent.Or(0)
			for _, p := range k.list {
				delete(left, p)
			}
		}
		var others []int
		for p := range left {
			others = append(others, p)
		}
		percent := unit.Unknown[int64]("the others have more than all of it")
		if rest >= 0 {
			percent = unit.Known(rest)
		}
		setShare(c, 0, "ETS", percent, others)
	}
	if !said && len(classes) == 0 && len(marks) == 0 && len(on) == 0 && !c.Willing.IsKnown() {
		return errors.New("there is no command of DCB in it (New-NetQosPolicy, Enable-NetQosFlowControl, " +
			"New-NetQosTrafficClass, Set-NetQosDcbxSetting)")
	}
	p := policy(windowsOf(f))
	p.Asked, p.Ports = c, ports
	if len(marks) > 0 {
		p.AskedMarks = marks
	}
	for _, name := range on {
		n := f.Interface(name)
		adapterOf(n)
		n.Asked = c
	}
	return nil
}

func first(m map[string]string, names ...string) string {
	v, _ := firstIn(m, names...)
	return v
}

func unsaid(m map[string]facts.Proof, key string) map[string]facts.Proof {
	delete(m, key)
	return m
}

// asked returns the policy that a script makes.
func asked(f *parse.Builder, s *psStatement, name string) facts.PolicyMark {
	m := facts.PolicyMark{Name: name, Priority: unit.Unknown[int]("the script names none"),
		DSCP: unit.Unknown[int]("the script names none"), Proof: f.Proof(s.line)}
	if p, ok := firstIn(s.params, "netdirectportmatchcondition", "netdirectport"); ok {
		m.Match = "network direct port " + p
		if p == "445" {
			m.Match = "smb-direct"
		}
	}
	for _, filter := range []string{"smb", "iscsi", "nfs", "livemigration", "default", "cluster"} {
		if _, ok := s.params[filter]; ok {
			m.Match = filter
		}
	}
	if v, ok := firstIn(s.params, "priorityvalue8021action", "priorityvalue"); ok {
		if n, err := strconv.Atoi(v); err == nil && n >= 0 && n <= 7 {
			m.Priority = unit.Known(n)
		}
	}
	if v, ok := firstIn(s.params, "dscpaction", "dscpvalue"); ok {
		if n, err := strconv.Atoi(v); err == nil && n >= 0 && n <= 63 {
			m.DSCP = unit.Known(n)
		}
	}
	return m
}

func firstIn(m map[string]string, names ...string) (string, bool) {
	for _, n := range names {
		if v, ok := m[n]; ok {
			return v, true
		}
	}
	return "", false
}
