package highlight

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
)

// keyLeast is the smallest ratio, at the near end of its interval, that is a highlight. Smaller differences are only in
// the tables.
const keyLeast = 1.05

// won is a contest with a clear winner, with the ratio of the better side to the other (or the inverse, if less is
// better).
type won struct {
	Contest
	best, rest *record.Experiment
	lb, lr     string // names of the sides
	ratio      stat.Comparison
	metric     Metric
}

// strength returns the distance of the near end of the interval from 1.
func (w won) strength() float64 { return math.Log(w.ratio.Low) }

// winner compares the sides of a contest. It returns false where the interval does not exclude all below least.
func (c Contest) winner(m Metric, least float64) (won, bool) {
	s := c.main
	if m.Name != c.work.Name {
		s = c.Against(m)
	}
	if s == nil || !s.Different() {
		return won{}, false
	}
	w := won{Contest: c, best: c.B, rest: c.A, lb: c.lb, lr: c.la, ratio: *s, metric: m}
	if (s.Ratio < 1) != m.less { // a is the better one
		w.best, w.rest, w.lb, w.lr = c.A, c.B, c.la, c.lb
	}
	if s.Ratio < 1 {
		w.ratio = inverted(*s)
	}
	return w, w.ratio.Low >= least
}

// finding returns a highlight with this sentence about a contest.
func (w won) finding(text string) Finding {
	r := w.ratio
	if w.metric.less { // of the better to the other
		r = inverted(r)
	}
	short := strings.Replace(text, ": "+w.of(w.best)+" against "+w.of(w.rest)+" (", " (", 1)
	if turns := w.alternating() + "."; turns != "." {
		short = strings.TrimSuffix(short, turns) + "."
	}
	return Finding{
		Highlight: record.Highlight{Text: text, Metric: w.metric.Name, Ratio: &r.Ratio, Low: &r.Low, High: &r.High},
		short:     short, strength: w.strength(), About: []*record.Experiment{w.best, w.rest},
	}
}

// strongest returns, for each pair of systems, the contest with the largest difference.
func (s *source) strongest(metric func(Contest) Metric, takes func(Metric) bool) (out []won) {
	at := map[string]int{}
	for _, c := range s.contests {
		m := metric(c)
		if m.Name == "" || !takes(m) {
			continue
		}
		w, ok := c.winner(m, keyLeast)
		if !ok {
			continue
		}
		key := c.group + "\x00" + m.Name
		if i, known := at[key]; !known {
			at[key] = len(out)
			out = append(out, w)
		} else if w.strength() > out[i].strength() {
			out[i] = w
		}
	}
	return out
}

// keyRatio finds, for each two systems, where one did most more work than the other, and with how much CPU time.
func keyRatio(s *source) (out []Finding) {
	for _, w := range s.strongest(func(c Contest) Metric { return c.work }, func(m Metric) bool { return !m.less }) {
		text := fmt.Sprintf("%s achieved %s times the %s of %s%s%s: %s against %s (95 %% interval %s .. %s)%s.",
			begins(w.lb), compare.Ratio(w.ratio.Ratio), w.metric.words, w.lr, w.cpu(), w.combinationText(), w.of(w.best),
			w.of(w.rest), compare.Ratio(w.ratio.Low), compare.Ratio(w.ratio.High), w.alternating())
		out = append(out, w.finding(text))
	}
	return out
}

// of returns the median of the repeats of a side.
func (w won) of(e *record.Experiment) string {
	m, err := stat.Median(compare.Values(compare.Compared{Metric: w.metric.Name, Of: w.metric.Of}, e))
	if err != nil {
		return format.NotKnown
	}
	return w.metric.text(m)
}

// combinationText is " for 4 KiB, 50 % read", with the experiment's name.
func (w won) combinationText() string {
	name := format.Clean(w.A.Name)
	if w.A.Name != w.B.Name { // the names are those of the sides
		name = ""
	}
	switch {
	case w.combination == "" && name == "":
		return ""
	case w.combination == "":
		return " in " + name
	case name == "":
		return " for " + w.combination
	}
	return " in " + name + " for " + w.combination
}

func (w won) alternating() string {
	return unit.If(w.Turns, ", measured alternately", "")
}

// cpu compares the CPU time of the work with the other side; empty: not known.
func (w won) cpu() string {
	c := Contest{A: w.rest, B: w.best, Turns: w.Turns}
	s := c.Against(cpuMetric(w.best))
	switch {
	case s == nil || s.Interval != stat.Interval:
		return ""
	case !s.Different():
		return " and no difference in CPU is shown"
	}
	return " with " + moreOrLess(s.Ratio) + " CPU"
}

// moreOrLess is "9 % less", "40 % more" or "2.10 times the".
func moreOrLess(v float64) string {
	switch {
	case v >= 2:
		return compare.Ratio(v) + " times the"
	case v > 1:
		return unit.Percent(v-1) + " more"
	}
	return unit.Percent(1-v) + " less"
}

// begins capitalizes a sentence, unless it begins with a name.
func begins(s string) string {
	for _, known := range []string{"the fabric", "variant "} {
		if len(s) >= len(known) && s[:len(known)] == known {
			return string(s[0]-'a'+'A') + s[1:]
		}
	}
	return s
}

// keyLatency finds, for each two systems, where the median of one was most below the other's.
func keyLatency(s *source) (out []Finding) {
	for _, w := range s.strongest(func(c Contest) Metric { return c.work }, func(m Metric) bool { return m.less }) {
		text := fmt.Sprintf("The %s of %s is %s less than that of %s%s: %s against %s (95 %% interval %s .. %s less)%s.",
			w.metric.words, w.lb, unit.Percent(1-1/w.ratio.Ratio), w.lr, w.combinationText(), w.of(w.best), w.of(w.rest),
			unit.Percent(1-1/w.ratio.Low), unit.Percent(1-1/w.ratio.High), w.alternating())
		out = append(out, w.finding(text))
	}
	return out
}

// keyWork finds, for each two systems, where one did most more work for each percent of CPU time.
func keyWork(s *source) (out []Finding) {
	metric := func(c Contest) Metric {
		work, used := c.work, cpuMetric(c.A)
		if work.Name != "iops" && work.Name != "goodput" {
			return Metric{}
		}
		return Metric{Name: work.Name + "/cpu", words: work.words,
			text: func(v float64) string { return work.text(v) + " a percent" },
			Of: func(p record.Repeat) float64 {
				if u := used.Of(p); u > 0 {
					return work.Of(p) / (u * 100)
				}
				return 0
			}}
	}
	for _, w := range s.strongest(metric, func(Metric) bool { return true }) {
		text := fmt.Sprintf(
			"For each percent of CPU %s achieved %s times the %s of %s%s: %s against %s (95 %% interval %s .. %s)%s.",
			w.lb, compare.Ratio(w.ratio.Ratio), w.metric.words, w.lr, w.combinationText(), w.of(w.best), w.of(w.rest),
			compare.Ratio(w.ratio.Low), compare.Ratio(w.ratio.High), w.alternating())
		out = append(out, w.finding(text))
	}
	return out
}

// keyUnderLoad finds the latency that a load adds to the median round trip of each path.
func keyUnderLoad(s *source) (out []Finding) {
	best := map[string]int{}
	for _, e := range s.run.Experiments {
		if e.Load == nil || e.Load.Idle == nil || e.Load.Idle.P50 <= 0 || e.Latency == nil || e.Load.Added == nil ||
			e.Load.Added.P50 == nil || Skipped(e) {
			continue
		}
		added, idle := e.Load.Added.P50, e.Load.Idle.P50
		if added.Repeats < minRepeats || added.Low < (keyLeast-1)*idle {
			continue
		}
		text := fmt.Sprintf("With %s the round trip %s takes %s at the median, %s without: they add %s (%s of %d: %s .. %s).",
			loadText(e.Load), format.Arrows(format.Clean(e.Path())), format.Seconds(e.Latency.P50), format.Seconds(idle),
			format.Seconds(added.Median), intervalName(added), added.Repeats, format.Seconds(added.Low),
			format.Seconds(added.High))
		f := Finding{Highlight: record.Highlight{Text: text, Metric: "latency.p50"},
			strength: math.Log(1 + added.Low/idle), About: []*record.Experiment{e}}
		if i, ok := best[e.Path()]; ok {
			if f.strength > out[i].strength {
				out[i] = f
			}
			continue
		}
		best[e.Path()] = len(out)
		out = append(out, f)
	}
	return out
}

func loadText(l *record.Load) string {
	s := unit.Counted(l.Streams, "stream")
	if l.Direction == "both" {
		s += " in each direction"
	}
	return s + " next to it"
}

func intervalName(e *record.Estimate) string {
	if e.Interval == "range" {
		return "range"
	}
	return format.Clean(e.Interval) + " interval"
}
