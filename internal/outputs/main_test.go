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
	const reference = `pwd; cat in.yaml; echo careful >&2; mkdir out; echo row >out/table.csv; exit 3`
	c := testCase{inputs: files{"in.yaml": []byte("hosts: {}\n")}, args: []string{"plan", "in.yaml"}}
	for _, test := range []struct{ name, old, new, want string }{
		{"the same", "", "", ""},
		{"printed", "cat in.yaml", "echo hosts", "+hosts\n"},
		{"errors", "careful", "care", "+care\n"},
		{"exit code", "exit 3", "exit 4", "+exit 4\n"},
		{"file", "echo row", "echo line", "+line\n"},
		{"file's name", "table.csv", "rows.csv", "+--- file out/rows.csv\n"},
		{"input changed", "exit 3", "echo x >in.yaml; exit 3", "+x\n"},
	} {
		programs := [2]string{script(t, reference), script(t, strings.Replace(reference, test.old, test.new, 1))}
		got, err := c.differences(programs, filepath.Join(t.TempDir(), "scratch"), 50)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: the difference is\n%s\nwant a line %q", test.name, got, test.want)
		}
	}
}
