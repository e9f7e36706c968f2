package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
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
	for i, s := range b.head.Sentences {
		// The bottleneck belongs to the first sentence.
		bold := i == 0 || b.head.Carries && b.run.SlowNode == nil
		l.Text(unit.If(bold, terminal.Bold, terminal.Normal), 0, s)
	}
	if next, _ := headline.FirstSentence(b.head.More); next != "" { // the others are about what has its own lines
		l.Text(terminal.Normal, 0, next)
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
