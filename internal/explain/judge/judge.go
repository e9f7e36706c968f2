package judge

import (
	"cmp"

	"linerate/internal/record"
)

// Decision is the result of trying the causes on one case.
type Decision struct {
	// Match is that of the first cause that is at least likely; nil: there is none.
	*Match
	// Candidates are the causes before it with some evidence.
	Candidates []record.Candidate
	// Settles is a command that would settle the first candidate that has one.
	Settles string
}

// Judge tries the causes in their order. The first that is at least likely decides, and later ones are not tried. words
// formats a candidate in a list. known is the number of pieces of evidence that the verdict has before: likely takes
// two.
func Judge[C any](c C, known int, causes []CauseOf[C], words func(*Match) string) Decision {
	var d Decision
	for _, cause := range causes {
		if cause.Test == nil || cause.Applies != nil && !cause.Applies(c) {
			continue
		}
		m := cause.Test(c)
		if m == nil {
			continue
		}
		m.Limiter = cmp.Or(m.Limiter, cause.ID)
		if m.Strength == Candidate && cause.Settles != nil {
			more, against := cause.Settles(c)
			if against {
				continue
			}
			if more != nil {
				m.Strength, m.Evidence = Likely, append(m.Evidence, *more)
			}
		}
		if m.Strength == Likely && known+len(m.Evidence) < 2 {
			m.Strength = Candidate
		}
		if m.Strength >= Likely {
			d.Match = m
			break
		}
		d.Settles = cmp.Or(d.Settles, m.Next)
		d.Candidates = append(d.Candidates, record.Candidate{Limiter: m.Limiter, Text: words(m)})
	}
	return d
}

// FirstEvidence returns the first piece of evidence, for a list of candidates.
func FirstEvidence(m *Match) string { return m.Evidence[0].Text }

// OwnSentence returns the sentence, for a list of candidates.
func OwnSentence(m *Match) string { return m.Sentence }

// Failing returns the causes of experiments without a figure, with their Fails as Test.
func Failing[C any](causes []CauseOf[C]) []CauseOf[C] {
	var out []CauseOf[C]
	for _, cause := range causes {
		cause.Test, cause.Settles = cause.Fails, nil
		out = append(out, cause)
	}
	return out
}

// Conclude makes the match the verdict. Evidence that the verdict already has stays first.
func (m *Match) Conclude(v *record.Verdict) {
	v.Limiter, v.Component, v.Sentence, v.Confidence = m.Limiter, m.Component, m.Sentence, m.Strength.confidence()
	v.Evidence = append(v.Evidence, m.Evidence...)
	v.Unknown = append(v.Unknown, m.Unknown...)
	if m.Identity != nil {
		v.Identity = m.Identity
	}
	v.Fix, v.Undo, v.NextCeiling, v.NextExperiment, v.Next = m.Fix, m.Undo, m.NextCeiling, m.Next, m.Ask
}
