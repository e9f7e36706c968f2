package report

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// NotTested is the state of a goal of which nothing was measured, or too little.
const NotTested = "not tested"

// GoalWord returns the state of a goal: met, missed, or not tested.
func GoalWord(g record.Goal) string {
	switch {
	case g.Met == nil:
		return NotTested
	case *g.Met:
		return "met"
	}
	return "missed"
}

// GoalText is the line of a goal next to its state: "goodput >= 95% of ceiling (9.41 Gb/s)", or the reason why it was
// missed or not tested.
func GoalText(g record.Goal) string {
	want, have, why := format.Clean(g.Want), format.Clean(g.Have), format.Clean(g.Why)
	switch {
	case g.Met == nil && g.NotHere:
		return "not in a lab"
	case g.Met == nil:
		return why
	case !*g.Met && why != "":
		return want + ": " + why
	case have != "":
		return want + " (" + have + ")"
	}
	return want
}

// GoalCount is "2 met, 1 missed, 1 not tested".
func GoalCount(goals []record.Goal) string {
	var parts []string
	for _, word := range []string{"met", "missed", NotTested} {
		n := xslices.Count(goals, func(g record.Goal) bool { return GoalWord(g) == word })
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

func printGoals(l *terminal.Lines, r *record.Run) {
	if len(r.Goals) == 0 {
		return
	}
	l.Gap()
	l.Line(l.Ink(terminal.Bold, "goals"), "  ", l.Ink(terminal.Normal, GoalCount(r.Goals)))
	name := 0
	for _, g := range r.Goals {
		name = max(name, min(format.Width(format.Clean(g.Name)), 24))
	}
	alike := unknownAlike(r.Goals)
	for _, word := range []string{"missed", NotTested, "met"} {
		for _, g := range r.Goals {
			if GoalWord(g) != word || word == NotTested && len(alike[format.Clean(g.Why)]) > 2 {
				continue
			}
			s := terminal.Style(terminal.Normal)
			if word == "missed" {
				s = terminal.Accent
			}
			text := format.Clean(g.Want)
			if have := format.Clean(g.Have); have != "" {
				text += ": " + have
			}
			if why := format.Clean(g.Why); why != "" {
				text += "; " + why
			}
			at := 2 + len(NotTested) + 2 + name + 2
			for i, part := range format.Wrap(text, l.Width-at) {
				if i == 0 {
					l.Line(strings.Repeat(" ", 2), l.Ink(s, format.Pad(word, len(NotTested))), "  ",
						l.Ink(terminal.Normal, format.Pad(format.Clean(g.Name), name)), "  ", l.Ink(terminal.Normal, part))
				} else {
					l.Line(strings.Repeat(" ", at), l.Ink(terminal.Normal, part))
				}
			}
		}
		if word == NotTested {
			printUnknownGoals(l, r.Goals, alike)
		}
	}
}

// unknownAlike returns the names of unknown goals by reason.
func unknownAlike(goals []record.Goal) map[string][]string {
	out := map[string][]string{}
	for _, g := range goals {
		if g.Met == nil {
			out[format.Clean(g.Why)] = append(out[format.Clean(g.Why)], format.Clean(g.Name))
		}
	}
	return out
}

// printUnknownGoals prints goals that share a reason together.
func printUnknownGoals(l *terminal.Lines, goals []record.Goal, alike map[string][]string) {
	printed := map[string]bool{}
	for _, g := range goals {
		why := format.Clean(g.Why)
		if names := alike[why]; g.Met == nil && len(names) > 2 && !printed[why] {
			printed[why] = true
			l.Item(2, len(NotTested), NotTested, terminal.Normal, unit.List(names)+": "+why)
		}
	}
}

// ShapedLinks names the links that a lab's shaper limits, or reports that these are all.
func ShapedLinks(r *record.Run) string {
	if n := len(r.Plan.Links); n > 3 && len(r.Lab.Shaped) == n {
		return fmt.Sprintf("all %d links", n)
	}
	return unit.List(format.Cleaned(r.Lab.Shaped))
}

// Gone are experiments without figures for the same reason.
type Gone struct {
	Reason       string
	Names        []string // of the experiments, each with its number of combinations where there are several
	Combinations int
}

// ports matches the port behind an address: the system picks another one for each connection.
var ports = lazyregexp.New(`(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+(?:%\w+)?\]):\d+`)

// Missing groups experiments that were not run, or failed, by reason. Reasons that differ only in ports are one.
func Missing(r *record.Run, reason func(*record.Experiment) string) []Gone {
	index := map[string]int{}
	combinations := map[string]map[string]int{}
	var out []Gone
	for _, e := range r.Experiments {
		why := format.Clean(reason(e))
		if why == "" {
			continue
		}
		kind := ports.ReplaceAllString(why, "$1")
		i, ok := index[kind]
		if !ok {
			i = len(out)
			index[kind] = i
			combinations[why] = map[string]int{}
			out = append(out, Gone{Reason: why})
		}
		why = out[i].Reason
		out[i].Combinations++
		name := format.Clean(e.Name)
		if combinations[why][name] == 0 {
			out[i].Names = append(out[i].Names, name)
		}
		combinations[why][name]++
	}
	for i, g := range out {
		for j, name := range g.Names {
			if n := combinations[g.Reason][name]; n > 1 {
				out[i].Names[j] = name + " (" + strconv.Itoa(n) + ")"
			}
		}
	}
	return out
}

// ReasonNotRun returns the reason why an experiment was not run; empty: it was.
func ReasonNotRun(e *record.Experiment) string {
	if result.Pending(e) {
		return "the run ended before it"
	}
	if e.NotRun == "" && interrupted(e) {
		return "the run ended while it was measured"
	}
	return e.NotRun
}

// interrupted reports whether an experiment was begun and has no figure, and no reason why: the run ended meanwhile.
func interrupted(e *record.Experiment) bool {
	return e.Failed == "" && !result.Pending(e) &&
		(method.Named(e.Method).Bulk && e.Goodput == nil || e.Latencies() && e.Latency == nil)
}

// ReasonFailed returns the reason why an experiment has no figure; empty: it has one, or was not run.
func ReasonFailed(e *record.Experiment) string {
	if e.NotRun != "" {
		return ""
	}
	return e.Failed
}

func printNotRun(l *terminal.Lines, r *record.Run) {
	for _, kind := range []struct {
		head   string
		reason func(*record.Experiment) string
		style  terminal.Style
	}{{"failed", ReasonFailed, terminal.Accent}, {"not run", ReasonNotRun, terminal.Normal}} {
		groups := Missing(r, kind.reason)
		if len(groups) == 0 {
			continue
		}
		n := xslices.Sum(groups, func(g Gone) int { return g.Combinations })
		l.Gap()
		l.Line(l.Ink(terminal.Bold, kind.head), "  ",
			l.Ink(terminal.Normal, fmt.Sprintf("%d of %d tests", n, len(r.Experiments))))
		for _, g := range groups {
			if strings.Contains(format.Clean(r.Sentence), strings.TrimSuffix(g.Reason, ".")) && len(g.Reason) > 80 {
				g.Reason = "as said above"
			}
			l.Text(kind.style, 2, strings.Join(g.Names, ", ")+": "+g.Reason)
		}
	}
}

// Note is something that a reader of the figures must know.
type Note struct{ Label, Text string }

// Notes returns what a reader of the figures must know: problems of the plan, warnings, shortened intervals, what a lab
// only emulates.
func Notes(r *record.Run) (notes []Note) {
	add := func(label string, texts ...string) {
		for _, s := range texts {
			notes = append(notes, Note{label, s})
		}
	}
	for _, p := range r.Problems {
		add(string(p.Severity), format.ProblemText(p))
	}
	add("warnings", Warnings(r)...)
	add("shortened", r.Shortened...)
	if s := FollowUpNote(r); s != "" {
		add("follow-up", s)
	}
	if r.Lab != nil {
		if len(r.Lab.Shaped) > 0 {
			add("shaped", "a shaper holds the rate of "+ShapedLinks(r))
		}
		add("emulated", r.Lab.Emulated...)
	}
	return notes
}

func printNotes(l *terminal.Lines, r *record.Run) {
	last := ""
	for i, n := range Notes(r) {
		if i == 0 {
			l.Gap()
		}
		label := n.Label
		if _, problem := severities[label]; !problem && label == last {
			label = ""
		}
		last = n.Label
		l.Item(0, 9, label, terminal.Normal, n.Text)
	}
}

// severities are the labels that every note has in front of it.
var severities = map[string]bool{string(record.Error): true, string(record.Warning): true, string(record.Info): true}
