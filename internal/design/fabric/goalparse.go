package fabric

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

// want is a goal's text after parsing.
type want struct {
	metric string
	op     string
	kind   GoalKind
	value  float64
	other  string
	money  unit.Money
}

// metrics returns the possible metrics of a goal, with the form of their values.
func metrics() map[string]string {
	return map[string]string{"goodput": "37G or 800MB/s", "iops": "250000", "latency.p50": "60us", "latency.p99": "200us",
		"seconds": "4s", "cpu": "41%", "iops/cpu": "1500", "figure": "12.5", "cost": "120 USD", "watts": "90"}
}

func metricNames() []string {
	return []string{"goodput", "iops", "latency.p50", "latency.p99", "seconds", "cpu", "iops/cpu", "figure", "cost",
		"watts"}
}

// complaint is what is wrong with a text, whose limit it is and what to write.
type complaint struct {
	id                  diag.ID
	message, limit, fix string
}

func (c *complaint) Error() string { return c.message }

// parseWant reads the goal grammar:
//
//	[METRIC (>= | <=)] (VALUE | N% of ceiling | N% of link | N x OTHER)
//	OTHER: variant NAME[+NAME] | KEY VALUE of a parameter | the name of an experiment
//
// A value without a metric is the least goodput. The caller checks whether OTHER exists.
func parseWant(text string) (want, error) {
	w := want{metric: "goodput", op: ">=", kind: GoalValue}
	right := strings.TrimSpace(text)
	if i := strings.IndexAny(text, "<>=≥≤"); i >= 0 {
		left := strings.TrimSpace(text[:i])
		right = text[i:]
		op := right[:len(right)-len(strings.TrimLeft(right, "<>=≥≤"))]
		right = strings.TrimSpace(right[len(op):])
		switch op {
		case ">=", "≥":
			w.op = ">="
		case "<=", "≤":
			w.op = "<="
		default:
			return w, &complaint{diag.GoalInvalid, fmt.Sprintf("%s does not compare", quote(op)), "goals compare with >= or <=",

				cmp.Or(meantWant(left, goalOp(op), right), "write "+goalOp(op))}
		}
		if _, ok := metrics()[left]; !ok {
			e := &complaint{diag.GoalInvalid, fmt.Sprintf("unknown metric %s", quote(left)), "a metric is " +
				orList(metricNames()),
				"write one of these"}
			if meant := cmp.Or(meantMetric(left), nearest(left, metricNames())); meant != "" {
				e.fix = cmp.Or(meantWant(meant, w.op, right), "did you mean "+meant+"?")
			}
			return w, e
		}
		w.metric = left
	}
	if right == "" {
		return w, &complaint{diag.GoalInvalid, "the goal has no value", "", "write " + w.metric + " " + w.op + " " +
			metrics()[w.metric]}
	}
	if share, of, ok := strings.Cut(right, " of "); ok {
		return w, w.share(share, strings.TrimSpace(of))
	}
	if factor, other, ok := cutTimes(right); ok {
		w.kind, w.other = GoalOther, strings.Join(strings.Fields(other), " ")
		v, err := positive(factor)
		if err != nil || w.other == "" {
			return w, &complaint{diag.GoalInvalid, fmt.Sprintf("%s is not a multiple", quote(right)),
				"a multiple is N x another measurement",
				"write 2.26 x variant NAME, 0.5 x streams 1, or 1.1 x EXPERIMENT"}
		}
		w.value = v
		return w, nil
	}
	return w, w.plain(right)
}

func goalOp(op string) string {
	if strings.Contains(op, "<") || strings.Contains(op, "≤") {
		return "<="
	}
	return ">="
}

// cutTimes cuts "2.26 x variant ten" at the x.
func cutTimes(s string) (factor, other string, ok bool) {
	for _, x := range []string{" x ", " × "} {
		if a, b, ok := strings.Cut(s, x); ok {
			return strings.TrimSpace(a), strings.TrimSpace(b), true
		}
	}
	return "", "", false
}

// positive reads a plain decimal number above 0.
func positive(s string) (float64, error) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, fmt.Errorf("no number")
	}
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && (v <= 0 || v > 1e18) {
		err = fmt.Errorf("out of range")
	}
	return v, err
}

func (w *want) share(share, of string) error {
	v, err := unit.ParsePercent(share)
	switch {
	case err != nil || v <= 0:
		return &complaint{diag.GoalInvalid, fmt.Sprintf("%s is not a percentage", quote(share)), "", "write 95% of ceiling"}
	case of == "ceiling" || of == "the ceiling":
		w.kind = GoalOfCeiling
	case of == "link" || of == "the link":
		w.kind = GoalOfLink
	default:
		return &complaint{diag.GoalInvalid, fmt.Sprintf("a percentage of %s is not possible", quote(of)),
			"percentages are of ceiling or link",
			fmt.Sprintf("write 95%% of ceiling, or %g x %s", v, visible(of))}
	}
	if w.metric != "goodput" && (w.metric != "iops" || w.kind == GoalOfLink) {
		return &complaint{diag.GoalInvalid, fmt.Sprintf("%s has no %s to compare with", w.metric, w.kind),
			"goodput has a ceiling and a " +
				"link, iops a ceiling", "write a value such as " + metrics()[w.metric]}
	}
	w.value = v
	return nil
}

// plain reads a value in the metric's unit.
func (w *want) plain(text string) error {
	var err error
	switch w.metric {
	case "goodput":
		var r unit.BitRate
		r, err = unit.ParseBitRate(text)
		w.value = float64(r)
	case "latency.p50", "latency.p99", "seconds":
		d, e := unit.ParseDuration(text)
		w.value, err = d.Seconds(), e
	case "cpu":
		w.value, err = unit.ParsePercent(text)
	case "cost":
		w.money, err = unit.ParseMoney(text)
		w.value = w.money.Amount()
	case "watts":
		w.value, err = positive(strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, "W"), "watts")))
	default:
		w.value, err = positive(text)
	}
	if err == nil && w.value <= 0 {
		err = fmt.Errorf("not above 0")
	}
	if err != nil {
		return &complaint{diag.GoalInvalid, fmt.Sprintf("%s is not a value of %s", quote(text), w.metric), "",
			cmp.Or(meantShare(w.metric, w.op, text), "write a value such as "+metrics()[w.metric])}
	}
	return nil
}

// meantShare is meantWant of a percentage without what it is of.
func meantShare(metric, op, text string) string {
	if !strings.HasSuffix(text, "%") {
		return ""
	}
	return meantWant(metric, op, text)
}
