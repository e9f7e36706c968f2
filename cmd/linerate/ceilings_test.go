package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command line of docs/ceilings.md prints what stands below it there.
func TestCeilingsOfTheDocument(t *testing.T) { printsWhatItSays(t, "ceilings.md", ".", 20) }

// The same of docs/figures.md, whose outputs of tools are those of the parsers' tests.
func TestFiguresOfTheDocument(t *testing.T) {
	printsWhatItSays(t, "figures.md", filepath.Join(root, "internal", "record", "claims", "testdata"), 20)
}

// The same of docs/storage-003.md.
func TestStorageOfTheDocument(t *testing.T) { printsWhatItSays(t, "storage-003.md", ".", 10) }

// printsWhatItSays runs the command lines of a document in a folder, and holds what they print against what stands below them.
func printsWhatItSays(t *testing.T, name, in string, least int) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(root, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(in)
	var out strings.Builder
	commands, printed := 0, false
	lines := strings.SplitAfter(string(old), "\n")
	for i, line := range lines {
		command, is := strings.CutPrefix(line, "    $ linerate ")
		switch {
		case is:
			a := call(t, nil, strings.Fields(strings.ReplaceAll(command, "'", ""))...) // quotes of a shell
			if a.code != exitDone || a.err != "" {
				t.Errorf("%s%s", line, a)
			}
			out.WriteString(line)
			for l := range strings.Lines(a.out) {
				if l = "    " + l; strings.TrimSpace(l) == "" {
					l = "\n"
				}
				out.WriteString(l)
			}
			commands, printed = commands+1, true
		case printed && (strings.HasPrefix(line, "    ") || line == "\n" && goesOn(lines[i+1:])): // as it was printed before
		default:
			printed = false
			out.WriteString(line)
		}
	}
	if commands < least {
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
			t.Fatalf("docs/%s:%d: the program prints %q (go test ./cmd/linerate -run OfTheDocument -update)", name, i+1, is[i])
		}
	}
	t.Fatalf("docs/%s has more lines than the program prints", name)
}

// goesOn says whether what was printed goes on below an empty line.
func goesOn(lines []string) bool {
	return len(lines) > 0 && strings.HasPrefix(lines[0], "    ") && !strings.HasPrefix(lines[0], "    $ ")
}
