package manual

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/testenv"
)

// hostile has characters with a meaning in roff and Markdown.
const hostile = `.SH no request; 'nor this; A\fBC \n stays, a*b*c too, <NAME> and [x](y), it's "so" ~/x ^y ` + "`z`"

// plain is hostile without the backquotes, which pflag takes for a placeholder.
var plain = strings.ReplaceAll(hostile, "`", "")

func tree() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "prog", Short: "A program", Run: run,
		Long: "First.\n\n" + hostile + "\n\nDrawn:\n  .A  B\n  C    D"}
	up := &cobra.Command{Use: "up NAME", Short: "Go up", Run: run,
		Example: "  prog up x            as an example\n  prog up 'y z' -n 2"}
	up.Flags().IntP("number", "n", 3, "how often")
	up.Flags().String("guests", "", "which of them: "+plain)
	up.Flags().Lookup("guests").NoOptDefVal = "all"
	up.Flags().StringSlice("list", nil, "names")
	up.Flags().Bool("secret", false, "not to be seen")
	_ = up.Flags().MarkHidden("secret")
	down := &cobra.Command{Use: "down", Short: "Go down", Run: run}
	hidden := &cobra.Command{Use: "inner", Short: "Hidden", Hidden: true, Run: run}
	root.AddCommand(up, down, hidden)
	return root
}

func book() Book {
	return Book{Version: "1.2", Exits: []Exit{{0, "done"}, {2, "wrong | input"}},
		Env: func(c *cobra.Command, f *pflag.Flag) string {
			if f.Name == "help" {
				return ""
			}
			return "PROG_" + strings.ToUpper(f.Name)
		}, Others: []Variable{{"PROG_FILE", "the file"}}}
}

// What groff prints of a page has every character of the texts, and groff finds nothing to complain of.
func TestManByGroff(t *testing.T) {
	testenv.Need(t, testenv.Live)
	groff, err := exec.LookPath("groff")
	if err != nil {
		testenv.Missing(t, "groff (Debian: groff-base, which man-db brings along)")
	}
	dir := t.TempDir()
	paths, err := book().ManPages(filepath.Join(dir, "man1"), tree())
	if err != nil || len(paths) != 3 {
		t.Fatalf("%v %v, want pages of prog, prog-down and prog-up", paths, err)
	}
	shown := map[string]string{}
	for _, path := range paths {
		var out, errs bytes.Buffer
		cmd := exec.Command(groff, "-ww", "-b", "-man", "-Tascii", "-rLL=400n", "-P-cbou", path)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("groff of %s: %v\n%s", path, err, &errs)
		}
		shown[filepath.Base(path)] = out.String()
	}
	for page, want := range map[string][]string{
		"prog.1": {"prog - A program", hostile, "  .A  B\n", "  C    D", "prog-up(1)", "PROG_FILE", "wrong | input"},
		"prog-up.1": {"prog up NAME", "-n, --number N", "how often (default 3).", "--guests[=HOSTS]", plain, "--list A,B,..",
			"prog up 'y z' -n 2", "as an example", "PROG_GUESTS", "prog(1)"},
	} {
		for _, text := range want {
			if !strings.Contains(shown[page], text) {
				t.Errorf("%s does not show %q:\n%s", page, text, shown[page])
			}
		}
		if strings.Contains(shown[page], "secret") || strings.Contains(shown[page], "inner") {
			t.Errorf("%s shows what is hidden", page)
		}
	}
}

func TestReference(t *testing.T) {
	var out bytes.Buffer
	if err := book().Reference(&out, tree(), "# Head\n"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Head\n", "| [`prog up`](#prog-up) | Go up |", "\n## prog up\n",
		"```\nprog up NAME [flags]\n```", "| `-n, --number N` | how often (default 3) | `PROG_NUMBER` |",
		`a\*b\*c too, &lt;NAME&gt;`, `wrong \| input`, "```\nprog up x            as an example\nprog up 'y z' -n 2\n```"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the reference does not have %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "secret") || strings.Contains(out.String(), "inner") {
		t.Error("the reference has what is hidden")
	}
}

// The same commands give the same pages, and a folder that cannot be made is an error.
func TestPagesAreTheSame(t *testing.T) {
	var a, b bytes.Buffer
	_, _ = book().Man(&a, tree()), book().Man(&b, tree())
	if a.Len() == 0 || a.String() != b.String() {
		t.Error("two pages of one command differ")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := book().ManPages(filepath.Join(file, "man"), tree()); err == nil {
		t.Error("pages were written below a file")
	}
}
