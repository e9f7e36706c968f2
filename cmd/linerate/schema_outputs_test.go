package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// Every kind of JSON object that the commands print has a schema: their names stand in the source.
func TestEveryOutputHasASchema(t *testing.T) {
	printed := regexp.MustCompile(`\.object\("([a-z-]+)"|"linerate/([a-z-]+)/1"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "schema.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
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

// Outputs that need no host are what their schemas say; with another key they are not.
func TestOutputsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	for kind, words := range map[string]string{
		"checks":    "check --list --json",
		"faults":    "lab fault --list --json",
		"baselines": "compare --baselines --json",
		"version":   "version --json",
	} {
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
