package architecture

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is where a word is in a Go file.
type kind string

const (
	comment kind = "comment"
	name    kind = "name" // of what the file declares
	file    kind = "file" // its name
	log     kind = "log"  // what a test prints, and the words of a panic
	text    kind = "text" // another string literal, which a user may see
)

// piece is a part of a file that is compared with the list.
type piece struct {
	kind kind
	line int
	text string
}

// pieces returns all parts of a file.
func (s *source) pieces() []piece {
	out := []piece{{file, 1, strings.ReplaceAll(strings.TrimSuffix(path.Base(s.name), ".go"), "_", " ")}}
	for _, group := range s.syntax.Comments {
		out = append(out, s.comment(group)...)
	}
	logged := map[*ast.BasicLit]bool{}
	skipped := map[*ast.BasicLit]bool{} // import paths and struct tags
	declared := func(idents ...*ast.Ident) {
		for _, ident := range idents {
			if ident != nil && ident.Name != "_" {
				out = append(out, piece{name, s.line(ident.Pos()), inWords(ident.Name)})
			}
		}
	}
	define := func(expressions ...ast.Expr) {
		for _, e := range expressions {
			if ident, ok := e.(*ast.Ident); ok {
				declared(ident)
			}
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			declared(n.Name)
			skipped[n.Path] = true
		case *ast.FuncDecl:
			declared(n.Name)
		case *ast.TypeSpec:
			declared(n.Name)
		case *ast.ValueSpec:
			declared(n.Names...)
		case *ast.LabeledStmt:
			declared(n.Label)
		case *ast.Field:
			declared(n.Names...)
			if n.Tag != nil {
				skipped[n.Tag] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				define(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				define(n.Key, n.Value)
			}
		case *ast.CallExpr:
			if isLog(n) {
				for _, argument := range n.Args {
					literals(argument, logged)
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !skipped[n] {
				of := text
				if logged[n] {
					of = log
				}
				value, _ := strconv.Unquote(n.Value)
				out = append(out, piece{of, s.line(n.Pos()), value})
			}
		}
		return true
	})
	return out
}

// logging are the methods by which tests and loggers print.
var logging = regexp.MustCompile(`^(Error|Fatal|Log|Skip|Print|Panic|Debug|Info|Warn)(f|ln)?$`)

func isLog(call *ast.CallExpr) bool {
	switch of := call.Fun.(type) {
	case *ast.Ident:
		return of.Name == "panic"
	case *ast.SelectorExpr:
		from, ok := of.X.(*ast.Ident)
		return ok && slices.Contains([]string{"t", "b", "f", "tb", "log", "slog"}, from.Name) &&
			(logging.MatchString(of.Sel.Name) || of.Sel.Name == "Run")
	}
	return false
}

// literals collects the string literals of an expression that are joined by a plus, or formatted.
func literals(e ast.Expr, into map[*ast.BasicLit]bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		into[e] = true
	case *ast.BinaryExpr:
		literals(e.X, into)
		literals(e.Y, into)
	case *ast.ParenExpr:
		literals(e.X, into)
	}
}

var (
	// quoted is what a comment quotes: outputs, keys, flags and commands use other programs' words.
	quoted = regexp.MustCompile("`[^`]*`|\"[^\"\n]*\"|(^|[ (])--?[a-z][-a-z0-9]*|https?://[^ \n]*")
	// instruction is a comment for a program.
	instruction = regexp.MustCompile(`^//(go:|line |lint:|nolint)`)
)

// comment returns one piece for each paragraph of a comment: a phrase may continue on the next line.
func (s *source) comment(group *ast.CommentGroup) []piece {
	var out []piece
	fresh := true
	for _, c := range group.List {
		if instruction.MatchString(c.Text) {
			continue
		}
		for i, line := range strings.Split(c.Text, "\n") {
			line = strings.Trim(line, "/* \t")
			switch {
			case line == "":
				fresh = true
				continue
			case fresh:
				out = append(out, piece{comment, s.line(c.Pos()) + i, line})
			default:
				out[len(out)-1].text += "\n" + line
			}
			fresh = false
		}
	}
	for i, p := range out {
		out[i].text = quoted.ReplaceAllStringFunc(p.text, func(quote string) string {
			return "…" + strings.Repeat("\n", strings.Count(quote, "\n"))
		})
	}
	return out
}

// word is a word of a piece, or a mark at which a phrase ends.
type word struct {
	text string // as it is written
	low  string // in small letters
	line int
}

// words returns the words and marks of a piece.
func (p piece) words() []word {
	var out []word
	line, start := p.line, -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, word{p.text[start:at], strings.ToLower(p.text[start:at]), line})
		}
		start = -1
	}
	for at, r := range p.text {
		switch {
		case r == utf8.RuneError, unicode.IsLetter(r), unicode.IsDigit(r), r == '\'', r == '_':
			if start < 0 {
				start = at
			}
			continue
		}
		end(at)
		switch {
		case r == '\n':
			line++
		case !unicode.IsSpace(r) && r != '-' && r != ',':
			out = append(out, word{".", ".", line})
		}
	}
	end(len(p.text))
	return out
}

// inWords splits an identifier into words: cutTCPWindow is "cut tcp window".
func inWords(ident string) string {
	var b strings.Builder
	runes := []rune(ident)
	for i, r := range runes {
		switch {
		case r == '_':
			r = ' '
		case i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
