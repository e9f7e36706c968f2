package summary

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/design/fabric"
)

// row reads a line of figures; false: it is none.
func (p *reading) row(text string, n int) bool {
	words := strings.Fields(arrow.ReplaceAllString(text, "$1 -> $2"))
	if p.op != "" {
		return p.storageRow(text, words, n)
	}
	var found *spec
	length := 0
	for i := range table {
		label := strings.Fields(table[i].label)
		if len(label) > len(words) || len(label) <= length || table[i].kind == delayRow && (p.section == nil || p.section.kind != delayRow) {
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
	p.card.Rows = append(p.card.Rows, row)
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
	s := &p.card.Storage[len(p.card.Storage)-1]
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

// column is a figure of a row, as its words have it.
type column struct {
	name  string
	to    **float64
	units map[string]float64 // nil: a plain number, of scale
	scale float64
	most  float64
	as    string // an example
}

var (
	rates    = map[string]float64{"b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12}
	times    = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
	percents = map[string]float64{"%": 0.01}
)

func columnsOf(r *Row, k kind) []column {
	rate := func(name string, to **float64) column { return column{name, to, rates, 1, mostRate, "9.41 Gb/s"} }
	time := func(name string, to **float64) column { return column{name, to, times, 1, mostSeconds, "54.5 us"} }
	share := column{"share", &r.Share, percents, 1, mostShare, "94.0 %"}
	a, b := column{"cores A", &r.CoresA, nil, 1, mostCores, "0.97"}, column{"cores B", &r.CoresB, nil, 1, mostCores, "0.97"}
	switch k {
	case partRow:
		return []column{rate("goodput", &r.Goodput)}
	case pingRow:
		return []column{time("p50", &r.P50), time("p99", &r.P99), time("p99.9", &r.P999), rate("load", &r.Load), a, b}
	case delayRow:
		return []column{time("p50", &r.P50), time("p99", &r.P99), time("p99.9", &r.P999), a, b}
	case blockRow:
		return []column{{"MB/s", &r.BytesPerSecond, nil, 1e6, mostBytes, "3520.12"}, {"IOPS", &r.IOPS, nil, 1, mostIOPS, "3357.0"}, {"mean us", &r.Mean, nil, 1e-6, mostSeconds, "2381.00"}, share, a, b}
	}
	return []column{rate("goodput", &r.Goodput), share, rate("ceiling", &r.Ceiling), a, b}
}

// figures reads the figures of a row; all that is wrong with it is one problem.
func (p *reading) figures(r *Row, k kind, words []string, text string, n int) {
	if len(words) >= 2 && words[0] == "not" && words[1] == "measured" {
		if len(words) > 2 && !p.newer {
			p.say(n, text, "there is more behind "+NotMeasured, "take it out")
		}
		return
	}
	columns := columnsOf(r, k)
	var wrong []string
	for _, c := range columns {
		if len(words) == 0 {
			wrong = append(wrong, c.name+" is missing")
			continue
		}
		var why string
		words, why = c.read(words)
		if why != "" {
			wrong = append(wrong, why)
		}
		r.Measured = true
	}
	if rest := strings.Join(words, " "); rest != "" && !(k == partRow && rest == ofTheSum) && !p.newer {
		wrong = append(wrong, fmt.Sprintf("%q is more than the row has", shorten(rest, 40)))
	}
	if len(wrong) > 0 {
		p.say(n, text, Label(r.Key)+": "+strings.Join(wrong, ", "), "write the row as the card had it")
	}
}

var digits = regexp.MustCompile(`^\d{1,16}(?:\.\d{1,6}\d*)?$`)

// read takes the words of a figure from the front; why says what is wrong with it.
func (c column) read(words []string) (rest []string, why string) {
	if len(words) >= 2 && words[0] == "not" && words[1] == "known" {
		return words[2:], ""
	}
	first := words[0]
	rest = words[1:]
	if c.name == "load" && first == noLoad {
		*c.to = ptr(0)
		return rest, ""
	}
	number, scale := first, c.scale
	if c.units != nil {
		i := strings.IndexFunc(first, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
		name := ""
		switch {
		case i > 0: // 21.4Gb/s
			number, name = first[:i], first[i:]
		case len(rest) > 0 && !digits.MatchString(rest[0]) && rest[0] != "not":
			name, rest = rest[0], rest[1:]
		}
		k, ok := c.units[name]
		if !ok {
			if name == "" {
				return rest, fmt.Sprintf("%s: %q has no unit; write it as %s", c.name, shorten(first, 40), c.as)
			}
			return rest, fmt.Sprintf("%s: %q is no unit of it; write it as %s", c.name, shorten(name, 40), c.as)
		}
		scale = k
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !digits.MatchString(number) {
		return rest, fmt.Sprintf("%s: %q is no number; write it as %s", c.name, shorten(number, 40), c.as)
	}
	if v *= scale; !known(&v, c.most) {
		return rest, fmt.Sprintf("%s: %q is more than any machine has", c.name, shorten(number, 40))
	}
	*c.to = &v
	return rest, ""
}
