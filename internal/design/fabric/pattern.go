package fabric

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
)

// Patterns of an experiment between many hosts.
const (
	Pairs    = "pairs"      // from[i] to to[i]; without to, the first half of from to its second half
	Incast   = "incast"     // all of from to one
	AllToAll = "all-to-all" // every host to every other one
)

// Grouped reports whether an experiment drives several pairs of hosts at once.
func (e *Experiment) Grouped() bool {
	return method.Named(e.Method).Ends.Pair && (len(e.From) > 1 || len(e.To) > 1 || len(e.Parameter("traffic")) > 0)
}

// Flows lists the simultaneous senders and receivers of a pattern; "" is pairs. The error has what the pattern is
// missing and what to write. In pairs, a shorter list starts again. All-to-all is over the hosts of from and to
// together.
func (e *Experiment) Flows(pattern string) ([][2]string, error) {
	from, to := e.From, e.To
	if len(from) == 0 {
		return nil, fmt.Errorf("it names no hosts; write from: \"n[1-4]\"")
	}
	switch pattern {
	case Incast:
		if len(to) != 1 {
			return nil, fmt.Errorf("incast goes from many to one, and to has %d; write to: HOST", len(to))
		}
	case AllToAll:
		all := slices.Clone(from)
		for _, name := range to {
			all = xslices.AppendNew(all, name)
		}
		if len(all) < 2 {
			return nil, fmt.Errorf("all-to-all is among several hosts, and there is one; write from: \"n[1-4]\"")
		}
		return everyPair(all), nil
	default:
		if len(to) == 0 {
			if len(from) < 2 || len(from)%2 != 0 {
				return nil, fmt.Errorf("pairs without to go from the first half of the hosts to the second, and there are %d; "+
					"write to: HOST, or name an even number", len(from))
			}
			from, to = from[:len(from)/2], from[len(from)/2:]
		}
	}
	var flows [][2]string
	for i := range max(len(from), len(to)) {
		f := [2]string{from[i%len(from)], to[i%len(to)]}
		if onHost(f[0]) == onHost(f[1]) {
			if pattern == Incast && len(from) > 1 {
				continue // the receiver may be in the range of the senders
			}
			return nil, fmt.Errorf("%s is on both ends; name another host", onHost(f[0]))
		}
		if slices.Contains(flows, f) {
			return nil, fmt.Errorf("%s -> %s is there twice; name each host once", f[0], f[1])
		}
		flows = append(flows, f)
	}
	return flows, nil
}

func everyPair(hosts []string) [][2]string {
	var flows [][2]string
	for _, a := range hosts {
		for _, b := range hosts {
			if onHost(a) != onHost(b) {
				flows = append(flows, [2]string{a, b})
			}
		}
	}
	return flows
}

// onHost returns the host of an endpoint, which may name one of its NICs.
func onHost(name string) string { host, _, _ := strings.Cut(name, "."); return host }

// patterns reports what the patterns of an experiment are missing.
func (d *decoder) patterns(e *Experiment, f *fields) {
	for _, p := range e.Parameter("traffic") {
		if _, err := e.Flows(p); err != nil {
			message, fix, _ := strings.Cut(err.Error(), "; ")
			f.bad(diag.EndsInvalid, "traffic", fmt.Sprintf("traffic %s: %s", p, message), "", fix)
		}
	}
}

// Compact shortens names that differ in a number at one place, for printing, in the range syntax of the file: n1, n2,
// n3 are n[1-3]. Numbers with leading zeros stay as they are.
func Compact(names []string) string {
	var out []string
	for i := 0; i < len(names); {
		stem, rest, n, ok := numbered(names[i])
		j := i + 1
		for ok && j < len(names) {
			s, r, m, fine := numbered(names[j])
			if !fine || s != stem || r != rest || m != n+j-i {
				break
			}
			j++
		}
		if j-i > 1 {
			out = append(out, fmt.Sprintf("%s[%d-%d]%s", stem, n, n+j-i-1, rest))
		} else {
			out = append(out, names[i])
		}
		i = j
	}
	return strings.Join(out, ", ")
}

// numbered splits a name at its first number; ok is false without one, or with leading zeros.
func numbered(name string) (stem, rest string, n int, ok bool) {
	const digits = "0123456789"
	i := strings.IndexAny(name, digits)
	if i < 0 {
		return name, "", 0, false
	}
	j := i
	for j < len(name) && j < i+9 && strings.ContainsRune(digits, rune(name[j])) {
		n = n*10 + int(name[j]-'0')
		j++
	}
	return name[:i], name[j:], n, name[i] != '0'
}
