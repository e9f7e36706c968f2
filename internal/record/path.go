package record

import (
	"strings"

	"linerate/internal/base/method"
)

// Path names the direction of the data: "desk -> nas", or "desk <-> nas" for both at once. Several hosts are preceded
// by the pattern: "incast n[1-3] -> n4".
func Path(pattern, from, to string, both bool) string {
	arrow := " -> "
	if both {
		arrow = " <-> "
	}
	s := bracketed(from) + arrow + bracketed(to)
	if to == "" { // a command runs on hosts and has no destination
		s = from
	}
	if pattern != "" {
		s = pattern + " " + s
	}
	return s
}

// Path names the direction of the experiment's data.
func (e *Experiment) Path() string {
	if method.Named(e.Method).Exchanges {
		return "among " + bracketed(e.From)
	}
	from, to := e.From, e.To
	if e.Direction == "in" {
		from, to = to, from
	}
	return Path(e.Pattern, from, to, e.Direction == "both")
}

// bracketed puts a list of hosts in brackets.
func bracketed(hosts string) string {
	if strings.Contains(hosts, ", ") {
		return "(" + hosts + ")"
	}
	return hosts
}
