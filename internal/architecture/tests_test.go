package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// reexecution lists the variables by which a test starts its own binary as another program. The kinds of tests share
// one variable, which internal/testenv reads.
var reexecution = []string{
	"LINERATE_TEST_AGENT_ROLE", "LINERATE_TEST_BUILDER", "LINERATE_TEST_DEPLOY_TO", "LINERATE_TEST_NETNS_NAME",
	"LINERATE_TEST_RESULT_CHILD", "LINERATE_TEST_UNLINK",
	"LINERATE_TEST_NAS", // a password that a fabric file names
}

// sleepers are test files in which a sleep is an input: no test expects something because time has passed.
var sleepers = map[string]string{"internal/agent/deploy/deploy_test.go": "a peer that never answers",
	"internal/agent/process_test.go":               "a process that waits to be killed",
	"internal/storage/block/remote_test.go":        "a target that answers late",
	"internal/traffic/halo/engine_test.go":         "an end goes at some moment or another",
	"internal/traffic/tcp/wire_linux_test.go":      "a peer that is silent for longer than a slot is kept",
	"internal/run/network/namespace_linux_test.go": "a cable that is pulled for a while"}

// TestNoFixedSleeps refuses sleeps: a test that sleeps and then expects something fails on a slower machine. A loop
// that waits for a condition may sleep between two checks, and in a bubble of testing/synctest sleeping takes no time.
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

// TestOneVariable keeps one variable that selects which tests run.
func TestOneVariable(t *testing.T) {
	eachTestFile(t, func(_ string, at func(ast.Node) string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(l.Value)
			if strings.HasPrefix(text, testenv.Variable+"_") && text != testenv.CountVariable &&
				!strings.ContainsAny(text, " =") && !slices.Contains(reexecution, text) {
				t.Errorf("%s: %s; the kinds of tests have one variable, see internal/testenv", at(l), text)
			}
			return true
		})
	})
}

// TestScriptNamesTests checks that every test which test.sh runs without the race detector exists. A renamed test would
// run with it for minutes unnoticed.
func TestScriptNamesTests(t *testing.T) {
	script, err := os.ReadFile("test.sh")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^sums='\^Test\(([A-Za-z|]+)\)\$'$`).FindSubmatch(script)
	if list == nil {
		t.Fatal("test.sh has no list named sums")
	}
	declared := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() && f.Recv == nil {
				declared[f.Name.Name] = true
			}
		}
	}
	for name := range strings.SplitSeq(string(list[1]), "|") {
		if !declared["Test"+name] {
			t.Errorf("test.sh leaves out Test%s, and there is no such test", name)
		}
	}
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
