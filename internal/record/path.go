package record

import (
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
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

// Transport is the protocol that was in effect; empty: not known. A lab may replace the one that was asked for.
func (e *Experiment) Transport() string {
	if t := e.InEffect["transport"]; t != "" {
		return t
	}
	if e.Copy != nil && e.Copy.Over != "" {
		return e.Copy.Over
	}
	if e.Block != nil {
		var all []string
		for _, w := range e.Block.Workers {
			if w.Export != nil {
				all = xslices.AppendNew(all, w.Export.Protocol)
			}
		}
		if len(all) > 0 {
			return strings.Join(all, ", ")
		}
	}
	return e.Settings["transport"]
}
