package read

import (
	"testing"

	"linerate/internal/facts/snapshot"
)

// TestPatternsCompile compiles expressions that are put together, which the test of lazyregexp does not find.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	for _, s := range Sources() {
		if s.Looks != nil {
			s.Looks.NumSubexp()
		}
	}
	for _, r := range snapshot.MaskRules {
		r.Form.NumSubexp()
	}
}
