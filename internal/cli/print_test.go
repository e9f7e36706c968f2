package cli

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"linerate/internal/base/diag"
	"linerate/internal/testenv"
)

// tree is a command with a subcommand, as linerate has them.
func tree() *cobra.Command {
	root := &cobra.Command{Use: "linerate"}
	root.AddCommand(&cobra.Command{Use: "plan FABRIC.yaml"})
	return root
}

// An error without a type of its own is cut into what is wrong, what to do, and the rest.
func TestFromText(t *testing.T) {
	for text, want := range map[string]string{
		"a is wrong":                                  "error: a is wrong",
		"a is wrong; b is not; write c":               "error: a is wrong\nhelp: write c\nnote: b is not",
		"a; linerate plan shows it; linerate is slow": "error: a\nhelp: linerate plan shows it\nnote: linerate is slow",
		"a\nhelp: b\nnote: c":                         "error: a\nhelp: b\nnote: c",
		"a:\n  first\n  second; add b":                "error: a:\n  first\n  second\nhelp: add b",
		"a; copy the line with 2; ..":                 "error: a\nhelp: copy the line with 2; ..",
		"--seed x: write a number":                    "error: --seed x is not valid\nhelp: write a number",
		`--link: "10g" is not a rate; write it as 10G for bits per second`: `error: --link: "10g" is not a rate` +
			"\nhelp: write --link 10G (bits per second)",
	} {
		if got := fromText(tree(), text).Error(); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

// Errors that were joined are printed one by one, whatever they are wrapped in.
func TestJoinedErrors(t *testing.T) {
	err := Fail(ExitInput, errors.Join(errors.New("a"), &Advice{ID: diag.WordUnknown, Text: "b", Help: []string{"c"}}))
	want := "error: a\n\nerror: b\nhelp: c\nnote: linerate explain word-unknown"
	if got := problemsOf(tree(), err).Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colour changes no character. A file, a pipe and NO_COLOR have none.
func TestColourOfErrors(t *testing.T) {
	file := diag.New("f.yaml", []byte("mtu: 9k\n"))
	all := diag.Problems{file.Place(diag.At{Line: 1, Col: 6}, diag.Problem{ID: diag.ValueNumber,
		Message: `"9k" is not a whole number`, Limit: "an IP MTU is from 576 to 65520", Fix: "write 9000"})}
	text := all.Text(painted)
	if plain := escape.ReplaceAllString(text, ""); plain != all.Error() || plain == text {
		t.Errorf("got\n%s\nwant\n%s", text, all.Error())
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.Count(line, "\x1b[0m")*2 != len(escape.FindAllString(line, -1)) {
			t.Errorf("a colour does not end on its line: %q", line)
		}
	}
	kept := testenv.Must(os.CreateTemp(t.TempDir(), "err"))(t)
	defer kept.Close()
	none := func(string) string { return "" }
	for _, e := range []*Env{{Err: &bytes.Buffer{}, Getenv: none}, {Err: kept, Getenv: none}} {
		if got := all.Text(e.paint()); got != all.Error() {
			t.Errorf("colour in a file: %q", got)
		}
	}
}
