package plan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// notFromAFile are gaps that no fabric file with parts of the catalogue provokes, with the test that does.
var notFromAFile = map[string]string{
	"port %s: %q cannot be written into a command as the name of an interface": "a part of the user's own: " +
		"TestHostilePorts of internal/device/routeros/render",
	"shares of the link and ECN are not set: a queue is called uc-tx-queue or tx-queue depending on the chip, and this " +
		"switch's is not known here": "a part of the user's own: TestShares of internal/device/eos/render",
	"there is no documented way to configure %s here": "of switches: the reader takes only values of os: that config " +
		"knows; of hosts: no-system.yaml",
}

// TestEveryGapHasAFabric expects a fabric of testdata/rules for each gap of a device, so that its message is golden.
func TestEveryGapHasAFabric(t *testing.T) {
	var golden strings.Builder
	files, err := filepath.Glob("testdata/rules/*/want.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b := testenv.Must(os.ReadFile(f))(t)
		golden.Write(b)
	}
	messages := gapMessages(t)
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

// gapMessages returns the formats of all calls that add a gap.
func gapMessages(t *testing.T) []string {
	t.Helper()
	var out []string
	var files []string
	for _, pattern := range []string{"gaps.go", "../../device/*.go", "../../device/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		files = append(files, found...)
	}
	constants := map[string]string{}
	var calls []*ast.CallExpr
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := testenv.Must(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ValueSpec:
				for i, v := range x.Values {
					if s, ok := literal(v); ok && i < len(x.Names) {
						constants[x.Names[i].Name] = s
					}
				}
			case *ast.CallExpr:
				adds := []string{"Error", "Warn", "Note"}
				if sel, ok := x.Fun.(*ast.SelectorExpr); ok && slices.Contains(adds, sel.Sel.Name) && len(x.Args) >= 3 {
					if on, ok := sel.X.(*ast.Ident); ok && on.Name == "c" {
						calls = append(calls, x)
					}
				}
			}
			return true
		})
	}
	for _, c := range calls {
		s, ok := literal(c.Args[2])
		switch name := c.Args[2].(type) {
		case *ast.Ident:
			s, ok = constants[name.Name], constants[name.Name] != ""
		case *ast.SelectorExpr:
			s, ok = constants[name.Sel.Name], constants[name.Sel.Name] != ""
		}
		if !ok {
			t.Errorf("a message that is not a literal: %v", c.Args[2])
			continue
		}
		out = append(out, s)
	}
	return out
}

func literal(e ast.Expr) (string, bool) {
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		x, okX := literal(sum.X)
		y, okY := literal(sum.Y)
		return x + y, okX && okY
	}
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
