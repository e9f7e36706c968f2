package check

import (
	"fmt"
	"linerate/internal/record"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// many are findings of all checks about some hosts and interfaces, each about one or two things.
func many(n int, rng *rand.Rand) []record.Finding {
	var all []record.Finding
	for i := range n {
		k := checks[rng.IntN(len(checks))]
		host := fmt.Sprintf("h%d", rng.IntN(n/20+1))
		f := record.Finding{ID: k.ID, Subject: fmt.Sprintf("%s: e%d", host, i%4), Have: fmt.Sprint(i), About: []string{fmt.Sprintf("%s: e%d", host, i%4)}}
		if i%3 == 0 {
			f.About = append(f.About, host)
		}
		all = append(all, f)
	}
	return all
}

// toldPlainly is told as it reads: each finding is held against every other one.
func toldPlainly(all []record.Finding) []record.Finding {
	reason := func(f record.Finding) int {
		i := slices.IndexFunc(checks, func(k Check) bool { return k.ID == f.ID })
		return slices.IndexFunc(all, func(g record.Finding) bool {
			return slices.Contains(checks[i].Because, g.ID) && slices.ContainsFunc(g.About, func(a string) bool { return slices.Contains(f.About, a) })
		})
	}
	gone := map[int]bool{}
	for i, f := range all {
		at := reason(f)
		if at >= 0 && at != i {
			for range checks {
				up := reason(all[at])
				if up < 0 || up == at || up == i {
					break
				}
				at = up
			}
			all[at].Explains = append(all[at].Explains, record.Explained{ID: f.ID, Subject: f.Subject, Have: f.Have})
			gone[i] = true
		}
	}
	out := []record.Finding{}
	for i, f := range all {
		if !gone[i] {
			out = append(out, f)
		}
	}
	return out
}

// What is told inside of which reason is the same as when each finding is held against every other one.
func TestTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	explained := 0
	for range 100 {
		all := many(1+rng.IntN(300), rng)
		want := toldPlainly(slices.Clone(all))
		got := told(slices.Clone(all))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d findings: told %d, want %d", len(all), len(got), len(want))
		}
		explained += len(all) - len(got)
	}
	if explained == 0 {
		t.Error("nothing was a consequence of anything")
	}
}

// BenchmarkTold is to grow with the number of findings, not with its square.
func BenchmarkTold(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		all := many(n, rand.New(rand.NewPCG(1, 2)))
		for _, way := range []struct {
			name string
			told func([]record.Finding) []record.Finding
		}{{"each against each", toldPlainly}, {"told", told}} {
			b.Run(fmt.Sprintf("%s/%d", way.name, n), func(b *testing.B) {
				for b.Loop() {
					way.told(slices.Clone(all))
				}
			})
		}
	}
}
