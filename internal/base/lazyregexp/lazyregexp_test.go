package lazyregexp

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestLiterals compiles every literal in the source, because New reports no error.
func TestLiterals(t *testing.T) {
	files := token.NewFileSet()
	compiled := 0
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("lazyregexp.New(")) {
			return err
		}
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			text, ok := literal(node)
			if !ok {
				return true
			}
			compiled++
			if _, err := regexp.Compile(text); err != nil {
				t.Errorf("%s: %v", files.Position(node.Pos()), err)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if compiled < 400 {
		t.Errorf("%d expressions were found in the source", compiled)
	}
}

// literal returns the expression of a call of lazyregexp.New with a literal.
func literal(node ast.Node) (string, bool) {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || called.Sel.Name != "New" {
		return "", false
	}
	if from, ok := called.X.(*ast.Ident); !ok || from.Name != "lazyregexp" {
		return "", false
	}
	argument, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	text, err := strconv.Unquote(argument.Value)
	return text, err == nil
}

func TestAsRegexp(t *testing.T) {
	lazy, eager := New(`(?P<key>\w+)=(\d*)`), regexp.MustCompile(`(?P<key>\w+)=(\d*)`)
	const text = "a=1 bc= d"
	if lazy.String() != eager.String() {
		t.Errorf("String: %q", lazy.String())
	}
	if got, want := lazy.FindAllStringSubmatch(text, -1), eager.FindAllStringSubmatch(text, -1); len(got) != 2 ||
		got[1][1] != want[1][1] {
		t.Errorf("FindAllStringSubmatch: %q, want %q", got, want)
	}
	if got, want := lazy.ReplaceAllString(text, "${key}"), eager.ReplaceAllString(text, "${key}"); got != want {
		t.Errorf("ReplaceAllString: %q, want %q", got, want)
	}
}
