package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command line of docs/ceilings.md prints what stands below it there.
func TestCeilingsOfTheDocument(t *testing.T) {
	file := filepath.Join(root, "docs", "ceilings.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	commands, printed := 0, false
	for line := range strings.Lines(string(old)) {
		command, is := strings.CutPrefix(line, "    $ linerate ")
		switch {
		case is:
			a := call(t, nil, strings.Fields(command)...)
			if a.code != exitDone || a.err != "" {
				t.Errorf("%s%s", line, a)
			}
			out.WriteString(line)
			for l := range strings.Lines(a.out) {
				out.WriteString("    " + l)
			}
			commands, printed = commands+1, true
		case printed && strings.HasPrefix(line, "    "): // as it was printed before
		default:
			printed = false
			out.WriteString(line)
		}
	}
	if commands < 20 {
		t.Errorf("only %d commands", commands)
	}
	if out.String() == string(old) {
		return
	}
	if *updateGolden {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, is := strings.Split(string(old), "\n"), strings.Split(out.String(), "\n")
	for i := range is {
		if i >= len(was) || was[i] != is[i] {
			t.Fatalf("docs/ceilings.md:%d: the program prints %q (go test ./cmd/linerate -run TestCeilingsOfTheDocument -update)", i+1, is[i])
		}
	}
	t.Fatal("docs/ceilings.md has more lines than the program prints")
}
