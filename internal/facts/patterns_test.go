package facts

import "testing"

// Expressions that are put together, which the test of lazyregexp does not see.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	for _, s := range sources() {
		if s.looks != nil {
			s.looks.NumSubexp()
		}
	}
	for _, r := range maskRules {
		r.form.NumSubexp()
	}
}
