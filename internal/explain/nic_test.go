package explain

import (
	"slices"
	"testing"
)

// Findings of a check without an effect are candidates at most. With the effect they are causes.
func TestFindingsAndTheirEffects(t *testing.T) {
	for _, c := range cases(t, "near-nics.txt") {
		v := c.load(t).verdict(t)
		if v.Limiter == c.want[0] || slices.Contains(candidates(v), c.want[0]) != (len(c.want) > 1) {
			t.Errorf("%s: %s", c.name, says(v))
		}
	}
	for _, c := range cases(t, "nics.txt") {
		if v := c.load(t).verdict(t); v.Limiter != c.want[0] {
			t.Errorf("%s: want %s: %s", c.name, c.want[0], says(v))
		}
	}
}
