package judge

import (
	"testing"

	"linerate/internal/record"
)

// A cause with one piece of evidence is a candidate, however sure it is of itself.
func TestLikelyTakesTwo(t *testing.T) {
	pieces := 0
	causes := []CauseOf[int]{{ID: "x", Test: func(int) *Match {
		return &Match{Strength: Likely, Sentence: "x", Evidence: make([]record.Evidence, pieces)}
	}}}
	for _, c := range []struct {
		known, pieces int
		likely        bool
	}{{0, 1, false}, {0, 2, true}, {1, 1, true}, {1, 0, false}} {
		pieces = c.pieces
		d := Judge(0, c.known, causes, OwnSentence)
		if (d.Match != nil) != c.likely || (len(d.Candidates) == 0) != c.likely {
			t.Errorf("%+v: %+v", c, d)
		}
	}
}
