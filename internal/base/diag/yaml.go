package diag

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Syntax rewords the library's error for readers who do not know its terms, and returns its place. If the error is a
// range without quotes, Syntax masks the brackets in lines, so that the rest can be parsed as well.
func (t *Text) Syntax(err error, lines []string, r Reads) (at At, p Problem, masked bool) {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return At{1, 1}, Problem{Subject: "YAML", Message: err.Error()}, false
	}
	at, open := At{le.Mark.Line, le.Mark.Column}, At{le.ContextMark.Line, le.ContextMark.Column}
	p = Problem{Subject: "YAML", Message: le.Message}
	if at.Line == 0 {
		at = open
	}
	c := t.Char(at)
	switch {
	case unquotedRange(lines, at) != "":
		name := unquotedRange(lines, at)
		lines[at.Line-1] = strings.Replace(lines[at.Line-1], name, strings.NewReplacer("[", "_", "]", "_").Replace(name), 1)
		masked = true
		p.Message = fmt.Sprintf("the range %s has no quotes", Quote(name))
		p.Limit = "inside {} and [] YAML reads [ as the start of a list"
		p.Fix = fmt.Sprintf("write \"%s\"", Visible(name))
	case strings.Contains(le.Message, "cannot start any token") && c == '\t', strings.Contains(le.Message, "tab"):
		p.Message, p.Limit, p.Fix = "there is a tab at the start of the line", "YAML indents with spaces only",
			"replace it by spaces (most editors have a command for the whole file)"
	case strings.Contains(le.Message, "cannot start any token"):
		p.Message, p.Limit, p.Fix = fmt.Sprintf("a value starts with %q",
			c), "YAML reserves that character", "put the whole value into quotes"
	case strings.Contains(le.Message, "mapping values are not allowed"):
		p.Message, p.Limit = "a key and its colon are not expected here",
			"YAML takes one key a line, as far to the right as its neighbours"
		p.Fix = "check the indentation of this line and the one above; put a text that has \": \" in it into quotes"
	case strings.Contains(le.Message, "expected ',' or"):
		p.Message = fmt.Sprintf("a comma or the closing %s is missing before this",
			le.Message[len(le.Message)-2:len(le.Message)-1])
		p.Limit = fmt.Sprintf("the list or mapping was opened in line %d, column %d", open.Line, open.Col)
		p.Fix = "add it; put a value that has one of [ ] { } , in it into quotes"
	case strings.Contains(le.Message, "did not find expected key"),
		strings.Contains(le.Message, "expected '-' indicator"):
		p.Message, p.Limit = "this line fits neither the list nor the keys above it", fmt.Sprintf(
			"what it belongs to began in line %d, column %d", open.Line, open.Col)
		p.Fix = fmt.Sprintf("indent it like line %d, or close what is open above it", open.Line)
	case strings.Contains(le.Message, "did not find expected node content"):
		p.Message, p.Limit = "a value or a closing bracket is missing here", fmt.Sprintf(
			"what is open began in line %d, column %d", open.Line, open.Col)
		p.Fix = "close the [ or { that is open, or write the value"
	case strings.Contains(le.Message, "unexpected end of stream") && strings.Contains(le.ContextMsg, "quoted"):
		at, p.Message, p.Fix = open, "the quote opened here is never closed", "close it on the same line"
	case strings.Contains(le.Message, "unknown escape"):
		p.Message, p.Limit, p.Fix = "a backslash in double quotes starts an escape that YAML does not know",
			"YAML reads backslashes in double quotes only", "use single quotes: 'C:\\bench'"
	case strings.Contains(le.Message, "could not find expected ':'") && open.Line > 0 && open.Line <= len(lines):
		at, p.Message, p.Limit = open, "the line has no colon", "a key is followed by a colon and a space"
		p.Fix = "write KEY: VALUE"
		if key, value, ok := strings.Cut(strings.TrimSpace(lines[open.Line-1]), " "); ok && isName(key) {
			p.Fix = fmt.Sprintf("write %s: %s", key, strings.TrimSpace(value))
		}
	case strings.Contains(le.Message, "unknown anchor"):
		p.Message, p.Fix = "the anchor is not defined above this line",
			"define it with &NAME where the value stands first, or write the value out; put a text that starts with * into "+
				"quotes"
	case strings.Contains(le.Message, "max depth"):
		p.Message, p.Limit, p.Fix = "values are nested too deeply", fmt.Sprintf("linerate reads %d levels, %s", r.Depth,
			r.Needs), "close the [ and { that are open"
	case strings.Contains(le.Message, "incompatible YAML"):
		p.Message, p.Limit, p.Fix = "this YAML version is not known", "linerate reads YAML 1.2", "take the %YAML line out"
	case le.ContextMsg != "":
		p.Message = fmt.Sprintf("%s (%s)", le.Message, le.ContextMsg)
	}
	return at, p, masked
}

// isName reports whether a text is a plain key: letters, digits, - and _.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

var rangeText = regexp.MustCompile(`[\pL\pN_.-]*\[\d+-\d+\][\pL\pN_./\[\]-]*`)

// unquotedRange returns the name with a range around a place, if its bracket is at that place.
func unquotedRange(lines []string, at At) string {
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	line := lines[at.Line-1]
	place, col := len(line), 1
	for i := range line {
		if col == at.Col {
			place = i
			break
		}
		col++
	}
	for _, m := range rangeText.FindAllStringIndex(line, -1) {
		if name := line[m[0]:m[1]]; m[0] <= place && place <= m[1] && !strings.HasPrefix(name, "[") {
			return trimBrackets(name)
		}
	}
	return ""
}

// trimBrackets removes closing brackets at the end that have no opening one.
func trimBrackets(s string) string {
	for strings.HasSuffix(s, "]") && strings.Count(s, "]") > strings.Count(s, "[") {
		s = strings.TrimSuffix(s, "]")
	}
	return s
}
