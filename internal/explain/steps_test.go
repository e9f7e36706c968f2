package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// Every step of a fix is a command or a sentence: none mixes the two, or names anything of another machine.
func TestFixesReadAloud(t *testing.T) {
	for _, x := range recordedRuns(t, "exam") {
		v := x.verdict(t)
		for _, text := range []string{v.Fix, v.Undo} {
			for _, s := range record.StepsOf(text) {
				if s.Command && (strings.Contains(s.Text, "; ") || strings.Contains(s.Text, ", ")) ||
					strings.Contains(s.Text, "DEV") && !strings.Contains(s.Text, "PORT") || s.Command &&
					strings.Contains(s.Text, " .. ") {
					t.Errorf("%s: %q", x.name, s.Text)
				}
			}
		}
		t.Logf("%s: %s\n%s\n  undo: %s\n  try: %s", x.name, v.Sentence, v.Fix, v.Undo, v.NextExperiment)
	}
}
