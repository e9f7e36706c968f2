package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// The outputs of commands in the README are those of the program in a fresh clone.
func TestOutputsOfTheReadme(t *testing.T) {
	printsWhatItSays(t, filepath.Join("..", "README.md"), root, 1)
}

// The README fits its length, has the two commands that do all the set-up, and every file that it leads to is there.
// The report in it is one of a real run: its parts and its table have the form of the program's.
func TestReadme(t *testing.T) {
	text := string(testenv.Must(os.ReadFile(filepath.Join(root, "README.md")))(t))
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("%d lines", n)
	}
	testenv.Contains(t, "the README", text, "\n    go run ./cmd/linerate run examples/mesh-10g.yaml --lab\n",
		"\n    ./test.sh\n")
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("it leads to %s: %v", m[1], err)
		}
	}
	golden := filepath.Join(root, "internal", "report", "brief", "testdata", "slow-cause.txt")
	shown := string(testenv.Must(os.ReadFile(golden))(t))
	form := regexp.MustCompile(`(?m)^ *(link +1 stream +8 streams +ceiling +RTT p50 +bottleneck|fix |why )`)
	have, want := form.FindAllString(text, -1), form.FindAllString(shown, -1)
	if len(have) != 3 || len(want) < 3 {
		t.Errorf("parts %q, of the program %q", have, want)
	}
}
