package cli

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"linerate/internal/host/connect"
)

// secretVariable is the name of the variable with the secret of a host's agent.
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

// WithSecret adds the secret of a listening agent to a connection over tcp: from its variable, or asked for on a
// terminal. Other connections stay unchanged.
func (e *Env) WithSecret(host string, s connect.Spec) (connect.Spec, error) {
	if s.Kind != connect.TCP || !s.Secret.IsZero() {
		return s, nil
	}
	name := secretVariable(host)
	text, from := e.Getenv(name), name
	if text == "" {
		file, ok := e.In.(*os.File)
		if !ok || !term.IsTerminal(int(file.Fd())) {
			return s, Advise(fmt.Errorf("%s: its agent has a secret, and there is no terminal to ask for it", s),
				fmt.Sprintf("put what the agent printed behind '#' into %s", name))
		}
		fmt.Fprintf(e.Err, "%s (%s): secret that its agent printed: ", host, s)
		typed, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(e.Err)
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

// Arguments is the command line for the record of a run, without secrets.
func Arguments() []string {
	out := make([]string, len(os.Args))
	for i, a := range os.Args {
		out[i] = connect.Redact(a)
	}
	return out
}
