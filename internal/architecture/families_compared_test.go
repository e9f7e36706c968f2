package architecture

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/device/families"
)

// familyReaders are the folders that read live hosts, each by the means of its own system, and the families themselves.
var familyReaders = []string{"internal/device", "internal/host/collect"}

// TestFamiliesAreNotCompared refuses comparisons of a device family with a name outside the families' own folders. Code
// that queries a property of the system still works when a family is added. A comparison is ==, !=, a case, or a map
// with the names as keys. runtime.GOOS may be compared: it selects system calls.
func TestFamiliesAreNotCompared(t *testing.T) {
	names := append(append(families.Hosts(), families.Switches()...), "darwin")
	for _, s := range sources(t) {
		ofFamily := slices.ContainsFunc(familyReaders, func(folder string) bool {
			return s.folder == folder || strings.HasPrefix(s.folder, folder+"/")
		})
		if s.isTest() || ofFamily || strings.HasPrefix(s.folder, "tools/") {
			continue
		}
		for _, at := range familyComparisons(s.syntax, names) {
			t.Errorf("%s:%d: a device family is compared with a name: ask for a property of device.System", s.name, s.line(at))
		}
	}
}

// familyComparisons returns the places in which a file compares a family with a name.
func familyComparisons(file *ast.File, names []string) []token.Pos {
	var out []token.Pos
	isName := func(x ast.Expr) bool {
		l, ok := x.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return false
		}
		text, err := strconv.Unquote(l.Value)
		return err == nil && slices.Contains(names, text)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			compares := n.Op == token.EQL || n.Op == token.NEQ
			if compares && (isName(n.X) && !ofProgram(n.Y) || isName(n.Y) && !ofProgram(n.X)) {
				out = append(out, n.Pos())
			}
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, value := range c.(*ast.CaseClause).List {
					if n.Tag != nil && isName(value) && !ofProgram(n.Tag) {
						out = append(out, value.Pos())
					}
				}
			}
		case *ast.CompositeLit:
			if ofPackages(n) {
				break
			}
			for _, e := range n.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok && isName(pair.Key) {
					out = append(out, pair.Pos())
				}
			}
		}
		return true
	})
	return out
}

// ofPackages reports whether the keys of a map are package formats of hosts: "debian" is among them.
func ofPackages(list *ast.CompositeLit) bool {
	return slices.ContainsFunc(list.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := pair.Key.(*ast.BasicLit)
		return ok && key.Value == `"debian"`
	})
}

// ofProgram reports whether an expression is the system that a program runs on: runtime.GOOS, of this program or an
// agent.
func ofProgram(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "GOOS" || sel.Sel.Name == "goos")
}
