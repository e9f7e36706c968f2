package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/cli/planning"
	"linerate/internal/testenv"
)

// Every kind of JSON object that the commands print has a schema: their names are in the source.
func TestEveryOutputHasASchema(t *testing.T) {
	printed := regexp.MustCompile(`\.PrintObject\("([a-z-]+)"|"linerate/([a-z-]+)/1"`)
	var files []string
	for _, pattern := range []string{"*.go", root + "/internal/cli/*.go", root + "/internal/cli/*/*.go"} {
		found := testenv.Must(filepath.Glob(pattern))(t)
		files = append(files, found...)
	}
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "schema.go" {
			continue
		}
		text := testenv.Must(os.ReadFile(name))(t)
		for _, m := range printed.FindAllStringSubmatch(string(text), -1) {
			seen++
			if kind := m[1] + m[2]; validator(t, kind) == nil {
				t.Errorf("%s prints linerate/%s/1, and linerate schema has no such kind", name, kind)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d kinds found in the source", seen)
	}
}

// Outputs that need no host match their schemas; with an additional key they do not.
func TestOutputsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	for kind, words := range map[string]string{"checks": "check --list --json", "faults": "lab fault --list --json",
		"baselines": "compare --baselines --json", "version": "version --json"} {
		o := call(t, nil, strings.Fields(words)...).object(t, "linerate/"+kind+"/1")
		o["another"] = 1.0
		if validator(t, kind).Validate(o) == nil {
			t.Errorf("the schema of %s takes any key", kind)
		}
	}
	if runtime.GOOS == "linux" {
		call(t, nil, "facts", "--local", "--dry-run", "--json").object(t, "linerate/facts-dry-run/1")
		call(t, nil, "facts", "--local", "--json").object(t, "linerate/facts/1")
	}
}

// A new fabric file names a schema next to it for editors; a foreign file of that name is left alone.
func TestSchemaNextToTheFile(t *testing.T) {
	dir := t.TempDir()
	file, nextTo := filepath.Join(dir, "fabric.yaml"), filepath.Join(dir, planning.SchemaName)
	text := []byte("fabric: x\n")
	for range 2 { // the second time it exists already
		if got := string(planning.WithSchema(file, text)); got != planning.SchemaLine+"fabric: x\n" {
			t.Errorf("the text is %q", got)
		}
	}
	first, err := os.ReadFile(nextTo)
	if err != nil || string(first) != call(t, nil, "schema", "fabric").out {
		t.Errorf("%s is not what linerate schema fabric prints: %v", nextTo, err)
	}
	for _, other := range []string{"{\"$id\": \"urn:other\"}\n", "mine\n"} {
		testenv.WriteFile(t, nextTo, []byte(other), 0o600)
		if got := string(planning.WithSchema(file, text)); strings.Contains(got, "$schema") {
			t.Errorf("next to a file that is not ours: %q", got)
		}
		if now, _ := os.ReadFile(nextTo); string(now) != other {
			t.Errorf("a file that is not ours was replaced by %q", now)
		}
	}
	if got := string(planning.WithSchema(filepath.Join(dir, "no", "fabric.yaml"), text)); got != string(text) {
		t.Errorf("where nothing can be written: %q", got)
	}
}
