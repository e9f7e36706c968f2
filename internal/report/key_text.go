package report

import (
	"fmt"
	"strings"

	"linerate/internal/record"
)

// keysInText is how many key findings a text has; the page has more, the JSON all.
const keysInText = 5

// keys prints the strongest key findings that the tables above do not say in the same words.
func (l *lines) keys(r *record.Run) {
	if l.Found == nil || l.Found.run != r {
		l.Found = Find(r)
	}
	_, found := l.Found.once()
	var said []string
	left := 0
	for _, f := range found {
		switch {
		case f.Kind == "line-rate", f.Kind == "paths" && len(f.about) <= 2:
		case len(said) == keysInText:
			left++
		default:
			said = append(said, f.inText())
		}
	}
	if len(said) == 0 {
		return
	}
	l.gap()
	head := l.ink(bold, "key findings")
	if mark := labShort(r.Lab); mark != "" {
		head += " (" + mark + ")"
	}
	l.line(head)
	for _, text := range said {
		for i, part := range wrap(clean(text), l.Width-4) {
			l.line(map[bool]string{true: "  - ", false: "    "}[i == 0], l.ink(normal, part))
		}
	}
	if left > 0 {
		l.line("    ", l.ink(faint, fmt.Sprintf("and %d more in the report's page and in linerate report --json", left)))
	}
}

// inText is a finding without what its chart and table have.
func (f keyFinding) inText() string {
	if f.short != "" {
		return plainArrows(f.short)
	}
	return plainArrows(f.Text)
}

// plainArrows writes a path as the terminal does.
func plainArrows(s string) string {
	return strings.NewReplacer(" → ", " -> ", " ↔ ", " <-> ").Replace(s)
}
