package architecture

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the length of a line that can be read side by side with its older version. A tab is one column.
const maxColumns = 120

var (
	directive = regexp.MustCompile(`^//(go:|line |export |sys)`)
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	address   = regexp.MustCompile(`https?://\S+\)?[.,;:]?$`)
)

// TestColumns refuses lines that are too long. Exempt are lines that cannot be wrapped: raw strings (struct tags and
// texts), lines that end with an address, compiler directives, and generated files.
func TestColumns(t *testing.T) {
	for _, s := range sources(t) {
		if generated.MatchString(s.text) {
			continue
		}
		for _, line := range s.tooLong() {
			t.Errorf("%s:%d: more than %d columns", s.name, line, maxColumns)
		}
	}
}

// tooLong returns the numbers of the lines that have to be wrapped.
func (s *source) tooLong() []int {
	var out []int
	var raw []*ast.BasicLit
	offset, number := 0, 0
	for line := range strings.Lines(s.text) {
		number++
		start := offset
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		if utf8.RuneCountInString(line) <= maxColumns || directive.MatchString(line) || address.MatchString(line) {
			continue
		}
		if raw == nil {
			raw = rawStrings(s.syntax)
		}
		// The first byte past the limit.
		at := s.syntax.FileStart + token.Pos(start+len(string([]rune(line)[:maxColumns])))
		if !within(raw, at) {
			out = append(out, number)
		}
	}
	return out
}

func rawStrings(f *ast.File) []*ast.BasicLit {
	out := []*ast.BasicLit{}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.HasPrefix(l.Value, "`") {
			out = append(out, l)
		}
		return true
	})
	return out
}

func within(literals []*ast.BasicLit, at token.Pos) bool {
	for _, l := range literals {
		if l.Pos() <= at && at <= l.End() { // the end too: a quote and a bracket may close a text
			return true
		}
	}
	return false
}
