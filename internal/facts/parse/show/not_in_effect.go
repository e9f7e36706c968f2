package show

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// NotInEffect is a setting that a switch reports as configured on a port, but not in effect.
type NotInEffect struct {
	Port, What string
	facts.Proof
}

// settleNotInEffect reports configured settings that are not in effect, except on ports known to have no link, where
// many are not.
func settleNotInEffect(f *parse.Builder) {
	for _, x := range StateOf(f).Idle {
		if n := f.NIC(x.Port); n == nil || n.Carrier.Or(true) { // also if it applies to all ports
			f.Happened(facts.Event{What: facts.NotInEffect, Subject: x.Port, Detail: x.What, Proof: x.Proof})
		}
	}
	StateOf(f).Idle = nil
}
