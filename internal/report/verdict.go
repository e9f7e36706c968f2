package report

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// Cause is a verdict with its combinations.
type Cause struct {
	headline.Cause
	Accounts []record.Account // of the first of them
	Of       []string         // "nas -> desktop (1 stream)"
	Steps    []string         // of its follow-up, with those that were omitted
	Again    bool             // an earlier one on the same path has the same limiter
}

// Causes returns the verdicts that need an explanation, worst first. Those with the same sentence and fix are one.
func Causes(r *record.Run) []Cause {
	varying := result.VaryingKeys(r.Experiments)
	return xslices.Map(headline.Causes(r), func(h headline.Cause) Cause {
		c := Cause{Cause: h, Accounts: h.All[0].Accounts}
		for _, e := range h.All {
			s := format.Clean(e.Path())
			if label := result.CombinationOf(e, varying[e.Name]).Label(); label != "" {
				s += " (" + label + ")"
			}
			c.Of, c.Steps = append(c.Of, s), append(c.Steps, followUpSteps(r, e)...)
		}
		return c
	})
}

// Lead returns the cause of a run that its headline begins with; nil: there is none.
func Lead(h headline.Headline, causes []Cause) *Cause {
	i := slices.IndexFunc(causes, func(c Cause) bool { return h.Lead != nil && c.Worst == h.Lead.Worst })
	if i < 0 {
		return nil
	}
	return &causes[i]
}

// PrintVerdicts prints the verdicts of a run with their evidence, and the sentences of paths that need none.
func PrintVerdicts(t terminal.Terminal, r *record.Run) error {
	l := t.Lines()
	printAllVerdicts(l, r, len(r.Experiments))
	if len(Causes(r)) == 0 {
		for _, e := range r.Experiments {
			if v := e.Verdict; v != nil && format.Clean(v.Sentence) != "" {
				l.Text(terminal.Normal, 0, v.Sentence)
			}
		}
	}
	return l.Flush()
}

func printVerdicts(l *terminal.Lines, r *record.Run) { printAllVerdicts(l, r, 6) }

// printAllVerdicts prints the verdicts that need an explanation, at most so many.
func printAllVerdicts(l *terminal.Lines, r *record.Run, most int) {
	all := Causes(r)
	for i, c := range all {
		if i == most {
			l.Gap()
			l.Text(terminal.Normal, 0, fmt.Sprintf("%d more paths are held back; the page has all of them.", len(all)-most))
			return
		}
		v := c.Verdict
		l.Gap()
		sentence := v.Sentence
		if format.Clean(sentence) == "" {
			sentence = "Why it is not more is not known."
		}
		l.Text(terminal.Accent, 0, sentence)
		const label = 10
		if len(c.Of) > 1 || !strings.Contains(sentence, strings.TrimSuffix(c.Of[0], " ()")) {
			of := c.Of
			if len(of) > 6 {
				of = append(append([]string{}, of[:6]...), fmt.Sprintf("%d more", len(c.Of)-6))
			}
			l.Item(2, label, "where", terminal.Normal, strings.Join(of, "; "))
		}
		if v.Confidence != "" {
			l.Item(2, label, "confidence", terminal.Normal, v.Confidence)
		}
		l.Items(2, label, "evidence", xslices.Map(v.Evidence, EvidenceText))
		if id := v.Identity; id != nil {
			l.Item(2, label, "identity", terminal.Normal,
				format.Clean(id.Left)+" = "+format.Clean(id.Right)+", "+unit.Apart(id.Difference))
		}
		l.Items(2, label, "accounts", xslices.Map(c.Accounts, func(a record.Account) string { return a.Sentence }))
		l.Items(2, label, "followed up", c.Steps)
		l.Items(2, label, "suspected", xslices.Map(v.Candidates, func(o record.Candidate) string {
			return headline.LimiterWords(o.Limiter) + ": " + format.Clean(o.Text)
		}))
		l.Items(2, label, notKnownLabel, v.Unknown)
		l.Items(2, label, "ruled out", xslices.Map(v.RuledOut, func(o record.RuledOut) string { return o.Text }))
		at := printSteps(l, 2, label, "fix", v, v.Fix, "")
		printSteps(l, 2, label, "undo", v, v.Undo, at)
		if v.NextCeiling != "" {
			l.Item(2, label, "then", terminal.Normal, v.NextCeiling)
		}
		printSteps(l, 2, label, "try", v, v.NextExperiment, at)
	}
}

// printSteps prints steps: a command verbatim, with its host below it unless the previous one has the same, and a
// sentence as a sentence.
func printSteps(l *terminal.Lines, indent, label int, name string, v *record.Verdict, text, at string) string {
	all := record.StepsOf(text)
	for i, s := range all {
		if i > 0 {
			name = ""
		}
		if !s.Command && !strings.HasPrefix(s.Text, "linerate ") {
			l.Item(indent, label, name, terminal.Normal, s.Text)
			continue
		}
		l.Command(indent, label, name, s.Text)
		if on := TypedOn(v, s); s.Command && on != "" && on != at && (i == len(all)-1 || TypedOn(v, all[i+1]) != on) {
			l.Item(indent, label, "", terminal.Faint, "on "+on)
			at = on
		}
	}
	return at
}

const notKnownLabel = "unknown"

// EvidenceText returns a piece of evidence in words: its own, or its counter.
func EvidenceText(e record.Evidence) string {
	s := format.Clean(e.Text)
	if s == "" {
		s = format.Clean(e.Counter)
		if e.After != nil {
			s += " " + format.Number(*e.After, e.Unit)
			if e.Before != nil {
				s += ", before " + format.Number(*e.Before, e.Unit)
			}
		}
	}
	var where []string
	for _, w := range []string{e.Host, e.Source} {
		if w = format.Clean(w); w != "" && !strings.Contains(s, w) {
			where = append(where, w)
		}
	}
	if len(where) > 0 {
		s += " (" + strings.Join(where, ", ") + ")"
	}
	return s
}

// ClosesText reports whether a cross-check matches, in a word or two.
func ClosesText(a record.Account) string {
	switch {
	case a.Closes == nil:
		return format.NotKnown
	case *a.Closes:
		return "yes"
	case a.Share != nil:
		return "no, " + unit.Apart(*a.Share)
	}
	return "no"
}

// EvidenceCostText describes the cost of observing the ends. It is empty where that is not known.
func EvidenceCostText(c *record.EvidenceCost) string {
	if c == nil || c.Share == nil {
		return ""
	}
	snapshots := xslices.Sum(c.Hosts, func(h record.HostCost) int { return h.Snapshots })
	return fmt.Sprintf("Reading counters at both ends %d times took at most %s of one core.", snapshots,
		unit.Percent(*c.Share))
}

func printEvidence(l *terminal.Lines, c *record.EvidenceCost) {
	if s := EvidenceCostText(c); s != "" {
		l.Gap()
		l.Text(terminal.Faint, 0, s)
	}
}

// LimitedBy returns a verdict in a few words: "nas: receive window (likely)"; without the host where there is no room.
func LimitedBy(e *record.Experiment, short bool) string {
	switch {
	case e.Failed != "":
		return "failed"
	case e.NotRun != "":
		return "not run"
	case e.Verdict == nil:
		return format.NotKnown
	}
	v := e.Verdict
	s := headline.LimiterWords(v.Limiter)
	if v.Limiter == record.LimiterAppLimited && e.Settings["pace"] != "" && v.Confidence == "proved" {
		s = "the pace"
	}
	if !short && v.Component != "" && (v.Component == e.From || v.Component == e.To) {
		s = format.Clean(v.Component) + ": " + s
	}
	if v.Confidence == "likely" && v.Limiter != record.LimiterLink {
		s += " (likely)"
	}
	return s
}

// HeldBy is LimitedBy as the end of a sentence.
func HeldBy(e *record.Experiment) string {
	by := LimitedBy(e, false)
	if v := e.Verdict; e.Failed == "" && e.NotRun == "" &&
		(v == nil || v.Limiter == record.LimiterUnknown || v.Limiter == record.LimiterUnexplained || v.Limiter == "") {
		return "why it is not more is " + strings.Replace(by, "unexplained", "not explained", 1)
	}
	return "limited by " + by
}
