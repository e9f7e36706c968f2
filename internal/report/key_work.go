package report

import (
	"fmt"

	"linerate/internal/record"
)

// keyWork says of each two systems where one did most more work for each percent of processor: document after document calls it processor effectiveness.
func keyWork(s *keySource) (out []keyFinding) {
	metric := func(c contest) keyMetric {
		work, used := c.work, processorMetric(c.a)
		if work.name != "iops" && work.name != "goodput" {
			return keyMetric{}
		}
		return keyMetric{name: work.name + "/cpu", words: work.words, text: func(v float64) string { return work.text(v) + " a percent" }, of: func(p record.Repeat) float64 {
			if u := used.of(p); u > 0 {
				return work.of(p) / (u * 100)
			}
			return 0
		}}
	}
	for _, w := range s.strongest(metric, func(keyMetric) bool { return true }) {
		text := fmt.Sprintf("For each percent of processor %s achieved %s times the %s of %s%s: %s against %s (95 %% interval %s .. %s)%s.", w.lb, ratio(w.ratio.Ratio), w.metric.words, w.lr,
			w.cellText(), w.of(w.best), w.of(w.rest), ratio(w.ratio.Low), ratio(w.ratio.High), w.inTurns())
		out = append(out, w.finding(text))
	}
	return out
}
