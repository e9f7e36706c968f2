package run

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Two experiments with the same ends and keys are two records, with and without --only, and one of them has the id that it has alone in its file. A run that goes
// on finds each one's own repeats.
func TestApart(t *testing.T) {
	cells := func(experiments string, only ...string) (ids map[string][]string, all []*Cell) {
		t.Helper()
		all, err := Cells(planOf(t, experiments), Options{Only: only})
		if err != nil {
			t.Fatal(err)
		}
		ids = map[string][]string{}
		for _, c := range all {
			ids[c.Exp.Name] = append(ids[c.Exp.Name], c.Exp.ID)
		}
		return ids, all
	}
	long := "method: stream, from: n1, to: n2, streams: [1, 4]}\n  y: {method: stream, from: n1, to: n2, streams: [4, 8], time: 30s}\n  z: {method: stream, from: n1, to: n2, streams: 4"
	alone, _ := cells("method: stream, from: n1, to: n2, streams: [1, 4]")
	ids, all := cells(long)
	if !slices.Equal(ids["x"], alone["x"]) {
		t.Errorf("the first of the file has other ids beside another one: %v, %v", ids["x"], alone["x"])
	}
	seen := map[string]string{}
	for _, c := range all {
		if other := seen[c.Exp.ID]; other != "" {
			t.Errorf("%s and %s have the id %s", other, c.Exp.Name, c.Exp.ID)
		}
		seen[c.Exp.ID] = c.Exp.Name
	}
	if all[2].Exp.SameAs != "x" || all[3].Exp.SameAs != "" || all[4].Exp.SameAs != "x" || all[0].Exp.SameAs != "" {
		t.Errorf("%q %q %q", all[2].Exp.SameAs, all[3].Exp.SameAs, all[4].Exp.SameAs)
	}
	if only, _ := cells(long, "y"); !slices.Equal(only["y"], ids["y"]) || len(only) != 1 {
		t.Errorf("with --only y: %v, without: %v", only, ids["y"])
	}
	if two, _ := cells(long, "z", "x"); !slices.Equal(two["x"], ids["x"]) || !slices.Equal(two["z"], ids["z"]) || len(two) != 2 {
		t.Errorf("with --only z,x: %v, without: %v", two, ids)
	}
	if _, err := Cells(planOf(t, long), Options{Only: []string{"y", "yy", "zz"}}); err == nil || !strings.Contains(err.Error(), "--only yy: ") || !strings.Contains(err.Error(), "--only zz: ") || strings.Contains(err.Error(), "--only y: ") {
		t.Errorf("two names that are none: %v", err)
	}

	old := &record.Run{}
	for i, c := range all {
		e := *c.Exp
		e.Repeats = []record.Repeat{{Goodput: float64(i)}}
		old.Experiments = append(old.Experiments, &e)
	}
	_, fresh := cells(long)
	if n := Keep(fresh, old); n != len(all) {
		t.Errorf("%d repeats kept, want %d", n, len(all))
	}
	for i, c := range fresh {
		if len(c.Exp.Repeats) != 1 || c.Exp.Repeats[0].Goodput != float64(i) {
			t.Errorf("%s goes on with %+v", c.Exp.Name, c.Exp.Repeats)
		}
	}
}
