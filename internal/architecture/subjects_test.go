package architecture

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// otherSubjects are the files that look into the text of a subject that is not a finding's, with what it is.
var otherSubjects = map[string]string{
	"internal/device/gap.go":                   "of a gap of a device: the kind of device, and its name",
	"internal/inspect/check/address/probed.go": "of facts that are not known: the probe, and what it asked",
	"internal/inspect/check/lossless/switch.go": "of an event of a switch: its port, as the system there has it, with a " +
		"prefix or without",
	"internal/inspect/check/pcie/driver.go": "of an event of a host: a device as the kernel's log has it",
	"internal/report/compare/facts.go":      "of a setting: the interface, and the key",
}

// TestSubjectsAreNotCut keeps the form of a subject's text in package record alone. What asks what a finding is about
// asks its fields: a part of a name is not the name, and the text may change.
func TestSubjectsAreNotCut(t *testing.T) {
	unused := maps.Clone(otherSubjects)
	for _, s := range sources(t) {
		if s.isTest() || s.folder == "internal/record" {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !cutsText(call.Fun) || !isSubject(call.Args[0]) {
				return true
			}
			delete(unused, s.name)
			if otherSubjects[s.name] == "" {
				t.Errorf("%s:%d: it cuts the text of a subject: ask record.Subject", s.name, s.line(call.Pos()))
			}
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("%s cuts no subject any more: take it out of otherSubjects", name)
	}
}

// cutsText reports whether a function of package strings looks at a part of its first argument.
func cutsText(function ast.Expr) bool {
	of, ok := function.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := of.X.(*ast.Ident)
	return ok && from.Name == "strings" && slices.ContainsFunc(
		[]string{"Cut", "Has", "Contains", "Split", "Fields", "Trim", "Index", "LastIndex"},
		func(word string) bool { return strings.HasPrefix(of.Sel.Name, word) })
}

// isSubject reports whether an expression is a field or a method Subject, or the text of one.
func isSubject(x ast.Expr) bool {
	for {
		if call, ok := x.(*ast.CallExpr); ok {
			x = call.Fun
		}
		of, ok := x.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if strings.EqualFold(of.Sel.Name, "Subject") {
			return true
		}
		if of.Sel.Name != "String" {
			return false
		}
		x = of.X
	}
}
