package record

import "linerate/internal/base/method"

// ReplaceAliases replaces the alias of a method, which an older record has, by its name.
func (e *Experiment) ReplaceAliases() {
	e.Method = method.Canonical(e.Method)
	for _, x := range e.FollowUp {
		x.ReplaceAliases()
	}
}
