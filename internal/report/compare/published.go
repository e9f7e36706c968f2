package compare

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// Document is a published document for comparison with a run.
type Document struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"` // author, title, date, address, as far as the document has them
	Note    string   `json:"note,omitempty"`
	Systems []string `json:"systems"` // machines that its figures are of
	Figures int      `json:"figures"` // that can be compared
}

// publishedSentence returns the run's figure and the document's in one sentence: "your 24.1 Gb/s at MTU 9000; the
// document has 24.5 Gb/s".
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
			if _, yours, ok := strings.Cut(mtu, " to "); ok && yours != format.NotKnown {
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
		return Ratio(v) + " times"
	case strings.HasPrefix(metric, "cost "):
		return fmt.Sprintf("%.2f %s", v, strings.TrimPrefix(metric, "cost "))
	case metric == "bytes_per_second":
		return unit.BytesPerSecond(v)
	case metric == "goodput.stream":
		return format.Rate(v)
	case metric == "iops":
		return unit.Count(v) + " IOPS"
	case metric == "cpu":
		return unit.Percent(v)
	case metric == "figure":
		return format.Seconds(v)
	}
	return metricText(metric, v)
}

// publishedRatio is your figure over the document's, in words.
func publishedRatio(c record.Comparison) string {
	p := c.Published
	switch {
	case c.Ratio == nil:
		return c.Why
	case p.High > p.Low && c.Other.Median >= p.Low && c.Other.Median <= p.High:
		return "within the document's range"
	}
	s := Ratio(*c.Ratio) + " times the document's"
	if p.High > p.Low {
		s += " nearer end"
	}
	if c.Low != nil && c.High != nil && *c.Low < *c.High {
		kind := unit.If(c.Interval == "95%", "95 % interval", "range")
		s += fmt.Sprintf(" (%s of yours %s .. %s)", kind, Ratio(*c.Low), Ratio(*c.High))
	}
	return s
}

// publishedShares describes both figures with the ceilings of their links.
func publishedShares(c record.Comparison) string {
	s := c.Published.Shares
	if s == nil {
		return ""
	}
	if s.Formula == record.OfLink {
		return fmt.Sprintf("%s of your link's rate; the document's is %s of %s (%s)", unit.Percent(s.Yours),
			unit.Percent(s.Theirs), format.Rate(s.Ceiling), s.Formula)
	}
	return fmt.Sprintf("%s of your ceiling; the document's is %s of %s (%s)", unit.Percent(s.Yours),
		unit.Percent(s.Theirs), format.Rate(s.Ceiling), s.Formula)
}

// printPublished prints a run next to documents.
func printPublished(l *terminal.Lines, s ComparisonSet) {
	for i, d := range s.Documents {
		if i > 0 {
			l.Gap()
		}
		l.Item(0, 9, "document", terminal.Normal, format.Clean(d.Name)+": "+format.Clean(d.Source))
		if d.Note != "" {
			l.Item(0, 9, "", terminal.Normal, format.Clean(d.Note))
		}
		for _, m := range d.Systems {
			l.Item(0, 9, "its", terminal.Normal, format.Clean(m))
		}
	}
	for _, f := range s.Facts {
		l.Item(0, 9, "yours", terminal.Normal, format.Clean(f))
	}
	for _, c := range s.Comparisons {
		if c.Published == nil {
			continue
		}
		l.Gap()
		l.Text(terminal.Bold, 0, format.Clean(c.Experiment))
		l.Text(terminal.Normal, 2, publishedSentence(c))
		l.Item(2, 8, "ratio", terminal.Normal, publishedRatio(c))
		if t := publishedShares(c); t != "" {
			l.Item(2, 8, "ceiling", terminal.Normal, t)
		}
		if len(c.Published.Differs) > 0 {
			l.Item(2, 8, "differs", terminal.Normal, strings.Join(c.Published.Differs, "; "))
		}
		if c.Published.With != "" {
			l.Item(2, 8, "there", terminal.Normal, format.Clean(c.Published.With))
		}
		l.Item(2, 8, "yours", terminal.Faint, format.Clean(c.Combination)+", "+c.Other.Label+" "+format.Clean(c.Other.ID))
	}
}

// printRefused prints what was not compared, grouped by reason.
func printRefused(l *terminal.Lines, all []record.Refused) {
	if len(all) == 0 {
		return
	}
	l.Heading("not compared")
	for _, g := range refusals(all) {
		l.Text(terminal.Normal, 2, g.what+": "+g.why)
	}
}

// unlikeThings is the beginning of the reason that there is no counterpart. More than mostUnlike of these are one line.
const (
	unlikeThings = "unlike things: "
	mostUnlike   = 2
)

type refusal struct{ what, why string }

// refusals groups refusals by reason, with the first one by name.
func refusals(all []record.Refused) []refusal {
	const named = 4
	var order []string
	of := map[string][]string{}
	unlike := map[string]bool{} // if they are many, they share one reason
	for _, r := range all {
		if strings.HasPrefix(r.Why, unlikeThings) {
			unlike[r.Why] = true
		}
	}
	example := ""
	for _, r := range all {
		why := r.Why
		if unlike[why] && len(unlike) > mostUnlike {
			example = cmp.Or(example, why)
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
		text := format.Clean(strings.Join(what[:min(len(what), named)], "; "))
		if more := len(what) - named; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		if why == example && len(unlike) > mostUnlike {
			text = fmt.Sprintf("%d experiments (%s)", len(what), text)
			why = unlikeThings + "of the first, " + strings.TrimPrefix(why,
				unlikeThings) + "; linerate compare --json has the others'"
		}
		out = append(out, refusal{text, format.Clean(why)})
	}
	return out
}
