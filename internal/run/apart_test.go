package run

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// Two experiments with the same ends and keys are two records, with and without --experiments. One of them keeps the id
// that
// it would have alone in its file. A resumed run finds each one's own repeats.
func TestApart(t *testing.T) {
	combinations := func(experiments string, only ...string) (ids map[string][]string, all []*experiment.Combination) {
		t.Helper()
		all, err := Combinations(runtest.StarPlan(t, experiments), experiment.Options{Only: only})
		if err != nil {
			t.Fatal(err)
		}
		ids = map[string][]string{}
		for _, c := range all {
			ids[c.Record.Name] = append(ids[c.Record.Name], c.Record.ID)
		}
		return ids, all
	}
	long := "method: throughput, from: n1, to: n2, streams: [1, 4]}\n  y: {method: throughput, from: n1, to: n2, " +
		"streams: " +
		"[4, 8], time: 30s}\n  z: {method: throughput, from: n1, to: n2, streams: 4"
	alone, _ := combinations("method: throughput, from: n1, to: n2, streams: [1, 4]")
	ids, all := combinations(long)
	if !slices.Equal(ids["x"], alone["x"]) {
		t.Errorf("the first of the file has other ids next to another one: %v, %v", ids["x"], alone["x"])
	}
	seen := map[string]string{}
	for _, c := range all {
		if other := seen[c.Record.ID]; other != "" {
			t.Errorf("%s and %s have the id %s", other, c.Record.Name, c.Record.ID)
		}
		seen[c.Record.ID] = c.Record.Name
	}
	if all[2].Record.SameAs != "x" || all[3].Record.SameAs != "" || all[4].Record.SameAs != "x" ||
		all[0].Record.SameAs != "" {
		t.Errorf("%q %q %q", all[2].Record.SameAs, all[3].Record.SameAs, all[4].Record.SameAs)
	}
	if only, _ := combinations(long, "y"); !slices.Equal(only["y"], ids["y"]) || len(only) != 1 {
		t.Errorf("with --experiments y: %v, without: %v", only, ids["y"])
	}
	if two, _ := combinations(long, "z", "x"); !slices.Equal(two["x"], ids["x"]) || !slices.Equal(two["z"], ids["z"]) ||
		len(two) != 2 {
		t.Errorf("with --experiments z,x: %v, without: %v", two, ids)
	}
	if _, err := Combinations(
		runtest.StarPlan(t, long),
		experiment.Options{Only: []string{"y", "yy", "zz"}},
	); err == nil || !strings.Contains(err.Error(), `no experiment is called "yy"`) || !strings.Contains(err.Error(),
		`no experiment is called "zz"`) ||
		strings.Contains(err.Error(), `called "y"`) {
		t.Errorf("two names that are not names of experiments: %v", err)
	}

	old := &record.Run{}
	for i, c := range all {
		e := *c.Record
		e.Repeats = []record.Repeat{{Goodput: float64(i)}}
		old.Experiments = append(old.Experiments, &e)
	}
	_, fresh := combinations(long)
	if n := Keep(fresh, old); n != len(all) {
		t.Errorf("%d repeats kept, want %d", n, len(all))
	}
	for i, c := range fresh {
		if len(c.Record.Repeats) != 1 || c.Record.Repeats[0].Goodput != float64(i) {
			t.Errorf("%s goes on with %+v", c.Record.Name, c.Record.Repeats)
		}
	}
}
