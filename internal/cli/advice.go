package cli

import "linerate/internal/base/diag"

// Advice is an error with what to type: each line of Help is one thing.
type Advice struct {
	ID   diag.ID // of its page; empty: none
	Text string
	Help []string
	Note []string
}

func (a *Advice) Error() string { return a.Text }
