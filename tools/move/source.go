package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is the Go source of a module, with the edits and the problems that forbid them.
type source struct {
	root     string // of the module, absolute
	systems  []string
	edits    map[string]map[edit]bool // by file; the same file is in several packages and on several systems
	problems map[string]bool
}

type edit struct {
	start, end int
	text       string
}

func newSource(root, systems string) (*source, error) {
	abs, err := filepath.Abs(root)
	return &source{abs, strings.Split(systems, ","), map[string]map[edit]bool{}, map[string]bool{}}, err
}

// each calls visit for every file of every package, with its tests, on every system.
func (s *source) each(visit func(p *packages.Package, file *ast.File, name string)) error {
	for _, system := range s.systems {
		loaded, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
				packages.NeedImports | packages.NeedModule | packages.NeedCompiledGoFiles,
			Dir:   s.root,
			Tests: true,
			Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		}, "./...")
		if err != nil {
			return err
		}
		if packages.PrintErrors(loaded) > 0 {
			return fmt.Errorf("the module does not compile on %s", system)
		}
		for _, p := range loaded {
			for _, file := range p.Syntax {
				// The main program that go test generates for a package is in the cache.
				if name := p.Fset.Position(file.Pos()).Filename; strings.HasPrefix(name, s.root+string(filepath.Separator)) {
					visit(p, file, name)
				}
			}
		}
	}
	return nil
}

// replace records that a node becomes text.
func (s *source) replace(p *packages.Package, n ast.Node, text string) {
	start, end := p.Fset.Position(n.Pos()), p.Fset.Position(n.End())
	if s.edits[start.Filename] == nil {
		s.edits[start.Filename] = map[edit]bool{}
	}
	s.edits[start.Filename][edit{start.Offset, end.Offset, text}] = true
}

// problem records why the result would not compile.
func (s *source) problem(p *packages.Package, n ast.Node, format string, args ...any) {
	at := p.Fset.Position(n.Pos())
	name, err := filepath.Rel(s.root, at.Filename)
	if err != nil {
		name = at.Filename
	}
	s.problems[fmt.Sprintf("%s:%d: %s", name, at.Line, fmt.Sprintf(format, args...))] = true
}

// hidden records a problem if the name of a package would mean something else at an identifier.
func (s *source) hidden(p *packages.Package, file *ast.File, id *ast.Ident, name string) {
	other := p.Types.Scope().Lookup(name)
	if scope := p.TypesInfo.Scopes[file]; scope != nil && other == nil {
		if inner := scope.Innermost(id.Pos()); inner != nil {
			_, other = inner.LookupParent(name, id.Pos())
		}
	}
	if _, isPackage := other.(*types.PkgName); other != nil && !isPackage {
		s.problem(p, id, "%s at %s hides the package", name, p.Fset.Position(other.Pos()))
	}
}

// checked prints the problems. With force they are not an error.
func (s *source) checked(force bool) error {
	for _, p := range slices.Sorted(maps.Keys(s.problems)) {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(s.problems) > 0 && !force {
		return fmt.Errorf("%d places to mend first", len(s.problems))
	}
	return nil
}

// write writes the files with edits, each as finish returns it.
func (s *source) write(finish func(name string, text []byte) ([]byte, error)) error {
	for name, set := range s.edits {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		edits := slices.Collect(maps.Keys(set))
		sort.Slice(edits, func(i, j int) bool { return edits[i].start > edits[j].start })
		for _, e := range edits {
			text = slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
		}
		if text, err = finish(name, text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
