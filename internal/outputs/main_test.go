//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program of sh and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDifferences covers what is compared: standard output and errors, the exit code, the files that are written
// or changed, and not the folder's name.
func TestDifferences(t *testing.T) {
	reference := script(t, `pwd; cat in.yaml; echo careful >&2; mkdir out; echo row >out/table.csv; exit 3`)
	in := filepath.Join(t.TempDir(), "in.yaml")
	if err := os.WriteFile(in, []byte("hosts: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := testCase{inputs: map[string]func(string) error{"in.yaml": copied(in)}, args: []string{"plan", "in.yaml"}}
	for _, test := range []struct{ name, after, want string }{
		{"the same", `pwd; cat in.yaml; echo careful >&2; mkdir out; echo row >out/table.csv; exit 3`, ""},
		{"printed", `pwd; echo hosts; echo careful >&2; mkdir out; echo row >out/table.csv; exit 3`, "+hosts\n"},
		{"errors", `pwd; cat in.yaml; echo care >&2; mkdir out; echo row >out/table.csv; exit 3`, "+care\n"},
		{"exit code", `pwd; cat in.yaml; echo careful >&2; mkdir out; echo row >out/table.csv; exit 4`, "+exit 4\n"},
		{"file", `pwd; cat in.yaml; echo careful >&2; mkdir out; echo line >out/table.csv; exit 3`, "+line\n"},
		{"file's name", `pwd; cat in.yaml; echo careful >&2; mkdir out; echo row >out/rows.csv; exit 3`, "+--- file out/rows.csv\n"},
		{"input changed", `pwd; cat in.yaml; echo careful >&2; mkdir out; echo row >out/table.csv; echo x >in.yaml; exit 3`, "+x\n"},
	} {
		got, err := c.differences([2]string{reference, script(t, test.after)}, filepath.Join(t.TempDir(), "scratch"), 50)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: the difference is\n%s\nwant a line %q", test.name, got, test.want)
		}
	}
}
