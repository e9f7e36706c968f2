package report

import "fmt"

// keyLatency says of each two systems where the median of one was most below the other's.
func keyLatency(s *keySource) (out []keyFinding) {
	for _, w := range s.strongest(func(c contest) keyMetric { return c.work }, func(m keyMetric) bool { return m.less }) {
		text := fmt.Sprintf("The %s of %s is %s less than that of %s%s: %s against %s (95 %% interval %s .. %s less)%s.", w.metric.words, w.lb, wholePercent(1-1/w.ratio.Ratio), w.lr,
			w.cellText(), w.of(w.best), w.of(w.rest), wholePercent(1-1/w.ratio.Low), wholePercent(1-1/w.ratio.High), w.inTurns())
		out = append(out, w.finding(text))
	}
	return out
}
