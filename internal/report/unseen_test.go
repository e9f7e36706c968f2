package report

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// Where no difference is shown it is said what could have been, and what takes how many repeats; where one is, nothing.
func TestUnseen(t *testing.T) {
	same := []float64{1e9, 1.03e9, 0.97e9, 1.01e9, 0.98e9, 1.02e9, 1e9, 1.04e9, 0.96e9, 1e9}
	other := []float64{1.02e9, 0.99e9, 1e9, 0.97e9, 1.03e9, 1e9, 1.01e9, 0.98e9, 1.02e9, 0.99e9}
	twice := make([]float64, len(other))
	for i, v := range other {
		twice[i] = 2 * v
	}
	run := &record.Run{FabricText: "f", Variants: []string{"x"}, Experiments: []*record.Experiment{measured("", "1", 0, 2, same...), measured("x", "1", 1, 2, other...)}}
	all := Variants(run)
	notes := strings.Join(comparisonNotes(all), "\n")
	c := all[0]
	if c.Metric != "goodput" || c.Resolution == nil || *c.Resolution < 0.02 || *c.Resolution > 0.08 {
		t.Fatalf("%+v", c)
	}
	if want := "goodput: a difference below about " + percents(*c.Resolution) + " could not have been seen with 10 repeats a side; to see "; !strings.Contains(notes, want) || !strings.Contains(notes, ": --repeats ") {
		t.Errorf("%q is missing in:\n%s", want, notes)
	}
	run.Experiments = append(run.Experiments, measured("", "4", 40, 2, same...), measured("x", "4", 41, 2, other...))
	if notes := strings.Join(unseen(Variants(run)), "\n"); !strings.Contains(notes, "of 2 comparisons the one that sees least") {
		t.Errorf("two cells:\n%s", notes)
	}
	for name, list := range map[string][]float64{"a difference": twice, "too few": other[:3]} {
		run.Experiments = []*record.Experiment{measured("", "1", 0, 2, same[:len(list)]...), measured("x", "1", 1, 2, list...)}
		for _, n := range unseen(Variants(run)) {
			if strings.HasPrefix(n, "goodput") {
				t.Errorf("%s: %s", name, n)
			}
		}
	}
	// Values without any noise see everything.
	run.Experiments = []*record.Experiment{measured("", "1", 0, 2, 1, 1, 1, 1, 1, 1), measured("x", "1", 1, 2, 1, 1, 1, 1, 1, 1)}
	if n := unseen(Variants(run)); len(n) > 0 {
		t.Errorf("without noise: %q", n)
	}
	for share, want := range map[float64]string{0.0068: "0.68 %", 0.07: "7 %", 0.123: "12 %", 0.994: "99 %", 0.997: "100 %", 2.04: "204 %"} {
		if got := percents(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
