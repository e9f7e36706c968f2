package judge

import (
	"fmt"

	"linerate/internal/record"
)

// Candidate returns a match with its component and its sentence. The sentence begins with the subject.
func (c *Case) Candidate(component, format string, args ...any) *Match {
	return &Match{Strength: Candidate, Component: component, NextCeiling: c.NextCeiling(""),
		Sentence: c.Subject() + " " + fmt.Sprintf(format, args...)}
}

// Add appends evidence and leaves the strength of the match as it is.
func (m *Match) Add(evidence ...record.Evidence) { m.Evidence = append(m.Evidence, evidence...) }

// Likely adds evidence that makes the match likely.
func (m *Match) Likely(evidence ...record.Evidence) {
	m.Strength = Likely
	m.Add(evidence...)
}

// FromCheck takes fix and undo from a finding of a check.
func (m *Match) FromCheck(host string, f *record.Finding) {
	m.Fix, m.Undo = FromCheck(host, f.Fix), FromCheck(host, f.Undo)
}

// Proves reports whether two counts that must be equal are within 5 %. Then they are the identity that proves the
// match.
func (m *Match) Proves(a, b float64, left, right string) bool {
	d, ok := Matches(a, b)
	if ok {
		m.Strength, m.Identity = Proved, &record.Identity{Left: left, Right: right, Difference: d}
	}
	return ok
}

// Reading returns evidence of one value.
func Reading(host, source, counter string, after float64, unit, format string, args ...any) record.Evidence {
	return record.Evidence{Host: host, Source: source, Counter: counter, After: &after, Unit: unit,
		Text: fmt.Sprintf(format, args...)}
}

// Rise returns evidence of a counter that grew, with the growth counted from zero.
func Rise(host, source, counter string, by float64, unit, format string, args ...any) record.Evidence {
	e := Reading(host, source, counter, by, unit, format, args...)
	e.Before = new(0.0)
	return e
}

// Evidence returns the net growth as evidence.
func (g Growth) Evidence(host, source, counter, unit, format string, args ...any) record.Evidence {
	e := Rise(host, source, counter, g.Net, unit, format, args...)
	e.IdlePerSecond = g.Idle
	return e
}
