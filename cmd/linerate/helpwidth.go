package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"linerate/internal/report"
)

const (
	// helpNarrowest is the narrowest terminal that help is fitted to: behind long names there would be no room for text.
	helpNarrowest = 60
	// helpWidest keeps lines of prose readable on a wide one.
	helpWidest = 120
)

// fitHelp makes helps fit the terminal that they are printed on; in a file or a pipe lines stay as they are.
func (e *env) fitHelp(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		width := 0
		if f, ok := e.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			width = min(e.terminal().Width, helpWidest)
		}
		out := c.OutOrStdout()
		var text bytes.Buffer
		c.SetOut(&text)
		plain(c, args)
		c.SetOut(out)
		io.WriteString(out, fitted(text.String(), width))
	})
}

// column is a line of a list: a name, at least two spaces, and what it is.
var column = regexp.MustCompile(`^( +\S.*?  +)(\S.*)$`)

// fitted is a help with no line wider than width, but for what is to be copied: examples and how a command is typed. 0: as it is.
func fitted(text string, width int) string {
	if width <= 0 {
		return text
	}
	width = max(width, helpNarrowest)
	var out, prose []string
	flush := func() {
		out = append(out, report.Wrapped([]string{strings.Join(prose, " ")}, width)...)
		prose = nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indented := strings.HasPrefix(line, " ")
		heads := strings.HasSuffix(line, ":") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ")
		if line == "" || indented || heads {
			if len(prose) > 0 {
				flush()
			}
		}
		m := column.FindStringSubmatch(line)
		switch {
		case line == "" || heads && len(line) <= width || strings.HasPrefix(line, "Usage: ") || strings.HasPrefix(line, "  linerate "):
			out = append(out, line)
		case m != nil && len(line) > width:
			indent := strings.Repeat(" ", min(len(m[1]), width/2))
			for j, part := range report.Wrapped([]string{m[2]}, width-len(indent)) {
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
