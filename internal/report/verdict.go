package report

import (
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// cause is a verdict with the cells that it was given for.
type cause struct {
	Verdict  *record.Verdict
	Accounts []record.Account // of the first of them
	Of       []string         // "nas -> desktop (1 stream)"
	Steps    []string         // that were made to settle it, and those that were left out
	aside    bool             // of storage that is none of anybody's
	Again    bool             // one before it on the same path has the same limiter
}

// causes are the verdicts that need more than a word, those with the same
// sentence and the same fix once, the worst first.
func causes(r *record.Run) []cause {
	varying := varyingKeys(r.Experiments)
	index := map[string]int{}
	var out []cause
	for _, e := range r.Experiments {
		v := e.Verdict
		if v == nil || healthy(v) || e.NotRun != "" || (e.Failed != "" || e.Method == "ping") && (v.Limiter == "unknown" || v.Limiter == "") {
			continue
		}
		key := strings.Join([]string{v.Limiter, v.Component, v.Sentence, v.Fix}, "\x00")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, cause{Verdict: v, Accounts: e.Accounts, aside: r.MemoryOfLab(e)})
		}
		c := cellFor(e, varying[e.Name])
		s := clean(e.Path())
		if label := c.label(); label != "" {
			s += " (" + label + ")"
		}
		out[i].Of = append(out[i].Of, s)
		out[i].Steps = append(out[i].Steps, chaseSteps(r, e)...)
	}
	sort.SliceStable(out, func(a, b int) bool {
		if out[a].aside != out[b].aside {
			return out[b].aside
		}
		return lack(out[a].Verdict) > lack(out[b].Verdict)
	})
	return out
}

// lack is how much of its ceiling a path does not reach; not known comes last.
func lack(v *record.Verdict) float64 {
	if v.ShareOfCeiling == nil {
		return -1
	}
	return 1 - *v.ShareOfCeiling
}

func (l *lines) verdicts(r *record.Run) {
	const most = 6
	all := causes(r)
	for i, c := range all {
		if i == most {
			l.gap()
			l.text(normal, 0, fmt.Sprintf("%d more paths are held back; the page has all of them.", len(all)-most))
			return
		}
		v := c.Verdict
		l.gap()
		sentence := v.Sentence
		if clean(sentence) == "" {
			sentence = "Why it is not more is not known."
		}
		l.text(accent, 0, sentence)
		const label = 10
		if len(c.Of) > 1 || !strings.Contains(sentence, strings.TrimSuffix(c.Of[0], " ()")) {
			of := c.Of
			if len(of) > 6 {
				of = append(append([]string{}, of[:6]...), fmt.Sprintf("%d more", len(c.Of)-6))
			}
			l.item(2, label, "where", normal, strings.Join(of, "; "))
		}
		if v.Confidence != "" {
			l.item(2, label, "confidence", normal, v.Confidence)
		}
		for i, e := range v.Evidence {
			name := ""
			if i == 0 {
				name = "evidence"
			}
			l.item(2, label, name, normal, evidenceText(e))
		}
		if id := v.Identity; id != nil {
			l.item(2, label, "identity", normal, clean(id.Left)+" = "+clean(id.Right)+", "+unit.Percent(id.Difference)+" apart")
		}
		for i, a := range c.Accounts {
			name := ""
			if i == 0 {
				name = "accounts"
			}
			l.item(2, label, name, normal, a.Sentence)
		}
		for i, s := range c.Steps {
			name := ""
			if i == 0 {
				name = "chased"
			}
			l.item(2, label, name, normal, s)
		}
		for i, o := range v.Candidates {
			name := ""
			if i == 0 {
				name = "suspected"
			}
			l.item(2, label, name, normal, limiterWords(o.Limiter)+": "+clean(o.Text))
		}
		for i, s := range v.Unknown {
			name := ""
			if i == 0 {
				name = notKnownLabel
			}
			l.item(2, label, name, normal, s)
		}
		at := l.steps(2, label, "fix", v, v.Fix, "")
		l.steps(2, label, "undo", v, v.Undo, at)
		if v.NextCeiling != "" {
			l.item(2, label, "then", normal, v.NextCeiling)
		}
		l.steps(2, label, "try", v, v.NextExperiment, at)
	}
}

// steps prints what is to be done: a command as it stands, where it is typed below it unless it is at where the one before was, and a sentence
// as one.
func (l *lines) steps(indent, label int, name string, v *record.Verdict, text, at string) string {
	all := record.StepsOf(text)
	for i, s := range all {
		if i > 0 {
			name = ""
		}
		if !s.Command && !strings.HasPrefix(s.Text, "linerate ") {
			l.item(indent, label, name, normal, s.Text)
			continue
		}
		l.command(indent, label, name, s.Text)
		if on := typedOn(v, s); s.Command && on != "" && on != at && (i == len(all)-1 || typedOn(v, all[i+1]) != on) {
			l.item(indent, label, "", faint, "on "+on)
			at = on
		}
	}
	return at
}

const notKnownLabel = "unknown"

// evidenceText is a piece of evidence in words: its own, or its counter.
func evidenceText(e record.Evidence) string {
	s := clean(e.Text)
	if s == "" {
		s = clean(e.Counter)
		if e.After != nil {
			s += " " + number(*e.After, e.Unit)
			if e.Before != nil {
				s += ", before " + number(*e.Before, e.Unit)
			}
		}
	}
	var where []string
	for _, w := range []string{e.Host, e.Source} {
		if w = clean(w); w != "" && !strings.Contains(s, w) {
			where = append(where, w)
		}
	}
	if len(where) > 0 {
		s += " (" + strings.Join(where, ", ") + ")"
	}
	return s
}

// number prints a value in its base unit as this package prints that unit.
func number(v float64, u string) string {
	switch u {
	case "bits per second", "b/s", "bit/s":
		return rate(v)
	case "s", "seconds":
		return unit.Seconds(v)
	case "bytes", "B":
		return unit.Bytes(v).String()
	case "share":
		return unit.Percent(v)
	case "share of a core", "share of busy time":
		return unit.Percent(v) + strings.TrimPrefix(u, "share")
	case "", "1":
		return unit.Significant(v)
	}
	return unit.Significant(v) + " " + clean(u)
}
