package cli

import (
	"regexp"
	"strings"

	"linerate/internal/report/format"
)

const (
	// HelpNarrowest is the narrowest terminal that help is fitted to: long names would leave no room for text.
	HelpNarrowest = 60
	// helpWidest keeps lines readable on a wide terminal, and is the width in a file or a pipe.
	helpWidest = 100
)

// column matches a line of a list: a name, at least two spaces, and a description.
var column = regexp.MustCompile(`^( +\S.*?  +)(\S.*)$`)

// Fitted wraps a help text to width, except for lines to copy: examples and synopsis. 0: unchanged.
func Fitted(text string, width int) string {
	if width <= 0 {
		return text
	}
	width = max(width, HelpNarrowest)
	var out, prose []string
	flush := func() {
		out = append(out, format.Wrapped([]string{strings.Join(prose, " ")}, width)...)
		prose = nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indented := strings.HasPrefix(line, " ")
		heading := strings.HasSuffix(line, ":") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ")
		if line == "" || indented || heading {
			if len(prose) > 0 {
				flush()
			}
		}
		m := column.FindStringSubmatch(line)
		switch {
		case line == "", heading && len(line) <= width,
			strings.HasPrefix(line, "Usage: "), strings.HasPrefix(line, "  linerate "):
			out = append(out, line)
		case m != nil && len(line) > width:
			indent := strings.Repeat(" ", min(len(m[1]), width/2))
			for j, part := range format.Wrapped([]string{m[2]}, width-len(indent)) {
				if j == 0 {
					part = m[1] + part
				} else {
					part = indent + part
				}
				out = append(out, part)
			}
		case indented:
			out = append(out, line)
		default:
			prose = append(prose, line)
		}
	}
	if len(prose) > 0 {
		flush()
	}
	return strings.Join(out, "\n")
}
