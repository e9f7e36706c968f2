package parse

import (
	"regexp"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// routerosStatement is a command of a script or export: "/interface ethernet switch qos port set sfp1 trust-l3=keep".
type routerosStatement struct {
	menu, verb string
	target     string // its object: a name, a number, "find where name=x" without brackets; empty for add
	values     map[string]string
	facts.Proof
}

var (
	routerosMadeBy  = lazyregexp.New(`^# .*\bby RouterOS (\S+)`)
	routerosModel   = lazyregexp.New(`^# model = (\S.*)$`)
	routerosRelease = lazyregexp.New(`\[/system resource get version\] ~ "((?:[^"\\]|\\.)*)"`)
	routerosSets    = lazyregexp.New(`(!?)([a-z][a-z0-9.-]*)(?:=("(?:[^"\\]|\\.)*"|[^\s"]*))?`)
)

// readRouterOSScript reads an export, or typed or saved commands: menus, with add and set in them. Of ":if ... do={ A }
// else={ B }" it reads A, the branch for an unconfigured device. It ignores lines with variables. Snapshots have real
// exports; the language: https://manual.mikrotik.com, "Scripting".
func readRouterOSScript(f *parse.Builder, _ []string, text []byte) error {
	r := ofRouterOS(f)
	menu, found := []string(nil), false
	statement := func(line, proof string) {
		in, verb, args, ok := routerosCommand(line, menu)
		switch {
		case !ok:
			return
		case verb == "":
			menu, found = in, true
			return
		case verb != "set" && verb != "add" && verb != "remove" && verb != "unset" && verb != "enable" && verb != "disable",
			strings.Contains(args, "$"):
			return
		}
		found = true
		if len(r.script) > 100_000 {
			return
		}
		s := routerosStatement{menu: strings.Join(in, " "), verb: verb, Proof: f.Proof(proof)}
		s.target, s.values = routerosArguments(args)
		r.script = append(r.script, s)
	}
	for _, line := range routerosLines(string(text)) {
		if m := routerosMadeBy.FindStringSubmatch(line); m != nil {
			r.whole, found = true, true
			if f.Kernel == "" {
				f.Kernel = "RouterOS " + m[1]
			}
		} else if m := routerosModel.FindStringSubmatch(line); m != nil {
			set := unit.Known(strings.TrimSpace(m[1]))
			f.Machine.Vendor, f.Machine.Product = unit.Known("MikroTik"), set
		}
		if m := routerosRelease.FindStringSubmatch(line); m != nil {
			r.release(m[1])
		}
		if inner, ok := routerosThen(line); ok {
			for _, part := range inner {
				statement(part, line)
			}
			continue
		}
		if line != "" && line[0] != '#' && line[0] != ':' && line[0] != '{' && line[0] != '}' {
			statement(line, line)
		}
	}
	if !found {
		return parse.ToolError(text)
	}
	return nil
}

// routerosLines joins lines that continue after a backslash.
func routerosLines(text string) (lines []string) {
	var open strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if before, ok := strings.CutSuffix(line, `\`); ok && !strings.HasPrefix(line, "#") && open.Len() < 64<<10 {
			open.WriteString(before)
			continue
		}
		lines = append(lines, open.String()+line)
		open.Reset()
	}
	if open.Len() > 0 {
		lines = append(lines, open.String())
	}
	return lines
}

// routerosThen returns the commands of ":if (CONDITION) do={ A; B }".
func routerosThen(line string) ([]string, bool) {
	if !strings.HasPrefix(line, ":if ") {
		return nil, false
	}
	_, body, ok := strings.Cut(line, "do={")
	if !ok {
		return nil, true
	}
	depth, end := 1, len(body)
	for i, c := range body {
		if c == '{' {
			depth++
		} else if c == '}' {
			if depth--; depth == 0 {
				end = i
				break
			}
		}
	}
	var parts []string
	for _, p := range strings.Split(body[:end], ";") {
		if p = strings.TrimSpace(p); strings.HasPrefix(p, "/") {
			parts = append(parts, p)
		}
	}
	return parts, true
}

// routerosArguments splits the words after set or add: the object, and name=value. "!name" removes a value.
func routerosArguments(args string) (target string, values map[string]string) {
	values = map[string]string{}
	if strings.HasPrefix(args, "[") {
		if end := strings.Index(args, "]"); end > 0 {
			target, args = strings.TrimSpace(args[1:end]), args[end+1:]
		}
	}
	for _, m := range routerosSets.FindAllStringSubmatchIndex(args, -1) {
		bang, key := args[m[2]:m[3]] == "!", args[m[4]:m[5]]
		switch {
		case m[6] >= 0:
			value := args[m[6]:m[7]]
			if strings.HasPrefix(value, `"`) && len(value) > 1 {
				value = strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
			}
			values[key] = value
		case bang:
			values[key] = ""
		}
	}
	if target == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(args), " ")
		if first != "" && !strings.Contains(first, "=") && !strings.HasPrefix(first, "!") {
			target = strings.Trim(first, `"`)
		}
	}
	if n := values["numbers"]; n != "" {
		target = n
	}
	return target, values
}

// release records which releases a script is for, by the pattern that it compares the device's version with.
func (r *routeros) release(pattern string) {
	pattern = strings.NewReplacer(`\\`, `\`, `\$`, `$`).Replace(pattern)
	re, err := regexp.Compile(pattern)
	if err == nil {
		r.automap = re.MatchString("7.24 (stable)") && !re.MatchString("7.22 (stable)")
	}
}
