package fabric

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
)

// connectionForm is one way to connect to a host that a file may name. Package connect parses the text again when it
// opens the connection. The rules are repeated here because a file that breaks them is refused before anything starts.
type connectionForm struct {
	kind  string
	form  string   // its syntax
	flags []string // allowed flags, each with a value
	name  string   // the characters of its one operand, besides letters and digits; empty: no operand
}

func connectionForms() []connectionForm {
	return []connectionForm{
		{"local", "local", nil, ""},
		{"netns", "netns NAME", nil, "._-+:@"},
		{"ssh", "ssh [USER@]HOST", nil, "._-:%[]+@"},
		{"lab", "lab [ID/]HOST", nil, "_-/"},
		{"tcp", "tcp HOST:PORT", nil, "._-:%[]"},
		{"srun", "srun [-p PARTITION] [-A ACCOUNT] [-w NODES] [-N NODES] [--jobid ID]",
			[]string{"-p", "-A", "-w", "-N", "--jobid"}, ""},
		{"kubectl", "kubectl [-n NAMESPACE] [--context CONTEXT] [-c CONTAINER] POD", []string{"-n", "--context", "-c"},
			"._-/"},
	}
}

// connection reads the connection of a host or switch (key connect) and inserts the host's name.
func (d *decoder) connection(f *fields, host string) string {
	text := f.text("connect")
	if text == "" {
		return ""
	}
	n := f.get("connect")
	whole := strings.ReplaceAll(text, "{host}", host)
	if message, fix := checkConnection(whole); message != "" {
		p := d.problem(diag.ConnectionInvalid, f.subject, message, "", fix)
		p.Refused = true
		if meant := misspeltConnection(whole); meant != "" {
			p.Fix, p.Refused = "did you mean "+meant+"?", false
		}
		d.src.add(n.at, p)
		return ""
	}
	return strings.Join(strings.Fields(whole), " ")
}

// misspeltConnection returns the connection that was probably meant, if its first word is close to a known one and the
// rest is allowed; else "".
func misspeltConnection(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 || len(words[0]) < 3 { // sh is a program
		return ""
	}
	var kinds []string
	for _, r := range connectionForms() {
		if r.kind == words[0] {
			return ""
		}
		kinds = append(kinds, r.kind)
	}
	words[0] = nearest(words[0], kinds)
	meant := strings.Join(words, " ")
	if message, _ := checkConnection(meant); words[0] == "" || message != "" {
		return ""
	}
	return meant
}

// checkConnection returns what is wrong with a connection and what to write; empty if it is allowed.
func checkConnection(s string) (message, fix string) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return "the connection is empty", "write ssh [USER@]HOST, or omit connect"
	}
	forms := connectionForms()
	i := slices.IndexFunc(forms, func(r connectionForm) bool { return r.kind == words[0] })
	if i < 0 && len(words) == 1 && badWord(words[0], "._-:%[]+@") == "" {
		return fmt.Sprintf("%s names no protocol", quote(s)), "write ssh " + words[0]
	}
	if i < 0 {
		return fmt.Sprintf("%s is not a connection to a host", quote(words[0])), "write ssh [USER@]HOST\n" +
			"others are netns NAME, local, lab [ID/]HOST, srun, kubectl and tcp HOST:PORT"
	}
	r := forms[i]
	fix = "write " + r.form
	if r.kind == "ssh" {
		fix += "\nwrite options of ssh below Host in ~/.ssh/config"
	}
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		flag, value, joined := strings.Cut(rest[0], "=")
		if !slices.Contains(r.flags, flag) {
			return fmt.Sprintf("the option %s is not allowed in a connection", quote(flag)), fix
		}
		rest = rest[1:]
		if !joined {
			if len(rest) == 0 {
				return fmt.Sprintf("the option %s has no value", flag), fix
			}
			value, rest = rest[0], rest[1:]
		}
		if bad := badWord(value, "._-/,[]:@"); bad != "" {
			return bad, fix
		}
	}
	switch {
	case r.name == "" && len(rest) > 0:
		return fmt.Sprintf("%s takes no word %s", r.kind, quote(rest[0])), fix
	case r.name != "" && len(rest) == 0:
		return fmt.Sprintf("a name is missing after %s", r.kind), fix
	case r.name != "" && len(rest) != 1:
		return fmt.Sprintf("%s takes one word, not %d", r.kind, len(rest)), fix
	case r.name == "":
		return "", ""
	}
	return checkConnectionName(r, rest[0], fix)
}

// checkConnectionName checks the last word: host, namespace or pod.
func checkConnectionName(r connectionForm, name, fix string) (string, string) {
	if bad := badWord(name, r.name); bad != "" {
		return bad, fix
	}
	parts := []string{name}
	switch r.kind {
	case "netns":
		if name == "." || name == ".." {
			return quote(name) + " is not a name of a namespace", fix
		}
	case "ssh":
		if user, host, ok := strings.Cut(name, "@"); ok {
			if bad := badWord(user, "._-+"); bad != "" {
				return bad, fix
			}
			parts = []string{host}
		}
		if bad := badWord(parts[0], "._-:%[]"); bad != "" {
			return bad, fix
		}
		if strings.Contains(name, "[") && !strings.Contains(name, ":") {
			return "a connection has no range", "write {host} for the name of the host: ssh root@{host}"
		}
	case "lab":
		for _, p := range strings.SplitN(name, "/", 2) {
			if bad := badWord(p, "_-"); bad != "" {
				return bad, fix
			}
		}
	case "tcp":
		host, port, err := net.SplitHostPort(name)
		if err != nil {
			return quote(name) + " is not HOST:PORT", fix
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return quote(port) + " is not a port from 1 to 65535", fix
		}
		if bad := badWord(host, "._-:%"); bad != "" {
			return bad, fix
		}
	}
	return "", ""
}

// badWord returns what is wrong with a word of a connection. ssh's own config may pass names to a shell (ProxyCommand
// %h), so characters that are special to a shell are refused.
func badWord(s, more string) string {
	switch c := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(more, r))
	}); {
	case s == "":
		return "a name is empty"
	case s[0] == '-':
		return fmt.Sprintf("%s is an option", quote(s))
	case c >= 0:
		return fmt.Sprintf("%s has the character %s", quote(s), quote(string([]rune(s[c:])[:1])))
	case len(s) > 255:
		return fmt.Sprintf("a name has %d characters, more than 255", len(s))
	}
	return ""
}
