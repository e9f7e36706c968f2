package architecture

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// maxWords is the length of a sentence that somebody reads once.
const maxWords = 30

// TestSentences refuses long sentences in what the program prints.
func TestSentences(t *testing.T) {
	for _, s := range sources(t) {
		for _, p := range s.texts() {
			if !s.isPrinted(p.text) {
				continue
			}
			for _, sentence := range sentences(p.text) {
				if code.MatchString(sentence) {
					continue
				}
				if n := len(wordsOf.FindAllString(sentence, -1)); n > maxWords {
					t.Errorf("%s:%d: %d words: %.500s", s.name, p.line, n, strings.Join(strings.Fields(sentence), " "))
				}
			}
		}
	}
}

var (
	wordsOf = regexp.MustCompile(`[\p{L}\p{N}'%_/.=-]*[\p{L}\p{N}%]`)
	// code is in scripts, expressions and templates, and not in English.
	code = regexp.MustCompile(`[{}$\\^]|</?[a-z]|;;|\[ -|[a-z]=[a-z%]|: \[\[|&& (ip|tc) |in 1 2 3|%\[3\]s/`)
	// ends is where a sentence ends; also at an empty line, at an item of a list and at an indented line, which is a
	// command or a row of a table.
	ends = regexp.MustCompile(`[.!?]["')]*(\s+|$)|\n\s*\n|\n +|\n[-*] |\t`)
)

// sentences splits a text. One that begins with a small letter is a part of an output, such as an error, whose clauses
// are printed as lines of their own.
func sentences(text string) []string {
	if first, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(first) {
		text = strings.ReplaceAll(text, "; ", "\n\n")
	}
	return ends.Split(text, -1)
}

// texts returns the string literals of a file, those that are joined by a plus as one text.
func (s *source) texts() (out []piece) {
	inside := map[ast.Node]bool{}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			if f, ok := n.(*ast.Field); ok && f.Tag != nil {
				inside[f.Tag] = true
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD && !inside[n] {
				out = append(out, piece{text, s.line(n.Pos()), joinedText(n, inside)})
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !inside[n] {
				out = append(out, piece{text, s.line(n.Pos()), literal(n)})
			}
		}
		return true
	})
	return out
}

// joinedText returns the text of an expression; what is not a literal is one word.
func joinedText(e ast.Expr, inside map[ast.Node]bool) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		inside[e] = true
		return literal(e)
	case *ast.ParenExpr:
		return joinedText(e.X, inside)
	case *ast.BinaryExpr:
		inside[e] = true
		return joinedText(e.X, inside) + joinedText(e.Y, inside)
	}
	return "X"
}

// literal returns the text of a literal. A raw one has line breaks within sentences; in others they end a sentence.
func literal(e *ast.BasicLit) string {
	value, _ := strconv.Unquote(e.Value)
	if strings.HasPrefix(e.Value, "`") {
		return value
	}
	return strings.ReplaceAll(value, "\n", "\n\n")
}
