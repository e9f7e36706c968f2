package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// source is one Go file of the project, including tests and the programs for developers.
type source struct {
	name   string // its path below the root, with slashes
	folder string
	text   string
	files  *token.FileSet
	syntax *ast.File
}

// isTest reports whether only tests compile the file.
func (s *source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// line returns the number of the line of a position.
func (s *source) line(at token.Pos) int { return s.files.Position(at).Line }

var parsedOnce = sync.OnceValues(parseAll)

// sources returns all Go files, parsed once for all tests.
func sources(t *testing.T) []*source {
	t.Helper()
	all, err := parsedOnce()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 1000 {
		t.Fatalf("there are only %d Go files", len(all))
	}
	return all
}

func parseAll() ([]*source, error) {
	var all []*source
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || path == "runs"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go"):
			name := filepath.ToSlash(path)
			all = append(all, &source{name: name, folder: filepath.ToSlash(filepath.Dir(path))})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range all {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			errs[i] = s.parse()
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *source) parse() error {
	text, err := os.ReadFile(s.name)
	if err != nil {
		return err
	}
	s.text, s.files = string(text), token.NewFileSet()
	s.syntax, err = parser.ParseFile(s.files, s.name, text, parser.ParseComments|parser.SkipObjectResolution)
	return err
}
