package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/method"
)

// TestMethodsAreNotCompared refuses comparisons of a method with a name outside the table in internal/base/method. Code
// that queries a property of the method still works when a method is added. A comparison is ==, !=, or a case. Names
// are the constants of that package, constants made from them, and string literals. A literal that is also an ordinary
// word counts only in a comparison with something that is called a method.
func TestMethodsAreNotCompared(t *testing.T) {
	names, aliases := methodConstants(t)
	for _, s := range sources(t) {
		if s.isTest() || s.folder == "internal/base/method" {
			continue
		}
		for _, at := range s.methodComparisons(names, aliases) {
			t.Errorf("%s:%d: a method is compared with a name: ask for a property of internal/base/method", s.name, s.line(at))
		}
	}
}

// methodConstants returns the constants of internal/base/method that name a method, and constants of other packages
// made from them.
func methodConstants(t *testing.T) (names, aliases map[string]bool) {
	names, aliases = map[string]bool{}, map[string]bool{}
	eachConstant(t, func(folder, name string, value ast.Expr) {
		if folder == "internal/base/method" && isMethodText(value) {
			names[name] = true
		}
	})
	eachConstant(t, func(folder, name string, value ast.Expr) {
		if folder != "internal/base/method" && isMethodName(value, names, nil) {
			aliases[name] = true
		}
	})
	return names, aliases
}

func eachConstant(t *testing.T, visit func(folder, name string, value ast.Expr)) {
	for _, s := range sources(t) {
		for _, d := range s.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				for i, value := range v.Values {
					visit(s.folder, v.Names[i].Name, value)
				}
			}
		}
	}
}

// methodComparisons returns the places in which a file compares a method with a name.
func (s *source) methodComparisons(names, aliases map[string]bool) []token.Pos {
	var out []token.Pos
	compared := func(at token.Pos, name, other ast.Expr) {
		if isMethodName(name, names, aliases) || isMethodText(name) && calledMethod(other) {
			out = append(out, at)
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				compared(n.Pos(), n.X, n.Y)
				compared(n.Pos(), n.Y, n.X)
			}
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, value := range c.(*ast.CaseClause).List {
					if n.Tag != nil {
						compared(value.Pos(), value, n.Tag)
					}
				}
			}
		}
		return true
	})
	return out
}

// isMethodName reports whether an expression is a constant that names a method.
func isMethodName(x ast.Expr, names, aliases map[string]bool) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok && of.Name == "method" {
			return names[x.Sel.Name]
		}
		return aliases[x.Sel.Name] && qualified(x)
	case *ast.Ident:
		return aliases[x.Name]
	}
	return false
}

// qualified reports whether a selector is of a package and not of a value: run.Halo, but not e.Halo.
func qualified(x *ast.SelectorExpr) bool {
	of, ok := x.X.(*ast.Ident)
	return ok && (of.Name == "run" || of.Name == "record" || of.Name == "traffic")
}

// isMethodText reports whether an expression is the name of a method as a string literal.
func isMethodText(x ast.Expr) bool {
	l, ok := x.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return false
	}
	text, err := strconv.Unquote(l.Value)
	return err == nil && method.Named(text).Known()
}

// calledMethod reports whether the compared expression is called a method: e.Method, row["method"], methodOf(e).
func calledMethod(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || strings.Contains(strings.ToLower(n.Name), "method")
		case *ast.BasicLit:
			found = found || strings.Contains(n.Value, "method")
		}
		return true
	})
	return found
}

// TestFindMethodComparisons tests the search itself: what it has to find, and what it has to ignore.
func TestFindMethodComparisons(t *testing.T) {
	const text = `package example
func example() {
	_ = e.Method == "latency"
	_ = "storage" != x.Is["method"]
	_ = e.Method == method.RDMA
	switch e.Method {
	case "throughput", run.Halo:
	}
	_ = e.Kind == "storage"
	_ = e.Halo == nil
	switch method.Named(e.Method).Own {
	case true:
	}
}
`
	s := &source{files: token.NewFileSet()}
	var err error
	if s.syntax, err = parser.ParseFile(s.files, "example.go", text, 0); err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, at := range s.methodComparisons(map[string]bool{"RDMA": true}, map[string]bool{"Halo": true}) {
		lines = append(lines, s.line(at))
	}
	if want := []int{3, 4, 5, 7, 7}; !slices.Equal(lines, want) {
		t.Errorf("comparisons in lines %v, want %v", lines, want)
	}
}
