package paste

import (
	"strings"

	"linerate/internal/facts/read"
)

// paragraph is a range of lines between empty ones.
type paragraph struct {
	from, to int
	source   string // of package read; empty: not recognised
}

// rest cuts lines that are of no tool into outputs of hosts' commands and what is not recognised.
func (w *walk) rest(from, to int) (out []Part) {
	for from < to && rule.MatchString(w.lines[from]) {
		from++
	}
	for from < to && rule.MatchString(w.lines[to-1]) {
		to--
	}
	if from == to {
		return nil
	}
	all := w.paragraphs(from, to)
	named := map[string]bool{}
	for i, p := range all {
		if !isProse(w.lines[p.from:p.to]) {
			if source, ok := read.Recognise("", []byte(joined(w.lines[p.from:p.to]))); ok {
				all[i].source = source
				named[source] = true
			}
		}
	}
	if len(named) == 0 {
		// Some outputs are recognised by several paragraphs together.
		if _, ok := read.Recognise("", []byte(joined(w.lines[from:to]))); ok && !isProse(w.lines[from:to]) {
			return []Part{w.part(from, to, true)}
		}
		return []Part{w.part(from, to, false)}
	}
	// A paragraph that is not recognised belongs to the output above it, unless it is prose.
	for i := 0; i < len(all); {
		end := i + 1
		isHost := all[i].source != ""
		for end < len(all) {
			prose := isProse(w.lines[all[end].from:all[end].to])
			same := all[end].source == all[i].source || all[end].source == "" && !prose
			if isHost && (!same || prose) || !isHost && all[end].source != "" {
				break
			}
			end++
		}
		out = append(out, w.part(all[i].from, all[end-1].to, isHost))
		i = end
	}
	return out
}

func (w *walk) part(from, to int, isHost bool) Part {
	return Part{From: from + 1, To: to, IsHost: isHost, Host: w.host, Command: w.command, Text: joined(w.lines[from:to])}
}

// paragraphs returns the ranges of lines between empty ones.
func (w *walk) paragraphs(from, to int) (out []paragraph) {
	for i := from; i < to; i++ {
		switch {
		case strings.TrimSpace(w.lines[i]) == "":
		case i > from && len(out) > 0 && out[len(out)-1].to == i:
			out[len(out)-1].to = i + 1
		default:
			out = append(out, paragraph{from: i, to: i + 1})
		}
	}
	return out
}

// withoutProse returns the end of an output without the sentences below it.
func (w *walk) withoutProse(from, to int) int {
	all := w.paragraphs(from, to)
	for len(all) > 1 && isProse(w.lines[all[len(all)-1].from:all[len(all)-1].to]) {
		all = all[:len(all)-1]
	}
	if len(all) == 0 {
		return to
	}
	return all[len(all)-1].to
}

// isProse reports whether lines are sentences of a person: mostly words of letters, at the margin, and the last one
// ends as a sentence does.
func isProse(lines []string) bool {
	words, plain := 0, 0
	for _, line := range lines {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.Contains(strings.TrimSpace(line), "  ") {
			return false
		}
		for _, word := range strings.Fields(line) {
			words++
			word = strings.Trim(word, `.,;:!?()"'`)
			if word != "" && strings.IndexFunc(word, func(r rune) bool {
				return r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80
			}) < 0 {
				plain++
			}
		}
	}
	last := strings.TrimSpace(lines[len(lines)-1])
	return words >= 4 && plain*4 >= words*3 && last != "" && strings.ContainsAny(last[len(last)-1:], ".?!:,)")
}
