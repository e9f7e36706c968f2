package report

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/record"
)

// goalWord is how a goal stands: met, missed, or not known.
func goalWord(g record.Goal) string {
	switch {
	case g.Met == nil:
		return notKnown
	case *g.Met:
		return "met"
	}
	return "missed"
}

// goalCount is "2 met, 1 missed, 1 not known".
func goalCount(goals []record.Goal) string {
	var parts []string
	for _, word := range []string{"met", "missed", notKnown} {
		n := 0
		for _, g := range goals {
			if goalWord(g) == word {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// goalSentence says it beside the answer: "Of 5 goals 2 are met, 1 is missed and 2 are not known."
func goalSentence(goals []record.Goal) string {
	if len(goals) == 0 {
		return ""
	}
	n := map[string]int{}
	for _, g := range goals {
		n[goalWord(g)]++
	}
	for _, word := range []string{"met", "missed", notKnown} {
		if n[word] == len(goals) {
			if len(goals) == 1 {
				return "The goal is " + word + "."
			}
			if word == notKnown {
				return fmt.Sprintf("Whether any of the %d goals is met is not known.", len(goals))
			}
			if len(goals) == 2 {
				return "Both goals are " + word + "."
			}
			return fmt.Sprintf("All %d goals are %s.", len(goals), word)
		}
	}
	var parts []string
	for _, word := range []string{"met", "missed", notKnown} {
		if k := n[word]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s %s", k, map[bool]string{true: "is", false: "are"}[k == 1], word))
		}
	}
	return fmt.Sprintf("Of %d goals %s.", len(goals), list(parts))
}

func (l *lines) goals(r *record.Run) {
	if len(r.Goals) == 0 {
		return
	}
	l.gap()
	l.line(l.ink(bold, "goals"), "  ", l.ink(normal, goalCount(r.Goals)))
	name := 0
	for _, g := range r.Goals {
		name = max(name, min(width(clean(g.Name)), 24))
	}
	alike := unknownAlike(r.Goals)
	for _, word := range []string{"missed", notKnown, "met"} {
		for _, g := range r.Goals {
			if goalWord(g) != word || word == notKnown && len(alike[clean(g.Why)]) > 2 {
				continue
			}
			s := style(normal)
			if word == "missed" {
				s = accent
			}
			text := clean(g.Want)
			if have := clean(g.Have); have != "" {
				text += ": " + have
			}
			if why := clean(g.Why); why != "" {
				text += "; " + why
			}
			at := 2 + 9 + 2 + name + 2
			for i, part := range wrap(text, l.Width-at) {
				if i == 0 {
					l.line(indent(2), l.ink(s, pad(word, 9)), "  ", l.ink(normal, pad(clean(g.Name), name)), "  ", l.ink(normal, part))
				} else {
					l.line(indent(at), l.ink(normal, part))
				}
			}
		}
		if word == notKnown {
			l.unknownGoals(r.Goals, alike)
		}
	}
}

// unknownAlike are the names of the goals that are not known, by the reason.
func unknownAlike(goals []record.Goal) map[string][]string {
	out := map[string][]string{}
	for _, g := range goals {
		if g.Met == nil {
			out[clean(g.Why)] = append(out[clean(g.Why)], clean(g.Name))
		}
	}
	return out
}

// unknownGoals prints goals that share a reason together.
func (l *lines) unknownGoals(goals []record.Goal, alike map[string][]string) {
	printed := map[string]bool{}
	for _, g := range goals {
		why := clean(g.Why)
		if names := alike[why]; g.Met == nil && len(names) > 2 && !printed[why] {
			printed[why] = true
			l.item(2, 9, notKnown, normal, list(names)+": "+why)
		}
	}
}

// shapedLinks names the links that a lab's shaper holds, or says that it is all.
func shapedLinks(r *record.Run) string {
	if n := len(r.Plan.Links); n > 3 && len(r.Lab.Shaped) == n {
		return fmt.Sprintf("all %d links", n)
	}
	return list(cleaned(r.Lab.Shaped))
}

// gone are experiments that have no figures for one reason.
type gone struct {
	Reason string
	Names  []string // of the experiments, each with its count of cells where there are several
	Cells  int
}

// missing groups what was not run, or failed, by reason.
func missing(r *record.Run, reason func(*record.Experiment) string) []gone {
	index := map[string]int{}
	cells := map[string]map[string]int{}
	var out []gone
	for _, e := range r.Experiments {
		why := clean(reason(e))
		if why == "" {
			continue
		}
		i, ok := index[why]
		if !ok {
			i = len(out)
			index[why] = i
			cells[why] = map[string]int{}
			out = append(out, gone{Reason: why})
		}
		out[i].Cells++
		name := clean(e.Name)
		if cells[why][name] == 0 {
			out[i].Names = append(out[i].Names, name)
		}
		cells[why][name]++
	}
	for i, g := range out {
		for j, name := range g.Names {
			if n := cells[g.Reason][name]; n > 1 {
				out[i].Names[j] = name + " (" + strconv.Itoa(n) + ")"
			}
		}
	}
	return out
}

func reasonNotRun(e *record.Experiment) string {
	if pending(e) {
		return "the run ended before it"
	}
	return e.NotRun
}
func reasonFailed(e *record.Experiment) string {
	switch {
	case e.NotRun != "":
		return ""
	case e.Failed == "" && !pending(e) && (e.Method == "stream" && e.Goodput == nil || e.Latencies() && e.Latency == nil):
		return "it ended without a figure"
	}
	return e.Failed
}

func (l *lines) notRun(r *record.Run) {
	for _, kind := range []struct {
		head   string
		reason func(*record.Experiment) string
		style  style
	}{{"failed", reasonFailed, accent}, {"not run", reasonNotRun, normal}} {
		groups := missing(r, kind.reason)
		if len(groups) == 0 {
			continue
		}
		n := 0
		for _, g := range groups {
			n += g.Cells
		}
		l.gap()
		l.line(l.ink(bold, kind.head), "  ", l.ink(normal, fmt.Sprintf("%d of %d experiments", n, len(r.Experiments))))
		for _, g := range groups {
			if strings.Contains(clean(r.Sentence), strings.TrimSuffix(g.Reason, ".")) && len(g.Reason) > 80 {
				g.Reason = "as said above"
			}
			l.text(kind.style, 2, strings.Join(g.Names, ", ")+": "+g.Reason)
		}
	}
}

// notes are what a reader of the figures must know: problems of the plan,
// shortened windows, warnings, what a lab only pretends.
func (l *lines) notes(r *record.Run) {
	type note struct{ label, text string }
	var notes []note
	add := func(label string, texts ...string) {
		for i, s := range texts {
			if i > 0 {
				label = ""
			}
			notes = append(notes, note{label, s})
		}
	}
	for _, p := range r.Problems {
		add(string(p.Severity), problemText(p))
	}
	add("warnings", warnings(r)...)
	add("shortened", r.Shortened...)
	if s := chaseNote(r); s != "" {
		add("chase", s)
	}
	if r.Lab != nil {
		if len(r.Lab.Shaped) > 0 {
			add("shaped", "a shaper holds the rate of "+shapedLinks(r))
		}
		add("emulated", r.Lab.Emulated...)
	}
	if len(notes) == 0 {
		return
	}
	l.gap()
	for _, n := range notes {
		l.item(0, 9, n.label, normal, n.text)
	}
}
