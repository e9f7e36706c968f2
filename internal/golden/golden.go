// Package golden compares what a test gets with a file that was read by a person. Only tests import it.
//
//	go test ./internal/report -update
//
// writes the files of a package's tests; git diff then shows what has changed.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updates reports whether golden files are to be written. Tests whose files have other contents, too, ask for it.
func Updates() bool { return *update }

// Compare compares a text with a file, and fails with the lines that differ. With -update it writes the file.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		Write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if string(want) != got {
		t.Errorf("%s differs (-want +got; -update writes it):\n%s", file, difference(string(want), got))
	}
}

// Write writes a golden file, and its folder where it does not exist.
func Write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// difference has the lines that differ. Lines with their ends show a carriage return and a missing last line end.
func difference(want, got string) string {
	return cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n"))
}
