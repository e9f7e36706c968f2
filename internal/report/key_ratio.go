package report

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// keyLeast is how far from 1 the near end of a ratio's interval has to be: smaller differences are in the tables, and are no key findings.
const keyLeast = 1.05

// won is a contest that one side wins by enough, with the ratio of the better side to the other (less is better: of the other to it).
type won struct {
	contest
	best, rest *record.Experiment
	lb, lr     string // what they are called
	ratio      stat.Comparison
	metric     keyMetric
}

// strength is how far the near end of the interval is from 1.
func (w won) strength() float64 { return math.Log(w.ratio.Low) }

// winner holds the sides of a contest against each other; false where the interval does not leave out all below least.
func (c contest) winner(m keyMetric, least float64) (won, bool) {
	s := c.main
	if m.name != c.work.name {
		s = c.against(m)
	}
	if s == nil || !s.Different() {
		return won{}, false
	}
	w := won{contest: c, best: c.b, rest: c.a, lb: c.lb, lr: c.la, ratio: *s, metric: m}
	if (s.Ratio < 1) != m.less { // a is the better one
		w.best, w.rest, w.lb, w.lr = c.a, c.b, c.la, c.lb
	}
	if s.Ratio < 1 {
		w.ratio = inverted(*s)
	}
	return w, w.ratio.Low >= least
}

// finding is the sentence of a contest as a key finding.
func (w won) finding(text string) keyFinding {
	r := w.ratio
	if w.metric.less { // of the better to the other
		r = inverted(r)
	}
	short := strings.Replace(text, ": "+w.of(w.best)+" against "+w.of(w.rest)+" (", " (", 1)
	if turns := w.inTurns() + "."; turns != "." {
		short = strings.TrimSuffix(short, turns) + "."
	}
	return keyFinding{KeyFinding: record.KeyFinding{Text: text, Metric: w.metric.name, Ratio: &r.Ratio, Low: &r.Low, High: &r.High}, short: short,
		strength: w.strength(), about: []*record.Experiment{w.best, w.rest}}
}

// strongest is of each pair of systems the contest that is won by most.
func (s *keySource) strongest(metric func(contest) keyMetric, takes func(keyMetric) bool) (out []won) {
	at := map[string]int{}
	for _, c := range s.contests {
		m := metric(c)
		if m.name == "" || !takes(m) {
			continue
		}
		w, ok := c.winner(m, keyLeast)
		if !ok {
			continue
		}
		key := c.group + "\x00" + m.name
		if i, known := at[key]; !known {
			at[key] = len(out)
			out = append(out, w)
		} else if w.strength() > out[i].strength() {
			out[i] = w
		}
	}
	return out
}

// keyRatio says of each two systems where one did most more work than the other, and with how much processor.
func keyRatio(s *keySource) (out []keyFinding) {
	for _, w := range s.strongest(func(c contest) keyMetric { return c.work }, func(m keyMetric) bool { return !m.less }) {
		text := fmt.Sprintf("%s achieved %s times the %s of %s%s%s: %s against %s (95 %% interval %s .. %s)%s.", begins(w.lb), ratio(w.ratio.Ratio), w.metric.words, w.lr,
			w.processor(), w.cellText(), w.of(w.best), w.of(w.rest), ratio(w.ratio.Low), ratio(w.ratio.High), w.inTurns())
		out = append(out, w.finding(text))
	}
	return out
}

// of is the median of the repeats of a side.
func (w won) of(e *record.Experiment) string {
	m, err := stat.Median(values(compared{w.metric.name, w.metric.of}, e))
	if err != nil {
		return notKnown
	}
	return w.metric.text(m)
}

// cellText is " for 4 KiB, 50 % read", with the experiment's name.
func (w won) cellText() string {
	name := clean(w.a.Name)
	if w.a.Name != w.b.Name { // the names are the sides
		name = ""
	}
	switch {
	case w.cell == "" && name == "":
		return ""
	case w.cell == "":
		return " in " + name
	case name == "":
		return " for " + w.cell
	}
	return " in " + name + " for " + w.cell
}

func (w won) inTurns() string {
	if w.turns {
		return ", measured in turns"
	}
	return ""
}

// processor says what the work took beside the other side; empty: it is not known.
func (w won) processor() string {
	c := contest{a: w.rest, b: w.best, turns: w.turns}
	s := c.against(processorMetric(w.best))
	switch {
	case s == nil || s.Interval != stat.Interval:
		return ""
	case !s.Different():
		return " and no difference in processor is shown"
	}
	return " with " + moreOrLess(s.Ratio) + " processor"
}

// moreOrLess is "9 % less", "40 % more" or "2.10 times the".
func moreOrLess(v float64) string {
	switch {
	case v >= 2:
		return ratio(v) + " times the"
	case v > 1:
		return wholePercent(v-1) + " more"
	}
	return wholePercent(1-v) + " less"
}

// wholePercent is a share without more digits than a spread of repeats carries.
func wholePercent(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f %%", share*100)
	}
	return unit.Percent(share)
}

// begins begins a sentence, unless it begins with a name, which stays as it is.
func begins(s string) string {
	for _, known := range []string{"the fabric", "variant "} {
		if len(s) >= len(known) && s[:len(known)] == known {
			return string(s[0]-'a'+'A') + s[1:]
		}
	}
	return s
}
