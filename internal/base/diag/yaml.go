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
		return At{1, 1}, Problem{ID: YAMLSyntax, Subject: WholeFile, Message: err.Error()}, false
	}
	at, open := At{le.Mark.Line, le.Mark.Column}, At{le.ContextMark.Line, le.ContextMark.Column}
	if at.Line == 0 {
		at = open
	}
	begins := fmt.Sprintf("opened in line %d, column %d", open.Line, open.Col)
	c := t.Char(at)
	says := func(words string) bool { return strings.Contains(le.Message, words) }
	p = Problem{ID: YAMLSyntax, Message: le.Message}
	set := func(id ID, message, limit, fix string) { p = Problem{ID: id, Message: message, Limit: limit, Fix: fix} }
	switch name := unquotedRange(lines, at); {
	case name != "":
		lines[at.Line-1] = strings.Replace(lines[at.Line-1], name, strings.NewReplacer("[", "_", "]", "_").Replace(name), 1)
		masked = true
		set(RangeUnquoted, fmt.Sprintf("the range %s has no quotes", Quote(name)),
			"inside {} and [] YAML reads [ as the start of a list", fmt.Sprintf("write \"%s\"", Visible(name)))
	case says("cannot start any token") && c == '\t', says("tab"):
		set(YAMLIndent, "a tab is at the start of the line", "YAML indents with spaces only",
			"replace the tab by spaces (most editors have a command for the whole file)")
	case says("cannot start any token"):
		set(YAMLSyntax, fmt.Sprintf("a value starts with %q", c), "YAML reserves this character",
			"put the whole value into quotes")
	case says("mapping values are not allowed"):
		set(YAMLIndent, "a second key is on this line", "YAML takes one key a line, indented like its neighbours",
			"put the key on a line of its own, indented like the others\nput a text that has \": \" in it into quotes")
	case says("expected ',' or"):
		set(YAMLSyntax, fmt.Sprintf("a comma or the closing %s is missing", le.Message[len(le.Message)-2:len(le.Message)-1]),
			begins, "add it before this place\nput a value that has one of [ ] { } , in it into quotes")
	case says("did not find expected key"), says("expected '-' indicator"):
		set(YAMLIndent, "this line fits neither the list nor the keys above it", fmt.Sprintf("these begin in line %d",
			open.Line), fmt.Sprintf("indent it like line %d, or close the bracket above it", open.Line))
	case says("did not find expected node content"):
		set(YAMLSyntax, "a value or a closing bracket is missing", begins, "close the [ or {, or write the value")
	case says("unexpected end of stream") && strings.Contains(le.ContextMsg, "quoted"):
		at = open
		set(YAMLSyntax, "a quote is never closed", "", "close it on the same line")
	case says("unknown escape"):
		set(YAMLSyntax, "a backslash in double quotes starts an unknown escape", "YAML reads backslashes in double "+
			"quotes only", "use single quotes: 'C:\\bench'")
	case says("could not find expected ':'") && open.Line > 0 && open.Line <= len(lines):
		at = open
		set(YAMLSyntax, "the line has no colon", "a colon and a space follow a key", "write KEY: VALUE")
		if key, value, ok := strings.Cut(strings.TrimSpace(lines[open.Line-1]), " "); ok && isName(key) {
			p.Fix = fmt.Sprintf("write %s: %s", key, strings.TrimSpace(value))
		}
	case says("unknown anchor"):
		set(YAMLSyntax, "the anchor is not defined above this line", "", "define it with &NAME where the value is first, or "+
			"write the value out\nput a text that starts with * into quotes")
	case says("max depth"):
		set(TooLarge, "values are nested too deeply", fmt.Sprintf("linerate reads %d levels, %s", r.Depth, r.Needs),
			"close the [ and { that are open")
	case says("incompatible YAML"):
		set(YAMLSyntax, "this YAML version is not known", "linerate reads YAML 1.2", "delete the %YAML line")
	case le.ContextMsg != "":
		p.Message = fmt.Sprintf("%s (%s)", le.Message, le.ContextMsg)
	}
	p.Subject = WholeFile
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
