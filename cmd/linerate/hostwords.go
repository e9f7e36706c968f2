package main

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
)

// hostReach is how a HOST of a command line is got at: a reach is one word in quotes, tcp://.. is where an agent listens, and everything else is ssh's.
func hostReach(host string) string {
	if host == string(connect.Local) || host == string(connect.Srun) || strings.ContainsAny(host, " \t") || strings.HasPrefix(host, "tcp://") {
		return host
	}
	return "ssh " + host
}

// hostWord is a machine that a word of a command line stands for.
type hostWord struct {
	name string // in records: what its reach ends with
	spec connect.Spec
}

// hostWords are the machines that words stand for, in their order: ranges such as n[1-4] are spelled out, and this machine is there once however often it is named.
// All that is wrong with the words is told; verb is whose they are.
func hostWords(verb string, words []string) (out []hostWord, wrong []error) {
	names := map[string]bool{}
	for _, word := range words {
		if kind := connect.Kind(word); kind != connect.Local && kind != connect.Srun && slices.Contains([]connect.Kind{connect.Netns, connect.SSH, connect.Lab, connect.TCP, connect.Kubectl, connect.Captures}, kind) {
			wrong = append(wrong, fmt.Errorf("%s alone is no host; a reach of several words is one word of the command line: linerate %s %q", word, verb, word+" HOST"))
			continue
		}
		texts := []string{word}
		if !strings.HasPrefix(word, "tcp://") { // its brackets are an IPv6 address
			list, err := fabric.ExpandName(word)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w; write a range as n[1-4]", connect.Redact(clean(word)), err))
				continue
			}
			texts = list
		}
		for _, text := range texts {
			spec, err := connect.Parse(hostReach(text))
			switch {
			case err != nil:
				wrong = append(wrong, err)
			case spec.Kind == connect.Captures:
				wrong = append(wrong, fmt.Errorf("%s: captures are no host that can run anything; linerate check --captures reads them", clean(text)))
			case slices.ContainsFunc(out, func(h hostWord) bool { return h.spec.String() == spec.String() }):
				if spec.Kind != connect.Local {
					wrong = append(wrong, fmt.Errorf("%s: it is there twice; name each host once", connect.Redact(clean(text))))
				}
			default:
				name := unused(hostName(spec), names)
				names[name] = true
				out = append(out, hostWord{name, spec})
			}
		}
	}
	return out, wrong
}
