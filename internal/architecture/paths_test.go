package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inDocument is a path of this repository in a document: a folder or a file below the folders with code.
var inDocument = regexp.MustCompile(`\b(?:internal|cmd/linerate)(?:/[A-Za-z0-9_.*-]+)+`)

// goCommand is a Go command in a document, up to the end of its line or quotation. goArgument is a path in it.
var (
	goCommand  = regexp.MustCompile(`\bgo (?:-C \S+ )?(?:build|run|test|tool|vet)\b[^\n|;&` + "`" + `]*`)
	goArgument = regexp.MustCompile(`(?:^|\s)\./([A-Za-z0-9_./-]+)`)
)

// placeholder is a word in capitals that stands for any name.
var placeholder = regexp.MustCompile(`[A-Z]{2,}`)

// TestPathsInDocuments refuses paths in documents and comments that name nothing: code moves, and texts have to follow.
func TestPathsInDocuments(t *testing.T) {
	check := func(name, text string) {
		for number, line := range strings.Split(text, "\n") {
			paths := inDocument.FindAllString(line, -1)
			for _, command := range goCommand.FindAllString(line, -1) {
				if !strings.Contains(command, " -C ") { // which runs in another folder
					for _, m := range goArgument.FindAllStringSubmatch(command, -1) {
						paths = append(paths, strings.TrimRight(m[1], "/."))
					}
				}
			}
			for _, path := range paths {
				path = strings.TrimRight(path, ".")
				if path != "" && !exists(path) {
					t.Errorf("%s:%d: there is no %s", name, number+1, path)
				}
			}
		}
	}
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 1 && d.Name() != ".github" ||
			d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(name)
		check(filepath.ToSlash(name), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources(t) {
		for _, group := range s.syntax.Comments {
			for _, comment := range group.List {
				for _, path := range inDocument.FindAllString(comment.Text, -1) {
					if path = strings.TrimRight(path, "."); !exists(path) {
						t.Errorf("%s:%d: there is no %s", s.name, s.line(comment.Pos()), path)
					}
				}
			}
		}
	}
}

// exists reports whether a path names something in the repository, if words in capitals stand for any name.
func exists(path string) bool {
	found, err := filepath.Glob(placeholder.ReplaceAllString(path, "*"))
	if err == nil && len(found) == 0 { // a package and one of its names: NAME.Known
		if dot := strings.LastIndex(path, "."); dot > strings.LastIndex(path, "/") {
			return exists(path[:dot])
		}
	}
	return err == nil && len(found) > 0
}
