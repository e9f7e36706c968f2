package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// title is the fabric, where it was measured, and how long that took.
func (b *brief) title() section {
	r, l := b.run, b.text()
	name := format.Clean(r.Fabric)
	if name == "" && len(r.Arguments) > 1 {
		name = "linerate " + format.Clean(strings.Join(r.Arguments[1:min(3, len(r.Arguments))], " "))
	}
	var right []string
	if r.Lab != nil {
		kind := unit.If(len(r.Lab.Guests) > 0, "emulated", "simulated")
		right = append(right, "lab"+strings.TrimPrefix(strings.TrimPrefix(result.LabShort(r.Lab), "emulated "), "lab")+
			" ("+kind+")")
	}
	all := xslices.Count(r.Experiments, func(e *record.Experiment) bool { return e.FollowedUp == nil })
	done := all - xslices.Count(r.Experiments, func(e *record.Experiment) bool {
		return e.FollowedUp == nil && report.ReasonNotRun(e) != ""
	})
	tests := unit.Counted(all, "test")
	if done != all {
		tests = fmt.Sprintf("%d of %s", done, tests)
	}
	if d := r.Ended.Sub(r.Started); !r.Ended.IsZero() && !r.Started.IsZero() && d > 0 {
		tests += ", " + format.Took(d)
	}
	l.Split(shorten(cmp.Or(name, "linerate"), 40), strings.Join(append(right, tests), "   "))
	return of(l, len(l.Rows()))
}

// answer is what the run found, in one or two sentences, and what a reader has to know of it at once.
func (b *brief) answer() section {
	l := b.text()
	if first := carries(b); first != "" {
		style := terminal.Bold
		if n := b.run.SlowNode; n != nil {
			l.Text(style, 0, format.Clean(n.Sentence))
			style = terminal.Normal
		}
		l.Text(style, 0, first)
		if text := bottleneck(b.lead); text != "" {
			l.Text(style, 0, text)
		}
		l.Text(terminal.Normal, 0, strings.Join(sentences(b.more, 1), " "))
	} else {
		for i, s := range sentences(report.Answer(b.run), answered) {
			l.Text(unit.If(i == 0, terminal.Bold, terminal.Normal), 0, s)
		}
	}
	keep := min(len(l.Rows()), unit.If(b.run.SlowNode != nil, 6, 4))
	warn := func(s string) {
		for _, part := range cut(s, l.Width, 2) {
			l.Line(l.Ink(terminal.Accent, part))
		}
	}
	// The reasons come first and stay: the tests that failed for them say only which host it was.
	unused := report.Unused(b.run)
	for i, s := range unused {
		warn(s)
		if i < mostUnused {
			keep = len(l.Rows())
		}
	}
	for _, s := range report.Incomplete(b.run) {
		switch {
		case slices.Contains(unused, s):
		case s == result.Noisy(b.run):
			warn(noise(b.run))
		default:
			warn(s)
		}
	}
	if lab := b.run.Lab; lab != nil {
		l.Text(terminal.Normal, 0, fmt.Sprintf("A lab %s: it says nothing about real NICs, cables and drives.",
			unit.If(len(lab.Guests) > 0, "emulates machines", "simulates the links")))
	}
	return of(l, keep)
}

// mostUnused is the number of hosts that could not be used whose reasons always have room.
const mostUnused = 2

// noise is the warning that other work disturbed a run, in one line.
func noise(r *record.Run) string {
	n, all := 0, 0
	for _, e := range r.Experiments {
		n += xslices.Count(e.Repeats, func(p record.Repeat) bool { return p.Noisy })
		all += len(e.Repeats)
	}
	return fmt.Sprintf("Unreliable: other programs or a hypervisor used the CPU in %d of %s.", n,
		unit.Counted(all, "repeat"))
}

// answered is the number of sentences of an answer; the others are about storage and copies, which have their lines.
const answered = 2

// sentences returns the first sentences of a text.
func sentences(s string, most int) (out []string) {
	for s != "" && len(out) < most {
		i := strings.Index(s, ". ")
		if i < 0 {
			return append(out, s)
		}
		out, s = append(out, s[:i+1]), strings.TrimSpace(s[i+2:])
	}
	return out
}

// carries is the figure of the leading cause next to its ceiling; empty: the cause is not of a link.
func carries(b *brief) string {
	if b.lead == nil {
		return ""
	}
	e := b.lead.Worst
	if !method.Named(e.Method).Bulk || e.Goodput == nil || e.Ceiling == nil || e.Ceiling.Planned() <= 0 || e.Failed != "" {
		return ""
	}
	of := float64(e.Ceiling.Planned())
	low, high := format.Rate(e.Goodput.Median), format.Rate(of)
	if a, z, ok := format.SameUnit(low, high); ok {
		low, high = a, z
	}
	s := fmt.Sprintf("%s carries %s of %s (%s)", format.Clean(e.Path()), low, high, unit.Percent(e.Goodput.Median/of))
	varying := result.VaryingKeys(b.run.Experiments)[e.Name]
	if with := result.CombinationOf(e, varying).Label(); with != "" && b.severalWays(e) {
		s += " with " + with
	}
	if b.lead.Verdict.Limiter == record.LimiterUnexplained {
		return s + ". The cause was not found."
	}
	return s + "."
}

// severalWays reports whether the path of an experiment was measured with several settings.
func (b *brief) severalWays(e *record.Experiment) bool {
	return slices.ContainsFunc(b.run.Experiments, func(x *record.Experiment) bool {
		return x != e && x.Name == e.Name && x.Path() == e.Path() && x.Variant == e.Variant
	})
}

// bottleneck names the leading cause; empty: it was not found.
func bottleneck(c *report.Cause) string {
	v := c.Verdict
	if v.Limiter == record.LimiterUnexplained || v.Limiter == record.LimiterUnknown || v.Limiter == "" {
		return ""
	}
	s := "Bottleneck: " + limiterOf(c.Worst, true)
	if v.Confidence == "likely" {
		s += " (likely)"
	}
	return s + "."
}

// limiterOf names what limits an experiment: "receive window of nas", "none: link is full". With long it also names
// components that are not hosts.
func limiterOf(e *record.Experiment, long bool) string {
	v := e.Verdict
	known := v != nil && v.Limiter != "" && v.Limiter != record.LimiterUnknown && v.Limiter != record.LimiterUnexplained
	switch {
	case e.Failed != "" && !known:
		return "failed"
	case v == nil || v.Limiter == "" || v.Limiter == record.LimiterUnknown:
		return format.NotKnown
	case v.Limiter == record.LimiterLink:
		return "none: link is full"
	case v.Limiter == record.LimiterUnexplained:
		return "not found"
	}
	words := unit.If(e.Failed != "", "failed: ", "") + report.LimiterWords(v.Limiter)
	component := format.Clean(v.Component)
	host, _, _ := strings.Cut(component, ": ")
	if host == e.From || host == e.To {
		return words + " of " + host
	}
	if long && host != "" && !strings.Contains(host, "--") && !strings.EqualFold(words, host) {
		return words + ", " + host
	}
	return words
}
