package record

import "strings"

// Path names where data go: "desk -> nas", and "desk <-> nas" where they go both ways at once. Of several hosts at once the
// pattern stands before it: "incast n[1-3] -> n4".
func Path(pattern, from, to string, both bool) string {
	arrow := " -> "
	if both {
		arrow = " <-> "
	}
	s := together(from) + arrow + together(to)
	if to == "" { // a command runs on hosts, and goes nowhere
		s = from
	}
	if pattern != "" {
		s = pattern + " " + s
	}
	return s
}

// Path names where the data of the experiment go.
func (e *Experiment) Path() string {
	if e.Method == MethodHalo {
		return "among " + together(e.From)
	}
	from, to := e.From, e.To
	if e.Direction == "in" {
		from, to = to, from
	}
	return Path(e.Pattern, from, to, e.Direction == "both")
}

// together keeps a list of hosts apart from what stands beside it.
func together(hosts string) string {
	if strings.Contains(hosts, ", ") {
		return "(" + hosts + ")"
	}
	return hosts
}
