// Move moves Go files to another package of the module and rewrites everything that refers to their declarations. Where
// the result would not compile it writes nothing and prints the reason: an unexported name that the other package uses, a
// method apart from its type, a local name that hides the package's name.
//
//	go run -C tools ./move -from linerate/result -to linerate/internal/record types.go flow.go
//	go run -C tools ./move -packages FILE       whole folders: FILE has a line OLD NEW [NAME] for each
//
// The files that move may not refer to declarations that stay.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/imports"
)

func main() {
	from := flag.String("from", "", "import path of the package that the files are in")
	to := flag.String("to", "", "import path of the package that they move to")
	root := flag.String("root", "..", "root of the module")
	force := flag.Bool("force", false, "write although something is left to mend by hand")
	systems := flag.String("systems", "linux", "systems whose files are read: linux,windows,freebsd,darwin before a change is complete")
	folders := flag.String("packages", "", "file that names whole folders to move")
	flag.Parse()
	m := &move{from: *from, to: *to, root: *root, files: map[string]bool{}, edits: map[string]map[edit]bool{}, problems: map[string]bool{}, systems: strings.Split(*systems, ",")}
	for _, name := range flag.Args() {
		m.files[name] = true
	}
	run := func() error { return m.run(*force) }
	if *folders != "" {
		run = func() error {
			moves, err := readPackageMoves(*folders)
			if err != nil {
				return err
			}
			return m.movePackages(moves, "linerate", *force)
		}
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type edit struct {
	start, end int
	text       string
}

type move struct {
	from, to, root string
	files          map[string]bool // the base names of those that move
	edits          map[string]map[edit]bool
	imports        map[string]bool // files that import the new package
	arrived        map[string]bool // files that imported it and move there
	problems       map[string]bool
	dir            string
	systems        []string
}

func (m *move) run(force bool) error {
	m.imports, m.arrived = map[string]bool{}, map[string]bool{}
	for _, system := range m.systems {
		loaded, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
				packages.NeedImports | packages.NeedModule | packages.NeedCompiledGoFiles,
			Dir: m.root, Tests: true, Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		}, "./...")
		if err != nil {
			return err
		}
		if packages.PrintErrors(loaded) > 0 {
			return fmt.Errorf("the module does not compile on %s", system)
		}
		for _, p := range loaded {
			m.visit(p)
		}
	}
	problems := slices.Sorted(maps.Keys(m.problems))
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 && !force {
		return fmt.Errorf("%d places to mend first", len(problems))
	}
	return m.write()
}

func base(importPath string) string { return path.Base(importPath) }

// isFrom reports whether a package is the old one, or its variant with tests inside.
func (m *move) isFrom(p *types.Package) bool { return p != nil && p.Path() == m.from }

func (m *move) moved(file string) bool {
	return m.files[filepath.Base(file)] && filepath.Dir(file) == m.dir
}

func (m *move) visit(p *packages.Package) {
	if m.isFrom(p.Types) && m.dir == "" && len(p.GoFiles) > 0 {
		m.dir = filepath.Dir(p.GoFiles[0])
	}
	if m.dir == "" { // packages come in no order: the folder is known by the import path
		abs, _ := filepath.Abs(m.root)
		m.dir = filepath.Join(abs, strings.TrimPrefix(m.from, p.Module.Path+"/"))
	}
	own := m.isFrom(p.Types)
	for _, file := range p.Syntax {
		name := p.Fset.Position(file.Pos()).Filename
		if strings.Contains(name, "go-build") {
			continue
		}
		movedFile := own && m.moved(name)
		problem := func(n ast.Node, format string, args ...any) {
			at := p.Fset.Position(n.Pos())
			short, _ := filepath.Rel(m.dir, at.Filename)
			m.problems[fmt.Sprintf("%s:%d: %s", short, at.Line, fmt.Sprintf(format, args...))] = true
		}
		replace := func(n ast.Node, text string) {
			start, end := p.Fset.Position(n.Pos()).Offset, p.Fset.Position(n.End()).Offset
			if m.edits[name] == nil {
				m.edits[name] = map[edit]bool{}
			}
			m.edits[name][edit{start, end, text}] = true
		}
		if movedFile {
			replace(file.Name, base(m.to))
		}
		selectors := map[*ast.Ident]*ast.SelectorExpr{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				selectors[n.Sel] = n
				if x, ok := n.X.(*ast.Ident); ok && movedFile {
					if imported, ok := p.TypesInfo.Uses[x].(*types.PkgName); ok && imported.Imported().Path() == m.to {
						replace(n, n.Sel.Name)
						m.arrived[name] = true
					}
				}
			case *ast.FuncDecl:
				if n.Recv == nil || !own {
					break
				}
				receiver := receiverType(p.TypesInfo, n)
				if receiver != nil && m.moved(p.Fset.Position(receiver.Pos()).Filename) != movedFile {
					problem(n, "method %s is apart from its type %s", n.Name.Name, receiver.Name())
				}
			}
			return true
		})
		for id, object := range p.TypesInfo.Uses {
			if p.Fset.Position(id.Pos()).Filename != name || object.Pkg() == nil || !m.isFrom(object.Pkg()) || !object.Pos().IsValid() {
				continue
			}
			target := m.moved(p.Fset.Position(object.Pos()).Filename)
			if _, isPackage := object.(*types.PkgName); isPackage {
				continue
			}
			if target == movedFile && own {
				continue
			}
			if !target && !own {
				continue
			}
			topLevel := object.Parent() == object.Pkg().Scope()
			if !object.Exported() && own {
				if topLevel || isMember(object) {
					problem(id, "%s is not exported, and is used from the other side", id.Name)
				}
				continue
			}
			if !topLevel {
				continue
			}
			if movedFile {
				problem(id, "%s stays in %s", id.Name, m.from)
				continue
			}
			if scope := innermost(p, file, id); scope != nil {
				if _, other := scope.LookupParent(base(m.to), id.Pos()); other != nil {
					if _, isPackage := other.(*types.PkgName); !isPackage {
						problem(id, "a local name %s hides the package", base(m.to))
					}
				}
			}
			m.imports[name] = true
			if selector := selectors[id]; selector != nil && !own {
				replace(selector.X, base(m.to))
				continue
			}
			replace(id, base(m.to)+"."+id.Name)
		}
	}
}

func isMember(object types.Object) bool {
	switch o := object.(type) {
	case *types.Var:
		return o.IsField()
	case *types.Func:
		return o.Signature().Recv() != nil
	}
	return false
}

func innermost(p *packages.Package, file *ast.File, id *ast.Ident) *types.Scope {
	scope := p.TypesInfo.Scopes[file]
	if scope == nil {
		return nil
	}
	return scope.Innermost(id.Pos())
}

func receiverType(info *types.Info, f *ast.FuncDecl) types.Object {
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return info.Uses[e]
		default:
			return nil
		}
	}
}

// write applies the edits, sets the imports and moves the files.
func (m *move) write() error {
	abs, err := filepath.Abs(m.root)
	if err != nil {
		return err
	}
	newDir := filepath.Join(abs, strings.SplitN(m.to, "/", 2)[1])
	if err := os.MkdirAll(newDir, 0o777); err != nil {
		return err
	}
	err = m.applyEdits(func(name string, text []byte) ([]byte, error) {
		if m.imports[name] || m.arrived[name] {
			return m.fixImports(name, text)
		}
		return format.Source(text)
	})
	if err != nil {
		return err
	}
	for name := range m.files {
		if err := os.Rename(filepath.Join(m.dir, name), filepath.Join(newDir, name)); err != nil {
			return err
		}
	}
	return nil
}

// applyEdits writes the files that have edits, each as finish returns it.
func (m *move) applyEdits(finish func(name string, text []byte) ([]byte, error)) error {
	for name, set := range m.edits {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		edits := make([]edit, 0, len(set))
		for e := range set {
			edits = append(edits, e)
		}
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

func (m *move) fixImports(name string, text []byte) ([]byte, error) {
	options := &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true}
	files, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	if m.arrived[name] {
		astutil.DeleteImport(files.set, files.file, m.to)
	} else {
		astutil.AddImport(files.set, files.file, m.to)
	}
	if !astutil.UsesImport(files.file, m.from) {
		astutil.DeleteImport(files.set, files.file, m.from)
	}
	var out bytes.Buffer
	if err := format.Node(&out, files.set, files.file); err != nil {
		return nil, err
	}
	return imports.Process(name, out.Bytes(), options)
}
