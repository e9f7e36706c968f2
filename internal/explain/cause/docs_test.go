package cause

import (
	"os"
	"strings"
	"testing"
)

// docs/causes.md has a line for every cause, in the order in which they are tried.
func TestDocumentedCauses(t *testing.T) {
	b, err := os.ReadFile("../../../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	text, last := string(b), 0
	for _, id := range IDs() {
		at := strings.Index(text, "\n| `"+id+"` |")
		switch {
		case at < 0:
			t.Errorf("docs/causes.md has no line for %s", id)
		case at < last:
			t.Errorf("docs/causes.md has %s before the causes that are asked before it", id)
		default:
			last = at
		}
	}
}
