package report

import (
	"fmt"

	"linerate/internal/record"
)

// standIn is the protocol that was measured, and that which it stands for; both empty: none stands in.
func standIn(e *record.Experiment) (protocol, instead string) {
	if e.Block != nil {
		for _, w := range e.Block.Workers {
			if w.Export != nil && w.Export.Instead != "" {
				return w.Export.Protocol, w.Export.Instead
			}
		}
	}
	return "", ""
}

// standsInWhy says why two figures of storage are not divided, because one is of a protocol that stands in for another; empty: both are of the same.
func standsInWhy(base, other *record.Experiment) string {
	a, asA := standIn(base)
	b, asB := standIn(other)
	if a == b && asA == asB {
		return ""
	}
	protocol, instead := a, asA
	if instead == "" {
		protocol, instead = b, asB
	}
	return fmt.Sprintf("no ratio: %s stood in for %s", clean(protocol), clean(instead))
}
