package testenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// WriteFile writes a file that a test needs, and makes its folder.
func WriteFile[T string | []byte](t testing.TB, path string, content T, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// Check fails the test if what it needs did not work.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must is the result of what a test needs, which fails the test if it did not work: testenv.Must(os.ReadFile(name))(t).
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Check(t, err)
		return v
	}
}

// Contains fails the test for each part that a text does not have; of says whose text it is.
func Contains(t testing.TB, of any, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%v: want %q in:\n%s", of, part, text)
		}
	}
}
