package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var labUp = regexp.MustCompile(`(?m)^lab ([0-9a-z]+): up in`)

// Every tutorial from its first command to its last, in a folder of its own, with what it shows held against what is printed.
func TestTutorials(t *testing.T) {
	t.Parallel()
	needLab(t)
	files, err := filepath.Glob(filepath.Join(root, "docs", "tutorials", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range examples {
		if !slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) == name+".md" }) {
			t.Errorf("no tutorial has the name of examples/%s.yaml", name)
		}
	}
	for _, file := range files {
		if filepath.Base(file) == "README.md" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			follow(t, file)
		})
	}
}

// follow does what a reader of a tutorial does.
func follow(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found, err := fences(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	from, err := filepath.Abs(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, p.path("examples")); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "PATH="+filepath.Dir(p.program(t))+":"+os.Getenv("PATH"), "TERM=dumb")
	ran, lab := 0, ""
	for _, b := range found {
		if b.kind != "console" {
			if err := b.done(p); err != nil {
				t.Fatalf("%s:%d: %v", b.file, b.line, err)
			}
			continue
		}
		steps, err := b.steps()
		if err != nil {
			t.Fatal(err)
		}
		code := 0
		for i, s := range steps {
			if s.unrun { // TestCommandLinesOfTheDocuments reads its flags
				continue
			}
			if s.command == "echo $?" {
				if want := strconv.Itoa(code); !slices.Equal(s.shown, []string{want}) {
					t.Fatalf("%s: the exit code is %s, not %q", s.at, want, s.shown)
				}
				continue
			}
			ran++
			out, c := p.shell(t, strings.ReplaceAll(s.command, "ID", lab))
			if m := labUp.FindStringSubmatch(out); m != nil && strings.HasPrefix(s.command, "linerate lab up ") {
				lab = m[1]
			}
			// Whether goals are met hangs on the machine.
			if code = c; code != exitDone && !(s.measured && code == exitMissed) && (i+1 == len(steps) || steps[i+1].command != "echo $?") {
				t.Fatalf("%s: $ %s: exit code %d\n%s", s.at, s.command, code, out)
			}
			if err := s.check(out); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran < 10 {
		t.Errorf("%s: only %d commands", file, ran)
	}
	p.nothingLeft(t, 0)
}

// shell runs a command line of a tutorial: what it prints on both outputs, and its exit code.
func (p *place) shell(t *testing.T, line string) (string, int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.env
	var both strings.Builder
	cmd.Stdout, cmd.Stderr = &both, &both
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return both.String(), cmd.ProcessState.ExitCode()
}

// of is the file that a block's first line names behind mark, and its text.
func (b fence) of(p *place, mark, missing string) (name, text string, err error) {
	ok := false
	if len(b.lines) > 0 {
		name, ok = strings.CutPrefix(b.lines[0], mark)
	}
	if !ok {
		return "", "", errors.New(missing)
	}
	have, err := os.ReadFile(p.path(name))
	return name, string(have), err
}

// done is what a reader does with a block that has no commands: saves it, changes a file as it says, or compares it with the file.
func (b fence) done(p *place) error {
	switch b.kind {
	case "text":
		if b.name == "" {
			return nil
		}
		return os.WriteFile(p.path(b.name), []byte(strings.Join(b.lines, "\n")+"\n"), 0o644)
	case "yaml":
		_, text, err := b.of(p, "# ", "the first line does not name the file that it is of")
		if err != nil {
			return err
		}
		return excerpt(text, b.lines[1:])
	case "diff":
		name, text, err := b.of(p, "--- ", "the first line does not name the file that is changed")
		if err != nil {
			return err
		}
		is, err := edit(text, b.lines[1:])
		if err != nil {
			return err
		}
		return os.WriteFile(p.path(name), []byte(is), 0o644)
	}
	return fmt.Errorf("a block of kind %q: console, yaml, diff or text", b.kind)
}
