package brief

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/terminal"
)

const (
	reasons  = 3 // pieces of evidence
	suspects = 2
	unread   = 2
	also     = 3 // other causes
)

// wide is the width of the labels where no cause was found.
const wide = 9

// why is the reason of the leading cause, with what else was looked at; or what is known where none was found.
func (b *brief) why() section {
	l := b.text()
	if b.lead != nil && b.lead.Verdict.Limiter == record.LimiterUnexplained {
		b.notFound(l)
	} else if b.lead != nil {
		b.reason(l)
	}
	b.also(l)
	return of(l, 4)
}

// reason prints the evidence for the leading cause, and what it is not.
func (b *brief) reason(l *terminal.Lines) {
	v := b.lead.Verdict
	texts := []string{}
	if b.head.Carries { // otherwise the sentence is the answer
		texts = append(texts, v.Sentence)
	}
	for _, e := range v.Evidence[:min(len(v.Evidence), reasons)] {
		texts = append(texts, cmp.Or(format.Clean(e.Text), report.EvidenceText(e)))
	}
	for i, text := range texts {
		for j, part := range cut(text, l.Width-label-2, 2) {
			l.Line(l.Ink(terminal.Faint, format.Pad(unit.If(i+j == 0, "why", ""), label)), "  ", l.Ink(terminal.Normal, part))
		}
	}
	printRuledOut(l, label, "not it", v)
}

// printRuledOut prints what was looked at and is fine.
func printRuledOut(l *terminal.Lines, width int, name string, v *record.Verdict) {
	if len(v.RuledOut) > 0 {
		l.Item(0, width, name, terminal.Normal,
			strings.Join(xslices.Map(v.RuledOut, func(o record.RuledOut) string { return format.Clean(o.Text) }), ", "))
	}
}

// notFound prints what is known of a path whose cause was not found, and the test that shows more.
func (b *brief) notFound(l *terminal.Lines) {
	v := b.lead.Verdict
	printRuledOut(l, wide, "ruled out", v)
	for i, c := range v.Candidates[:min(len(v.Candidates), suspects)] {
		item(l, wide, unit.If(i > 0, "", "suspect"), headline.LimiterWords(c.Limiter)+": "+c.Text)
	}
	for i, s := range v.Unknown[:min(len(v.Unknown), unread)] {
		item(l, wide, unit.If(i > 0, "", "not read"), s)
	}
	if how := b.readable(v.Unknown); how != "" {
		item(l, wide, "", how)
	}
	steps := record.StepsOf(v.NextExperiment)
	if len(steps) == 0 {
		return
	}
	test, remark, _ := strings.Cut(steps[0].Text, "   (")
	remark = strings.TrimSuffix(remark, ")")
	if strings.HasPrefix(test, "linerate ") || steps[0].Command {
		command(l, 0, wide, "next test", test)
	} else {
		item(l, wide, "next test", test)
	}
	if text := reading(v, remark); text != "" {
		l.Item(0, wide, "", terminal.Normal, text)
	}
}

// readable says how what could not be read becomes readable; empty: that is not known.
func (b *brief) readable(unknown []string) string {
	for _, s := range unknown {
		if !slices.ContainsFunc([]string{"permi", "refused", "root"}, func(w string) bool { return strings.Contains(s, w) }) {
			continue
		}
		for _, h := range b.run.Hosts {
			if h.Name != "" && mentions(s, h.Name) && b.run.Lab == nil && !strings.Contains(h.Connection, "root@") {
				return "to read it, connect as root: ssh root@" + format.Clean(h.Name)
			}
		}
	}
	return ""
}

// mentions reports whether a text has a name as a word.
func mentions(s, name string) bool {
	return slices.Contains(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}), name)
}

// reading says how to read the result of the next test.
func reading(v *record.Verdict, remark string) string {
	if v.Next != nil && v.Next.Why != "" {
		return format.Sentence(v.Next.Why)
	}
	if remark != "" { // the same again
		return format.Sentence(remark) + " The same figure: the cause is steady. Another: other work disturbed it."
	}
	if v.Next != nil {
		keys := slices.Sorted(maps.Keys(v.Next.Change))
		return fmt.Sprintf("Another figure: %s matters. The same: it does not.", unit.List(keys))
	}
	if strings.Contains(v.NextExperiment, "--streams") {
		return "More streams are faster: one CPU core or one window. The same: something between the hosts."
	}
	return ""
}

// also prints the other causes, a line each.
func (b *brief) also(l *terminal.Lines) {
	var texts []string
	for i := range b.causes {
		c := &b.causes[i]
		if c.Verdict.Limiter == record.LimiterUnknown || c.Verdict.Limiter == "" { // the table says that
			continue
		}
		if c == b.lead || b.lead == nil && headline.NoisyLab(b.run, c.Worst) || b.run.LabStorage(c.Worst) {
			continue
		}
		text := format.Clean(c.Worst.Path())
		if of, known := c.Worst.Share(); known && c.Worst.Goodput != nil {
			text += fmt.Sprintf(" (%s)", unit.Percent(of))
		}
		if by := headline.LimiterOf(c.Worst, true); by != "not found" && by != format.NotKnown {
			text += ": " + by + unit.If(c.Verdict.Confidence == "likely", " (likely)", "")
		} else {
			text += ": the cause was not found"
		}
		texts = append(texts, text)
	}
	width := unit.If(b.lead != nil && b.lead.Verdict.Limiter == record.LimiterUnexplained, wide, label)
	for i, text := range texts {
		if i == also {
			item(l, width, "", fmt.Sprintf("%d more: --all", len(texts)-also))
			break
		}
		item(l, width, unit.If(i > 0, "", "also"), text)
	}
}
