package summary

import (
	"fmt"
	"strings"

	"linerate/internal/design/fabric"
)

// row reads a line of figures; false: it is not one.
func (p *reading) row(text string, n int) bool {
	words := strings.Fields(arrow.ReplaceAllString(text, "$1 -> $2"))
	if p.op != "" {
		return p.storageRow(text, words, n)
	}
	var found *spec
	length := 0
	for i := range table {
		label := strings.Fields(table[i].label)
		if len(label) > len(words) || len(label) <= length ||
			table[i].kind == delayRow && (p.section == nil || p.section.kind != delayRow) {
			continue
		}
		same := true
		for k, w := range label {
			same = same && strings.EqualFold(w, words[k])
		}
		if same {
			found, length = &table[i], len(label)
		}
	}
	if found == nil {
		return false
	}
	p.into = nil
	if p.seen[found.key] {
		p.say(n, text, Label(found.key)+" stands twice", "take one of them out; the first counts")
		return true
	}
	p.seen[found.key] = true
	row := Row{Key: found.key}
	p.figures(&row, found.kind, words[length:], text, n)
	p.summary.Rows = append(p.summary.Rows, row)
	return true
}

func (p *reading) storageRow(text string, words []string, n int) bool {
	if len(words) < 2 {
		return false
	}
	load := strings.ToUpper(words[0] + "-" + words[1])
	if _, ok := fabric.ParseBlockLoad(load); !ok {
		return false
	}
	p.into = nil
	if !hasRow(load) {
		if !p.newer {
			wrong := noRowOf(load)
			p.say(n, text, wrong.What, wrong.Next)
		}
		return true
	}
	s := &p.summary.Storage[len(p.summary.Storage)-1]
	row := Row{Key: StorageKey(p.op, load)}
	for _, r := range s.Rows {
		if r.Key == row.Key {
			p.say(n, text, Label(row.Key)+" stands twice", "take one of them out; the first counts")
			return true
		}
	}
	p.figures(&row, blockRow, words[2:], text, n)
	if len(s.Rows) < 100 {
		s.Rows = append(s.Rows, row)
	}
	return true
}

// figures reads the figures of a row. All its errors are one problem.
func (p *reading) figures(r *Row, k kind, words []string, text string, n int) {
	if len(words) >= 2 && words[0] == "not" && words[1] == "measured" {
		if len(words) > 2 && !p.newer {
			p.say(n, text, "there is more behind "+NotMeasured, "take it out")
		}
		return
	}
	var wrong []string
	for _, f := range k.figures() {
		if len(words) == 0 {
			wrong = append(wrong, f.header+" is missing")
			continue
		}
		var why string
		words, why = f.read(r, words)
		if why != "" {
			wrong = append(wrong, why)
		}
		r.Measured = true
	}
	if rest := strings.Join(words, " "); rest != "" && !(k == partRow && rest == ofTheSum) && !p.newer {
		wrong = append(wrong, fmt.Sprintf("%q is more than the row has", shorten(rest, 40)))
	}
	if len(wrong) > 0 {
		p.say(n, text, Label(r.Key)+": "+strings.Join(wrong, ", "), "write the row as the summary had it")
	}
}
