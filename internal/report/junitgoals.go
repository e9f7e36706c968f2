package report

import (
	"fmt"
	"io"

	"linerate/internal/record"
)

// JUnitGoals writes the goals of a run as the results of tests: a case a goal. One that was missed has failed; one of which nobody knows whether it
// is met was skipped, and so are measurements that failed or were not run, which no goal may hide.
func JUnitGoals(w io.Writer, r *record.Run) error {
	s := junitSuite{Name: "linerate run " + clean(r.Fabric)}
	for _, g := range r.Goals {
		c := junitCase{Class: "linerate.goal", Name: clean(g.Name), Out: clean(fmt.Sprintf("wanted: %s; measured: %s", g.Want, g.Have))}
		switch {
		case g.Met == nil:
			c.Skipped = &junitSkipped{clean("not known: " + g.Why)}
			s.Skipped++
		case !*g.Met:
			c.Failure = &junitFailure{Message: clean(fmt.Sprintf("wanted %s, measured %s", g.Want, g.Have)), Type: "missed", Text: clean(g.Why)}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	for _, e := range r.Experiments {
		why := e.NotRun
		if e.Failed != "" {
			why = e.Failed
		}
		if why == "" && len(e.Repeats) == 0 && e.Acceptance == nil && e.Proof == nil { // these two have no repeats
			why = "it was not measured: the run was cut off before it"
		}
		if why != "" {
			s.Cases = append(s.Cases, junitCase{Class: "linerate.not-measured", Name: clean(e.Path() + " " + e.Name), Skipped: &junitSkipped{clean(why)}})
			s.Skipped++
		}
	}
	return s.write(w)
}
