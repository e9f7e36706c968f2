package explain

import (
	"strings"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// state is what the check of an id finds at one end of the traffic, as that end was when the experiment ended; nil: nothing, or it is
// not known. What a setting should be is said in package check alone; a cause adds what it did to this experiment. About is a part of the
// finding's subject, such as an interface; empty: any of the host.
func (c *Case) state(id string, side Side, about string) *record.Finding {
	if side.Shots.After == nil {
		return nil
	}
	w := &check.World{Plan: c.Plan}
	if !w.Add(side.Host, side.Shots.After) {
		w = &check.World{} // a host that the plan does not name, as of a measurement by flags
		w.Add(side.Host, side.Shots.After)
	}
	got := check.Run(w, check.Choice{Only: []string{id}})
	for i, f := range got.Findings {
		if f.ID == id && strings.HasPrefix(f.Subject, side.Host+":") && strings.Contains(f.Subject, about) {
			return &got.Findings[i]
		}
	}
	return nil
}

// said is what a check found, as evidence of a cause.
func said(f *record.Finding, counter string) (out []record.Evidence) {
	for _, e := range f.Evidence {
		out = append(out, record.Evidence{Host: e.Host, Source: e.Source, Counter: counter, Text: e.Line})
	}
	if out == nil {
		host, _, _ := strings.Cut(f.Subject, ":")
		out = []record.Evidence{{Host: host, Source: "check " + f.ID, Counter: counter, Text: f.Have}}
	}
	return out
}
