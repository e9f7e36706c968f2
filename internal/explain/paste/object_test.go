package paste

import (
	"strings"
	"testing"
)

// Braces and elements that never close are not searched again for each of them, and the lines are not lost.
func TestUnclosed(t *testing.T) {
	for _, line := range []string{"{", "<Results>", `{"a": {`} {
		const n = 3000
		w := walk{lines: cleaned(strings.Repeat(line+"\n", n)), prompts: map[string]bool{}}
		w.all()
		if most := (mostScans + 1) * n; w.scanned > most {
			t.Errorf("%q: %d lines were searched, at most %d", line, w.scanned, most)
		}
		if len(w.parts) != 1 || w.parts[0].From != 1 || w.parts[0].To != n || w.parts[0].IsRecognised() {
			t.Errorf("%q: %d parts", line, len(w.parts))
		}
	}
}
