package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docLine is a command line that a document tells people to type.
type docLine struct {
	file string
	line int
	text string
	args []string
}

// contract is the document of all versions: its synopses name verbs and flags that this one does not have yet.
const contract = "contract.md"

// docLines finds the indented and the fenced command lines of the documents. Behind two spaces stands what the command is for.
func docLines(t *testing.T) (out []docLine) {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "tools/bench/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		if filepath.Base(name) == contract || filepath.Base(name) == "reference.md" { // of the second the lines are those of the help, which TestExamplesInTheHelp reads
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
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

// parses says whether the verb and the flags of a command line are known, without running it.
func parses(e *env, args []string) error {
	c, rest, err := e.root().Find(args)
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

// What the documents tell people to type is a command line of this version; what changes nothing is run.
func TestCommandLinesOfTheDocuments(t *testing.T) {
	lines := docLines(t)
	if len(lines) < 10 {
		t.Fatalf("only %d command lines in all documents", len(lines))
	}
	seen := map[string]bool{}
	for _, l := range lines {
		if err := parses(&env{}, l.args); err != nil {
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
			examples, err := filepath.Abs(filepath.Join(root, "examples"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir()) // some write a folder where they are
			if err := os.Symlink(examples, "examples"); err != nil {
				t.Fatal(err)
			}
			a := call(t, nil, l.args...)
			if a.code != exitDone && a.code != exitMissed || a.out == "" {
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
	e := &env{}
	of := map[string]string{}
	for _, verb := range append(commandVerbs(e), "") {
		c, _, err := e.root().Find(strings.Fields(verb))
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
				if strings.TrimSpace(line) != "" {
					t.Errorf("%s: %q is no command line", verb, line)
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
