package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/imports"
)

// fileMove is a move of files from one package to another.
type fileMove struct {
	*source
	from, to string          // import paths
	dir      string          // of the files
	files    map[string]bool // base names of the moved files
	imports  map[string]bool // files that import the new package
	arrived  map[string]bool // moved files that imported it
}

func moveFiles(s *source, from, to string, names []string, force bool) error {
	m := &fileMove{source: s, from: from, to: to, dir: filepath.Join(s.root, strings.TrimPrefix(from, module)),
		files: map[string]bool{}, imports: map[string]bool{}, arrived: map[string]bool{}}
	for _, name := range names {
		m.files[name] = true
	}
	if err := s.each(m.visit); err != nil {
		return err
	}
	if err := s.checked(force); err != nil {
		return err
	}
	err := s.write(func(name string, text []byte) ([]byte, error) {
		if m.imports[name] || m.arrived[name] {
			return m.fixImports(name, text)
		}
		return format.Source(text)
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(s.root, strings.TrimPrefix(to, module))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name := range m.files {
		if err := os.Rename(filepath.Join(m.dir, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// isFrom reports whether a package is the old one, or its variant with tests inside.
func (m *fileMove) isFrom(p *types.Package) bool { return p != nil && p.Path() == m.from }

func (m *fileMove) moves(file string) bool {
	return m.files[filepath.Base(file)] && filepath.Dir(file) == m.dir
}

func (m *fileMove) visit(p *packages.Package, file *ast.File, name string) {
	own := m.isFrom(p.Types)
	moves := own && m.moves(name)
	is := path.Base(m.to)
	if moves {
		m.replace(p, file.Name, is)
	}
	selectors := map[*ast.Ident]*ast.SelectorExpr{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selectors[n.Sel] = n
			if x, ok := n.X.(*ast.Ident); ok && moves {
				if imported, ok := p.TypesInfo.Uses[x].(*types.PkgName); ok && imported.Imported().Path() == m.to {
					m.replace(p, n, n.Sel.Name)
					m.arrived[name] = true
				}
			}
		case *ast.FuncDecl:
			if n.Recv == nil || !own {
				break
			}
			receiver := receiverType(p.TypesInfo, n)
			if receiver != nil && m.moves(p.Fset.Position(receiver.Pos()).Filename) != moves {
				m.problem(p, n, "method %s is apart from its type %s", n.Name.Name, receiver.Name())
			}
		}
		return true
	})
	for id, object := range p.TypesInfo.Uses {
		if p.Fset.Position(id.Pos()).Filename != name || !m.isFrom(object.Pkg()) || !object.Pos().IsValid() {
			continue
		}
		if _, isPackage := object.(*types.PkgName); isPackage {
			continue
		}
		target := m.moves(p.Fset.Position(object.Pos()).Filename)
		if own && target == moves || !own && !target {
			continue
		}
		topLevel := object.Parent() == object.Pkg().Scope()
		switch {
		case !object.Exported() && own:
			if topLevel || isMember(object) {
				m.problem(p, id, "%s is not exported, and is used from the other side", id.Name)
			}
			continue
		case !topLevel:
			continue
		case moves:
			m.problem(p, id, "%s stays in %s", id.Name, m.from)
			continue
		}
		m.hidden(p, file, id, is)
		m.imports[name] = true
		if selector := selectors[id]; selector != nil && !own {
			m.replace(p, selector.X, is)
		} else {
			m.replace(p, id, is+"."+id.Name)
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

func (m *fileMove) fixImports(name string, text []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if m.arrived[name] {
		astutil.DeleteImport(set, file, m.to)
	} else {
		astutil.AddImport(set, file, m.to)
	}
	if !astutil.UsesImport(file, m.from) {
		astutil.DeleteImport(set, file, m.from)
	}
	var out bytes.Buffer
	if err := format.Node(&out, set, file); err != nil {
		return nil, err
	}
	return sorted(name, out.Bytes())
}

// sorted formats a file, with its imports in order.
func sorted(name string, text []byte) ([]byte, error) {
	return imports.Process(name, text, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
}
