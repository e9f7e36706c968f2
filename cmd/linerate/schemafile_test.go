package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A new fabric file leads editors to a schema beside it; a file of that name that is not ours is left alone.
func TestSchemaBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	file, beside := filepath.Join(dir, "fabric.yaml"), filepath.Join(dir, schemaName)
	text := []byte("fabric: x\n")
	for range 2 { // the second time it is there already, and ours
		if got := string(withSchema(file, text)); got != schemaLine+"fabric: x\n" {
			t.Errorf("the text is %q", got)
		}
	}
	first, err := os.ReadFile(beside)
	if err != nil || string(first) != call(t, nil, "schema", "fabric").out {
		t.Errorf("%s is not what linerate schema fabric prints: %v", beside, err)
	}
	for _, other := range []string{"{\"$id\": \"urn:other\"}\n", "mine\n"} {
		if err := os.WriteFile(beside, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := string(withSchema(file, text)); strings.Contains(got, "$schema") {
			t.Errorf("beside a file that is not ours: %q", got)
		}
		if now, _ := os.ReadFile(beside); string(now) != other {
			t.Errorf("a file that is not ours was replaced by %q", now)
		}
	}
	if got := string(withSchema(filepath.Join(dir, "no", "fabric.yaml"), text)); got != string(text) {
		t.Errorf("where nothing can be written: %q", got)
	}
}
