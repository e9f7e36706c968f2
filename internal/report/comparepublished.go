package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Document is a published document that a run is held against.
type Document struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"` // author, title, date, address, as far as the document says them
	Note    string   `json:"note,omitempty"`
	Systems []string `json:"systems"` // machines that its figures are of
	Figures int      `json:"figures"` // that something can be held against
}

// publishedSentence is the run's figure and the document's in one sentence: "your 24.1 Gb/s at MTU 9000; the document has 24.5 Gb/s".
func publishedSentence(c record.Comparison) string {
	p := c.Published
	s := "your " + publishedText(c.Metric, c.Other.Median)
	if p.Mean > 1 {
		s = fmt.Sprintf("your %s (mean of %d experiments)", publishedText(c.Metric, c.Other.Median), p.Mean)
	}
	var with []string
	for _, same := range p.Same {
		if mtu, ok := strings.CutPrefix(same, "MTU "); ok {
			with = append(with, "MTU "+mtu)
		}
	}
	for _, differs := range p.Differs {
		if mtu, ok := strings.CutPrefix(differs, "MTU "); ok {
			if _, yours, ok := strings.Cut(mtu, " to "); ok && yours != notKnown {
				with = append(with, "MTU "+yours)
			}
		}
	}
	if len(with) > 0 {
		s += " at " + strings.Join(with, ", ")
	}
	for _, differs := range p.Differs {
		if lab, ok := strings.CutPrefix(differs, "lab: "); ok {
			s += " in a lab with " + lab
		}
	}
	return s + "; the document has " + publishedValue(c)
}

// publishedValue is the document's figure, with its bound and its range.
func publishedValue(c record.Comparison) string {
	p := c.Published
	s := publishedText(c.Metric, p.Low)
	if p.High > p.Low {
		s += " to " + publishedText(c.Metric, p.High)
	}
	if p.Bound != "" {
		s = p.Bound + " " + s
	}
	return s
}

func publishedText(metric string, v float64) string {
	switch {
	case strings.HasPrefix(metric, "ratio of "):
		return ratio(v) + " times"
	case strings.HasPrefix(metric, "cost "):
		return fmt.Sprintf("%.2f %s", v, strings.TrimPrefix(metric, "cost "))
	case metric == "bytes_per_second":
		return unit.BytesPerSecond(v)
	case metric == "goodput.stream":
		return rate(v)
	case metric == "iops":
		return unit.Count(v) + " IOPS"
	case metric == "cpu":
		return unit.Percent(v)
	case metric == "figure":
		return seconds(v)
	}
	return metricText(metric, v)
}

// publishedRatio is what yours is of the document's, in words.
func publishedRatio(c record.Comparison) string {
	p := c.Published
	switch {
	case c.Ratio == nil:
		return c.Why
	case p.High > p.Low && c.Other.Median >= p.Low && c.Other.Median <= p.High:
		return "within the document's range"
	}
	s := ratio(*c.Ratio) + " times the document's"
	if p.High > p.Low {
		s += " nearer end"
	}
	if c.Low != nil && c.High != nil && *c.Low < *c.High {
		kind := "range"
		if c.Interval == "95%" {
			kind = "95 % interval"
		}
		s += fmt.Sprintf(" (%s of yours %s .. %s)", kind, ratio(*c.Low), ratio(*c.High))
	}
	return s
}

// publishedShares are both figures beside what their links allow.
func publishedShares(c record.Comparison) string {
	s := c.Published.Shares
	if s == nil {
		return ""
	}
	if s.Formula == record.OfLink {
		return fmt.Sprintf("%s of your link's rate; the document's is %s of %s (%s)", unit.Percent(s.Yours), unit.Percent(s.Theirs), rate(s.Ceiling), s.Formula)
	}
	return fmt.Sprintf("%s of your ceiling; the document's is %s of %s (%s)", unit.Percent(s.Yours), unit.Percent(s.Theirs), rate(s.Ceiling), s.Formula)
}

// published prints a run beside documents.
func (l *lines) published(s ComparisonSet) {
	for i, d := range s.Documents {
		if i > 0 {
			l.gap()
		}
		l.item(0, 9, "document", normal, clean(d.Name)+": "+clean(d.Source))
		if d.Note != "" {
			l.item(0, 9, "", normal, clean(d.Note))
		}
		for _, m := range d.Systems {
			l.item(0, 9, "its", normal, clean(m))
		}
	}
	for _, f := range s.Facts {
		l.item(0, 9, "yours", normal, clean(f))
	}
	for _, c := range s.Comparisons {
		if c.Published == nil {
			continue
		}
		l.gap()
		l.text(bold, 0, clean(c.Experiment))
		l.text(normal, 2, publishedSentence(c))
		l.item(2, 8, "ratio", normal, publishedRatio(c))
		if t := publishedShares(c); t != "" {
			l.item(2, 8, "ceiling", normal, t)
		}
		if len(c.Published.Differs) > 0 {
			l.item(2, 8, "differs", normal, strings.Join(c.Published.Differs, "; "))
		}
		if c.Published.With != "" {
			l.item(2, 8, "there", normal, clean(c.Published.With))
		}
		l.item(2, 8, "yours", faint, clean(c.Cell)+", "+c.Other.Label+" "+clean(c.Other.ID))
	}
}

// refused prints what was not compared, those of one reason together.
func (l *lines) refused(all []record.Refused) {
	if len(all) == 0 {
		return
	}
	l.gap()
	l.line(l.ink(bold, "not compared"))
	for _, g := range refusals(all) {
		l.text(normal, 2, g.what+": "+g.why)
	}
}

// unlikeThings begins the reasons of what has no counterpart of its kind; more than mostUnlike of them are one line.
const (
	unlikeThings = "unlike things: "
	mostUnlike   = 2
)

type refusal struct{ what, why string }

// refusals are those of one reason together, with the first of them by name.
func refusals(all []record.Refused) []refusal {
	const named = 4
	var order []string
	of := map[string][]string{}
	unlike := map[string]bool{} // of these one reason stands for all where they are many
	for _, r := range all {
		if strings.HasPrefix(r.Why, unlikeThings) {
			unlike[r.Why] = true
		}
	}
	example := ""
	for _, r := range all {
		why := r.Why
		if unlike[why] && len(unlike) > mostUnlike {
			if example == "" {
				example = why
			}
			why = example
		}
		if of[why] == nil {
			order = append(order, why)
		}
		of[why] = append(of[why], r.What)
	}
	var out []refusal
	for _, why := range order {
		what := of[why]
		text := clean(strings.Join(what[:min(len(what), named)], "; "))
		if more := len(what) - named; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		if why == example && len(unlike) > mostUnlike {
			text = fmt.Sprintf("%d experiments (%s)", len(what), text)
			why = unlikeThings + "of the first, " + strings.TrimPrefix(why, unlikeThings) + "; linerate compare --json has the others'"
		}
		out = append(out, refusal{text, clean(why)})
	}
	return out
}

// List prints names with what they are.
func (t Terminal) List(all []Named) error {
	l := t.lines()
	wide := 0
	for _, n := range all {
		wide = max(wide, width(clean(n.Name)))
	}
	for _, n := range all {
		l.item(0, wide, n.Name, bold, clean(n.Text))
	}
	return l.flush()
}
