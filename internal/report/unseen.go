package report

import (
	"fmt"
	"math"
	"strconv"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// differences are those for which a number of repeats is given.
var differences = []float64{0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001}

// unseen says, of each figure in which no difference is shown, what difference the repeats could not have shown, and how
// many would show a smaller one: of several comparisons, the one that sees least.
func unseen(list []record.Comparison) []string {
	worst := map[string]record.Comparison{}
	several := map[string]int{}
	var order []string
	for _, c := range list {
		if c.Different == nil || *c.Different || c.Resolution == nil || !(*c.Resolution > 0) || math.IsInf(*c.Resolution, 1) {
			continue
		}
		if several[c.Metric]++; several[c.Metric] == 1 {
			order = append(order, c.Metric)
		}
		if w := worst[c.Metric]; w.Resolution == nil || *w.Resolution < *c.Resolution {
			worst[c.Metric] = c
		}
	}
	var out []string
	for _, metric := range order {
		c := worst[metric]
		n := min(c.Base.Repeats, c.Other.Repeats)
		s := fmt.Sprintf("%s: a difference below about %s could not have been seen with %d repeats a side", metricWords(metric), percents(*c.Resolution), n)
		if several[metric] > 1 {
			s += fmt.Sprintf(" (of %d comparisons the one that sees least)", several[metric])
		}
		for _, d := range differences {
			if d > *c.Resolution/1.3 {
				continue
			}
			if k := (stat.Comparison{Low: *c.Low, High: *c.High, Interval: c.Interval, N: [2]int{n, n}}).Needed(d); k <= manyRepeats {
				s += fmt.Sprintf("; to see %s takes about %d: --repeats %d", percents(d), k, k)
			}
			break
		}
		out = append(out, s)
	}
	return out
}

// manyRepeats is a number of repeats beyond which nobody is told to ask for them.
const manyRepeats = 500

// percents has two digits: 0.68 %, 7 %, 12 %; above 100 % all of them.
func percents(share float64) string {
	if share >= 0.995 {
		return strconv.FormatFloat(share*100, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(share*100, 'g', 2, 64) + " %"
}
