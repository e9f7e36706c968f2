package report

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every verdict of storage is put in plain words.
func TestPlainWordsOfStorage(t *testing.T) {
	b, err := os.ReadFile("../../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n## Of storage\n")
	text, _, _ = strings.Cut(text, "\n\nA fix")
	ids := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(text, -1)
	if len(ids) < 12 {
		t.Fatalf("%d causes", len(ids))
	}
	for _, id := range ids {
		if plainWords(id[1]) == "" {
			t.Errorf("%s has no plain words", id[1])
		}
	}
}
