package paste

import (
	"strings"

	"linerate/internal/facts/read"
)

// mostScans is how often each line is searched for the end of an object, on average. A text of braces that never close
// would else be searched once more for each of them.
const mostScans = 8

// object returns the number of lines of a JSON or XML text of a tool that begins at a line; 0: none does.
func (w *walk) object(i int) (lines int, f *Format) {
	if w.scanned > mostScans*len(w.lines) {
		return 0, nil
	}
	first := strings.TrimSpace(w.lines[i])
	switch {
	case strings.HasPrefix(first, "{"):
		lines = w.braces(i)
	case strings.HasPrefix(first, "<Results"), strings.HasPrefix(first, "<ntttcp"), strings.HasPrefix(first, "<?xml"):
		lines = w.element(i)
	}
	if lines == 0 {
		return 0, nil
	}
	if f = ofObject(strings.TrimSpace(joined(w.lines[i : i+lines]))); f == nil {
		w.scanned += lines
		return 0, nil
	}
	if f.Name == "iperf3 --json-stream" { // one object a line
		for i+lines < len(w.lines) && ofObject(strings.TrimSpace(w.lines[i+lines])) == f {
			lines++
		}
	}
	return lines, f
}

// braces returns the number of lines up to the brace that closes the first one, or up to the end of a text that was cut
// off.
func (w *walk) braces(i int) int {
	depth, quoted, escaped := 0, false, false
	for n, line := range w.lines[i:] {
		if _, _, ok := read.Prompt(line, w.prompts, isTool); ok && n > 0 {
			return n
		}
		for _, r := range line {
			switch {
			case escaped:
				escaped = false
			case quoted && r == '\\':
				escaped = true
			case r == '"':
				quoted = !quoted
			case quoted:
			case r == '{':
				depth++
			case r == '}':
				depth--
			}
			if depth == 0 && !quoted && r == '}' {
				return n + 1
			}
		}
		quoted, escaped = false, false // no string of these tools has a line break
	}
	return len(w.lines) - i
}

// element returns the number of lines up to the end of an element that a tool prints.
func (w *walk) element(i int) int {
	name := ""
	for n, line := range w.lines[i:] {
		if name == "" {
			for _, of := range []string{"Results", "ntttcps", "ntttcpr"} {
				if strings.Contains(line, "<"+of) {
					name = of
				}
			}
			if n > 5 && name == "" {
				return 0
			}
		}
		if name != "" && strings.Contains(line, "</"+name+">") {
			return n + 1
		}
	}
	return len(w.lines) - i
}
