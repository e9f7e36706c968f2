package linerate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// reexecution lists the variables by which a test starts its own binary as another program. The kinds of tests have one
// variable, which internal/testenv reads.
var reexecution = []string{}

// sleepers are test files that may sleep for a fixed time, with the reason.
var sleepers = map[string]string{}

// A test that sleeps and then expects something fails on a slower machine. A loop that waits for a condition may sleep
// between two looks, and in the bubble of testing/synctest sleeping takes no time.
func TestNoFixedSleeps(t *testing.T) {
	eachTestFile(t, func(name string, at func(ast.Node) string, f *ast.File) {
		if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			return
		}
		loops := 0
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				loops++
				for _, child := range []ast.Node{n.Init, n.Cond, n.Post, n.Body} {
					if child != nil && child != ast.Stmt(nil) {
						ast.Inspect(child, visit)
					}
				}
				loops--
				return false
			case *ast.CallExpr:
				s, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || loops > 0 || s.Sel.Name != "Sleep" {
					return true
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && sleepers[name] == "" {
					t.Errorf("%s: time.Sleep outside of a loop; wait for what happens, or use testing/synctest", at(n))
				}
			}
			return true
		}
		ast.Inspect(f, visit)
	})
}

// The tests have one variable that says what runs.
func TestOneVariable(t *testing.T) {
	eachTestFile(t, func(_ string, at func(ast.Node) string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(l.Value)
			if strings.HasPrefix(text, "LINERATE_TEST_") && !strings.ContainsAny(text, " =") && !slices.Contains(reexecution, text) {
				t.Errorf("%s: %s; the kinds of tests have one variable, see internal/testenv", at(l), text)
			}
			return true
		})
	})
}

// eachTestFile visits the tests, and the packages that only tests import.
func eachTestFile(t *testing.T, visit func(name string, at func(ast.Node) string, f *ast.File)) {
	t.Helper()
	seen := 0
	eachGoFile(t, func(name, folder string) {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(path.Base(folder), "test") {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		visit(name, func(n ast.Node) string { return files.Position(n.Pos()).String() }, f)
	})
	if seen < 100 {
		t.Fatalf("only %d test files were looked at", seen)
	}
}
