package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"linerate/docs"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// wanted is the file of a case with what the command prints.
const wanted = "want"

// otherNamespaces are those of the machine that runs the test.
var otherNamespaces = regexp.MustCompile(`(help: ip netns add \w+); there are .*`)

// The cases of testdata/errors: a wrong file or a wrong command line, and what linerate prints about it. The comment of
// an archive is the command line.
func TestErrorTexts(t *testing.T) {
	names := testenv.Must(filepath.Glob("testdata/errors/*.txtar"))(t)
	printed := map[string]bool{}
	for _, name := range names {
		id := strings.TrimSuffix(filepath.Base(name), ".txtar")
		file := abs(t, name)
		t.Run(id, func(t *testing.T) {
			a := testenv.Must(txtar.ParseFile(file))(t)
			t.Chdir(t.TempDir())
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			for _, f := range a.Files {
				if f.Name != wanted {
					testenv.Check(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
					testenv.WriteFile(t, f.Name, f.Data, 0o644)
				}
			}
			words := testenv.Must(fabric.Words(strings.TrimSpace(string(a.Comment))))(t)
			got := call(t, nil, words[1:]...)
			if got.out != "" {
				t.Errorf("an error on standard output:\n%s", got.out)
			}
			noEscape(t, got)
			a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == wanted })
			text := fmt.Sprintf("exit code %d\n%s", got.code, otherNamespaces.ReplaceAllString(got.err, "$1"))
			a.Files = append(a.Files, txtar.File{Name: wanted, Data: []byte(text)})
			golden.Compare(t, file, string(txtar.Format(a)))
			for _, line := range strings.Split(got.err, "\n") {
				if page, ok := strings.CutPrefix(line, "note: linerate explain "); ok {
					printed[page] = true
				}
			}
		})
	}
	ids := xslices.Map(docs.Errors(), func(e docs.Error) string { return e.ID })
	for _, id := range ids {
		if !printed[id] {
			t.Errorf("no case prints the error %s", id)
		}
	}
	for id := range printed {
		if !slices.Contains(ids, id) {
			t.Errorf("docs/errors.md has no error %s", id)
		}
	}
}
