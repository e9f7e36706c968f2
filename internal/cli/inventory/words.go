package inventory

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
)

// Connection converts a HOST of a command line to a connection: a quoted word is a connection itself, tcp://.. is a
// listening agent, and everything else is for ssh.
func Connection(host string) string {
	if host == string(connect.Local) || host == string(connect.Srun) || strings.ContainsAny(host, " \t") ||
		strings.HasPrefix(host, "tcp://") {
		return host
	}
	return "ssh " + host
}

// End converts an end of a command line, --from or --to, to a connection, as Connection does. The name of a kind of
// connection alone stays, so that its error says what is missing behind it.
func End(text string) string {
	if slices.Contains(alone, connect.Kind(text)) {
		return text
	}
	return Connection(text)
}

// alone are the kinds of connections that name a host only with a word behind them.
var alone = []connect.Kind{connect.Netns, connect.SSH, connect.Lab, connect.TCP, connect.Kubectl, connect.Snapshots}

// Named is a machine on a command line.
type Named struct {
	Name string // in records: the end of its connection
	Spec connect.Spec
}

// Words parses arguments into machines, in their order. Ranges such as n[1-4] are expanded, and this machine appears
// once however often it is named. All errors are reported; verb is the command.
func Words(verb string, words []string) (out []Named, wrong []error) {
	names := map[string]bool{}
	for _, word := range words {
		if slices.Contains(alone, connect.Kind(word)) {
			wrong = append(wrong,
				cli.Advise(fmt.Errorf("%s is not a host", word),
					fmt.Sprintf("put a connection of several words into quotes: linerate %s %q", verb, word+" HOST")))
			continue
		}
		texts := []string{word}
		if !strings.HasPrefix(word, "tcp://") { // an IPv6 address in brackets
			list, err := fabric.ExpandName(word)
			if err != nil {
				wrong = append(wrong, cli.Advise(fmt.Errorf("%s: %w", connect.Redact(cli.Clean(word)), err),
					"write a range as n[1-4]"))
				continue
			}
			texts = list
		}
		for _, text := range texts {
			spec, err := connect.Parse(Connection(text))
			switch {
			case err != nil:
				wrong = append(wrong, err)
			case spec.Kind == connect.Snapshots:
				wrong = append(wrong,
					cli.Advise(fmt.Errorf("%s: snapshots are not a host that can run anything", cli.Clean(text)),
						"linerate check --snapshots reads them"))
			case slices.ContainsFunc(out, func(h Named) bool { return h.Spec.String() == spec.String() }):
				if spec.Kind != connect.Local {
					wrong = append(wrong, cli.Advise(fmt.Errorf("%s: it is there twice", connect.Redact(cli.Clean(text))),
						"name each host once"))
				}
			default:
				name := Unused(Name(spec), names)
				names[name] = true
				out = append(out, Named{name, spec})
			}
		}
	}
	return out, wrong
}
