package judge

import (
	"cmp"

	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
)

// State is what the check of an id finds at one end of the traffic, as that end was when the experiment ended; nil:
// nothing, or it is not known. What a setting should be is said in package check alone; a cause adds what it did to
// this experiment. Part is an interface or another part of the host that it has to be about, or the address of a
// peer; empty: any.
func (c *Case) State(id string, side Side, part string) *record.Finding {
	if side.Shots.After == nil {
		return nil
	}
	w := &check.World{Plan: c.Plan}
	if !w.Add(side.Host, side.Shots.After) {
		w = &check.World{} // the plan does not name the host, as in a measurement with flags
		w.Add(side.Host, side.Shots.After)
	}
	got := check.Run(checks.All(), w, check.Choice{Only: []string{id}})
	for i, f := range got.Findings {
		if f.ID == id && f.Subject.Host == side.Host && (part == "" || f.Subject.Has(side.Host, part)) {
			return &got.Findings[i]
		}
	}
	return nil
}

// FindingEvidence returns the finding of a check as evidence of a cause.
func FindingEvidence(f *record.Finding, counter string) (out []record.Evidence) {
	for _, e := range f.Evidence {
		out = append(out, record.Evidence{Host: e.Host, Source: e.Source, Counter: counter, Text: e.Line})
	}
	if out == nil {
		host := cmp.Or(f.Subject.Host, f.Subject.String())
		out = []record.Evidence{{Host: host, Source: "check " + f.ID, Counter: counter, Text: f.Have}}
	}
	return out
}
