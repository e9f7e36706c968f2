package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/run"
)

// secretVariable is the name of the variable that holds the secret of a host's agent.
func secretVariable(host string) string {
	return "LINERATE_SECRET_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, host)
}

// withSecret adds the secret of an agent that listens to a reach over tcp: from
// its variable, or asked for on a terminal. Other reaches stay as they are.
func (e *env) withSecret(host string, s connect.Spec) (connect.Spec, error) {
	if s.Kind != connect.TCP || !s.Secret.IsZero() {
		return s, nil
	}
	name := secretVariable(host)
	text, from := e.getenv(name), name
	if text == "" {
		file, ok := e.in.(*os.File)
		if !ok || !term.IsTerminal(int(file.Fd())) {
			return s, fmt.Errorf("%s: its agent has a secret, and there is no terminal to ask for it; put what the agent printed behind '#' into %s", s, name)
		}
		fmt.Fprintf(e.err, "%s (%s): secret that its agent printed: ", host, s)
		typed, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(e.err)
		if err != nil {
			return s, fmt.Errorf("%s: read the secret: %w", s, err)
		}
		text, from = string(typed), "what was typed"
	}
	var err error
	if s.Secret, err = connect.ParseSecret(text); err != nil {
		return s, fmt.Errorf("%s: %s: %w", s, from, err)
	}
	return s, nil
}

// known is a reach with its secret, or why there is none.
type known struct {
	spec connect.Spec
	err  error
}

// secrets asks for the secrets of all hosts that are measured and reached over
// tcp, before anything is measured.
func (e *env) secrets(p *plan.Plan, cells []*run.Cell) map[string]known {
	need := map[string]bool{}
	for _, c := range cells {
		if c.Exp.NotRun == "" {
			for _, h := range c.Hosts() {
				need[h] = true
			}
		}
	}
	out := map[string]known{}
	for _, h := range p.Hosts {
		if !need[h.Name] || h.Reach == "" {
			continue
		}
		spec, err := connect.ParseFile(h.Reach)
		if err != nil || spec.Kind != connect.TCP {
			continue
		}
		spec, err = e.withSecret(h.Name, spec)
		out[h.Name] = known{spec, err}
	}
	return out
}

// arguments is the command line as it is written into a run, without secrets.
func arguments() []string {
	out := make([]string, len(os.Args))
	for i, a := range os.Args {
		out[i] = connect.Redact(a)
	}
	return out
}
