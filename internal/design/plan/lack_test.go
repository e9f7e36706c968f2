package plan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notFromAFile are lacks that no fabric file out of the catalogue alone provokes, with the test that does.
var notFromAFile = map[string]string{
	"port %s: %q cannot be written into a command as the name of an interface":                                                                     "a part of the user's own: TestHostilePorts of internal/config/routeros",
	"shares of the link and ECN are not set: a queue is called uc-tx-queue or tx-queue depending on the chip, and this switch's is not known here": "a part of the user's own: TestShares of internal/config/eos",
	"there is no documented way to configure %s here":                                                                                              "of switches: the reader takes only values of os: that config knows; of hosts: no-system.yaml",
}

// TestEveryLackHasAFabric: each thing that a device is not told is provoked by a fabric of testdata/rules, so that its message is golden.
func TestEveryLackHasAFabric(t *testing.T) {
	var golden strings.Builder
	files, err := filepath.Glob("testdata/rules/*/want.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		golden.Write(b)
	}
	messages := lackMessages(t)
	if len(messages) < 45 {
		t.Fatalf("only %d messages were found in the code", len(messages))
	}
	for _, m := range messages {
		form := regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(m), `.+`)
		if found := regexp.MustCompile(form).MatchString(golden.String()); !found && notFromAFile[m] == "" {
			t.Errorf("no fabric of testdata/rules gives %q", m)
		}
	}
}

// lackMessages are the formats of all calls of add in the code of lacks.
func lackMessages(t *testing.T) []string {
	t.Helper()
	var out []string
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	var calls []*ast.CallExpr
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ValueSpec:
				for i, v := range x.Values {
					if s, ok := literal(v); ok && i < len(x.Names) {
						constants[x.Names[i].Name] = s
					}
				}
			case *ast.CallExpr:
				if sel, ok := x.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "add" && len(x.Args) >= 4 {
					if on, ok := sel.X.(*ast.Ident); ok && on.Name == "l" {
						calls = append(calls, x)
					}
				}
			}
			return true
		})
	}
	for _, c := range calls {
		s, ok := literal(c.Args[3])
		if name, isName := c.Args[3].(*ast.Ident); isName {
			s, ok = constants[name.Name], constants[name.Name] != ""
		}
		if !ok {
			t.Errorf("a message that is no literal: %v", c.Args[3])
			continue
		}
		out = append(out, s)
	}
	return out
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
