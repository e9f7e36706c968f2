package paste

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	// quoted is the beginning of a line that a mail or a forum quotes. No output begins with it.
	quoted = lazyregexp.New(`^\s*(?:>[ \t]?)+`)
	// tags are those of forums and web pages around a code block.
	tags = lazyregexp.New(`(?i)\[/?(?:code|quote|spoiler|pre|plain|icode|tt|console|noparse)(?:[= ][^\]\n]{0,200})?\]|` +
		`</?(?:pre|code|blockquote|br|p|div|span|samp|kbd)(?:\s[^>\n]{0,200})?/?>`)
	// fence is that of a code block in Markdown.
	fence = lazyregexp.New("^\\s*(?:`{3,}|~{3,})\\s*[\\w+-]{0,20}\\s*$")
	// password is sudo's question.
	password = lazyregexp.New(`^\[sudo\] [^\n]{1,100}:\s*$`)
	// rule is a line of decoration.
	rule = lazyregexp.New(`^[-=*_#~+.\s]*$`)
)

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&nbsp;", " ",
	"&amp;", "&", "\u00a0", " ", "\u200b", "", "\u2013", "-")

// cleaned returns the lines of a text without quoting, markup, and the blanks before an indented block. The number of
// lines stays the same, so that a line has its number in the original.
func cleaned(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if bare := quoted.FindString(line); bare != "" {
			line = line[len(bare):]
		}
		if strings.ContainsAny(line, "[<") {
			line = tags.ReplaceAllString(line, "")
		}
		if fence.MatchString(line) || password.MatchString(line) {
			line = ""
		}
		lines[i] = strings.TrimRight(entities.Replace(line), " \t")
	}
	dedent(lines)
	return lines
}

// dedent removes the blanks that all lines have, and those before a block whose first line is a prompt or the head of
// an output, as in Markdown.
func dedent(lines []string) {
	least := -1
	for _, line := range lines {
		if bare := strings.TrimLeft(line, " \t"); bare != "" && (least < 0 || len(line)-len(bare) < least) {
			least = len(line) - len(bare)
		}
	}
	indent := max(least, 0)
	for i, line := range lines {
		bare := strings.TrimLeft(line, " \t")
		switch n := len(line) - len(bare); {
		case bare == "":
			lines[i] = ""
			continue
		case n < indent:
			indent = max(least, 0)
		case n > indent && begins(bare):
			indent = n
		}
		lines[i] = line[min(indent, len(line)-len(bare)):]
	}
}

// begins reports whether a line is the head of an output that begins at the margin.
func begins(bare string) bool {
	f, head := ofLine(bare)
	return f != nil && (head || strings.HasPrefix(bare, "[")) && f.Name != "perftest" && f.Name != "crystaldiskmark"
}
