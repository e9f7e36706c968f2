package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// docLine is a command line of a document.
type docLine struct {
	file string
	line int
	text string
	args []string
}

// contract is the document of all versions: its synopses name verbs and flags that this one does not have yet.
const contract = "contract.md"

// docLines finds the indented and the fenced command lines of the documents. Behind two spaces is what the command is
// for.
func docLines(t *testing.T) (out []docLine) {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "tools/bench/*.md"} {
		found := testenv.Must(filepath.Glob(filepath.Join(root, pattern)))(t)
		names = append(names, found...)
	}
	for _, name := range names {
		// of the second the lines are those of the help, which TestExamplesInTheHelp reads
		if filepath.Base(name) == contract || filepath.Base(name) == "reference.md" {
			continue
		}
		b := testenv.Must(os.ReadFile(name))(t)
		fenced, console := false, false // in a console what has no $ was printed
		for i, line := range strings.Split(string(b), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
				console = fenced && strings.TrimSpace(line) == "```console"
				continue
			}
			text := strings.TrimLeft(line, " \t")
			if console && !strings.HasPrefix(text, "$ ") {
				continue
			}
			if !fenced && len(line)-len(text) < 4 {
				continue
			}
			text = strings.TrimPrefix(text, "$ ")
			args, ok := strings.CutPrefix(text, "linerate ")
			if !ok {
				if args, ok = strings.CutPrefix(text, "go run ./cmd/linerate "); !ok {
					continue
				}
			}
			args, _, _ = strings.Cut(strings.TrimLeft(args, " "), "  ")
			args, _, _ = strings.Cut(args, " #")
			out = append(out, docLine{name, i + 1, text, words(args)})
		}
	}
	return out
}

// words splits a command line like a shell would, with double and single quotes.
func words(s string) (out []string) {
	var word strings.Builder
	quote, has := rune(0), false
	for _, r := range s + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, has = r, true
		case r == ' ':
			if has || word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			has = false
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// parses reports whether the verb and the flags of a command line are known, without running it.
func parses(e *cli.Env, args []string) error {
	c, rest, err := commandTree(e).Find(args)
	if err != nil {
		return err
	}
	if c == c.Root() {
		return fmt.Errorf("no verb in %q", args)
	}
	c.SetOut(io.Discard)
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// pure are the verbs that only read files of the repository.
var pure = []string{"plan", "parts", "ceiling", "version"}

// Every command line of the documents is one of this version; what changes nothing is run.
func TestCommandLinesOfTheDocuments(t *testing.T) {
	lines := docLines(t)
	if len(lines) < 10 {
		t.Fatalf("only %d command lines in all documents", len(lines))
	}
	seen := map[string]bool{}
	for _, l := range lines {
		if err := parses(&cli.Env{}, l.args); err != nil {
			t.Errorf("%s:%d: %s: %v", l.file, l.line, l.text, err)
			continue
		}
		if file := fabricOf(l.args); file != "" {
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s:%d: %s: %v", l.file, l.line, l.text, err)
			}
		}
		if !slices.Contains(pure, l.args[0]) || strings.Contains(l.text, "home.yaml") || seen[strings.Join(l.args, " ")] {
			continue
		}
		seen[strings.Join(l.args, " ")] = true
		t.Run(strings.Join(l.args, " "), func(t *testing.T) {
			examples := testenv.Must(filepath.Abs(filepath.Join(root, "examples")))(t)
			t.Chdir(t.TempDir()) // some write a folder where they are
			testenv.Check(t, os.Symlink(examples, "examples"))
			a := call(t, nil, l.args...)
			if a.code != cli.ExitDone && a.code != cli.ExitMissed || a.out == "" {
				t.Errorf("%s:%d: %s", l.file, l.line, a)
			}
		})
	}
}

// fabricOf is the example that a command line names.
func fabricOf(args []string) string {
	for _, a := range args {
		if strings.HasPrefix(a, "examples/") {
			return a
		}
	}
	return ""
}

// The command lines in the help of the verbs themselves.
func TestExamplesInTheHelp(t *testing.T) {
	e := &cli.Env{}
	of := map[string]string{}
	for _, verb := range append(commandVerbs(e), "") {
		c, _, err := commandTree(e).Find(strings.Fields(verb))
		if err != nil {
			t.Fatal(err)
		}
		of[verb] = c.Example
	}
	for _, m := range aboutMethods {
		of["measure "+m.name] = m.example
	}
	for verb, example := range of {
		for _, line := range strings.Split(example, "\n") {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "linerate ")
			if !ok {
				_, text, ok = strings.Cut(line, " | linerate ")
			}
			if !ok {
				if strings.TrimSpace(line) != "" {
					t.Errorf("%s: %q is not a command line", verb, line)
				}
				continue
			}
			text, _, _ = strings.Cut(text, "  ")
			if err := parses(e, words(text)); err != nil {
				t.Errorf("%s: %s: %v", verb, line, err)
			}
			if file := fabricOf(words(text)); file != "" {
				if _, err := os.Stat(filepath.Join(root, file)); err != nil {
					t.Errorf("%s: %v", verb, err)
				}
			}
		}
	}
}

// docs/reference.md is what the commands say of themselves.
func TestReferenceIsCurrent(t *testing.T) {
	a := call(t, nil, "docs", "reference", "-")
	if a.code != cli.ExitDone || a.err != "" {
		t.Fatal(a)
	}
	have := testenv.Must(os.ReadFile(filepath.Join(root, "docs", "reference.md")))(t)
	if string(have) != a.out {
		old, now := strings.Split(string(have), "\n"), strings.Split(a.out, "\n")
		for i := range min(len(old), len(now)) {
			if old[i] != now[i] {
				t.Fatalf("docs/reference.md:%d is not what the commands say; write it again: go run ./cmd/linerate docs "+
					"reference docs/reference.md\nthere: %s\nnow:   %s", i+1, old[i], now[i])
			}
		}
		t.Fatalf("docs/reference.md has %d lines, the commands give %d; write it again: go run ./cmd/linerate docs "+
			"reference docs/reference.md", len(old), len(now))
	}
}

// Every command that people type has a page.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	a := call(t, []string{"SOURCE_DATE_EPOCH=1700000000"}, "docs", "man", dir)
	if a.code != cli.ExitDone || a.err != "" {
		t.Fatal(a)
	}
	paths := strings.Fields(a.out)
	if len(paths) < 30 {
		t.Errorf("only %d pages", len(paths))
	}
	for _, name := range []string{"linerate", "linerate-run", "linerate-lab-up", "linerate-measure-storage",
		"linerate-completion-bash"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(page), `"2023\-11\-14"`) || !strings.Contains(string(page), ".SH EXIT STATUS") {
			t.Errorf("%s.1 does not have the given date, or no exit codes:\n%s", name, page)
		}
	}
	for _, p := range paths {
		if strings.Contains(p, "lab-wire") || strings.Contains(p, "docs") {
			t.Errorf("%s is of a hidden command", p)
		}
	}
	if a := call(t, []string{"SOURCE_DATE_EPOCH=yesterday"}, "docs", "man", dir); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "SOURCE_DATE_EPOCH") {
		t.Errorf("a wrong date: %s", a)
	}
	call(t, nil, "docs").ends(t, cli.ExitInput)
}

// groff finds nothing wrong with any page.
func TestManPagesFormat(t *testing.T) {
	testenv.Need(t, testenv.Live)
	groff, err := exec.LookPath("groff")
	if err != nil {
		missing(t, "the program groff (Debian: groff-base)")
	}
	pages := call(t, nil, "docs", "man", filepath.Join(t.TempDir(), "man1")).ends(t, cli.ExitDone)
	args := append([]string{"-ww", "-b", "-z", "-man", "-Tutf8", "-Kutf8"}, strings.Fields(pages.out)...)
	if out, err := exec.Command(groff, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
