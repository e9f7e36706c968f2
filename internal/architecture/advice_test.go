package architecture

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// todo matches what to type or to do in the text of an error. diag.Advise takes it apart from what is wrong.
var todo = regexp.MustCompile(`; (write|name|give|add|choose|take|omit|leave|use|set|run|put|copy|linerate|resume|measure) `)

// The packages of commands, and that of ceilings, add what to type to errors by diag.Advise, not in the text.
func TestAdvised(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		if s.isTest() || !strings.HasPrefix(s.name, "internal/cli/") && s.folder != "cmd/linerate" &&
			s.folder != "internal/design/ceiling" {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Errorf" && f.Sel.Name != "New" {
				return true
			}
			seen++
			if text := joinedText(call.Args[0], map[ast.Node]bool{}); todo.MatchString(text) {
				t.Errorf("%s:%d: %q: what to type is an argument of diag.Advise", s.name, s.line(n.Pos()), text)
			}
			return true
		})
	}
	if seen < 100 {
		t.Errorf("%d errors were read", seen)
	}
}
