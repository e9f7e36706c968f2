package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// reexecution lists the variables by which a test starts its own binary as another program. The kinds of tests have one
// variable, which internal/testenv reads.
var reexecution = []string{
	"LINERATE_TEST_AGENT_ROLE", "LINERATE_TEST_BUILDER", "LINERATE_TEST_DEPLOY_TO", "LINERATE_TEST_NETNS_NAME",
	"LINERATE_TEST_RESULT_CHILD", "LINERATE_TEST_UNLINK",
	"LINERATE_TEST_NAS", // a password that a fabric file names
}

// sleepers are test files in which a sleep is an input: nothing is expected because it has passed.
var sleepers = map[string]string{
	"internal/agent/deploy_test.go":         "a peer that never answers",
	"internal/agent/process_test.go":        "a process that waits to be killed",
	"internal/storage/block/remote_test.go": "a target that answers late",
	"internal/traffic/halo_test.go":         "an end goes at some moment or another",
	"internal/traffic/wire_linux_test.go":   "a peer that is silent for longer than a slot is kept",
	"internal/run/session_test.go":          "a goroutine that leaves late, so that others could come in",
	"internal/run/trouble_linux_test.go":    "a cable that is pulled for a while",
}

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
				if n.Post != nil {
					ast.Inspect(n.Post, visit)
				}
				ast.Inspect(n.Body, visit)
				loops--
				return false
			case *ast.RangeStmt:
				loops++
				ast.Inspect(n.Body, visit)
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
			if strings.HasPrefix(text, testenv.Variable+"_") && text != testenv.CountVariable && !strings.ContainsAny(text, " =") && !slices.Contains(reexecution, text) {
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
