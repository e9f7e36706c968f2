package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain/cause"
	"linerate/internal/record"
)

// onlyCandidate is the cause that is never a verdict, because no counter has its cost.
const onlyCandidate = "iommu"

// names reports whether a verdict has the id among its candidates.
func names(v *record.Verdict, id string) bool {
	return v != nil && slices.Contains(candidates(v), id)
}

// worse reports whether tables without the entry id judge a run worse: a verdict is no longer true or proved, or names
// another component, or the candidate is missing, where the cause is a candidate at most.
func (x *recorded) worse(was, now *record.Run, id string) bool {
	for i, e := range was.Experiments {
		truth := x.of.TruthOf(i)
		if e.Verdict == nil || !slices.Contains(truth, e.Verdict.Limiter) {
			continue
		}
		v := now.Experiments[i].Verdict
		if v == nil || !slices.Contains(truth, v.Limiter) || e.Verdict.Limiter == id &&
			(v.Component != e.Verdict.Component || e.Verdict.Confidence == "proved" && v.Confidence != "proved") ||
			id == onlyCandidate && names(e.Verdict, id) && !names(v, id) {
			return true
		}
	}
	return false
}

// Every entry of the tables of causes is needed: without it at least one recorded run is judged worse. Other runs are
// judged as before, because causes are tried one after another.
func TestWithoutACause(t *testing.T) {
	t.Parallel()
	type judgedRun struct {
		*recorded
		was *record.Run
	}
	by := map[string][]judgedRun{}
	for _, x := range recordedRuns(t, "") {
		j := judgedRun{x, x.judged(t, cause.All())}
		var ids []string
		for _, e := range j.was.Experiments {
			if e.Verdict == nil {
				continue
			}
			ids = append(append(ids, e.Verdict.Limiter), candidates(e.Verdict)...)
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			by[id] = append(by[id], j)
		}
	}
	try := func(table, title, id string, without cause.Tables) {
		var lost []string
		for _, j := range by[id] {
			if j.worse(j.was, j.judged(t, without), id) {
				lost = append(lost, j.name)
				if !testing.Verbose() {
					break
				}
			}
		}
		if len(lost) == 0 {
			t.Errorf("without %s (%s, %s) every recorded run is judged as rightly as with it", id, table, title)
		}
		if testing.Verbose() {
			t.Logf("| %s `%s` (%s) | %s |", table, id, title, strings.Join(lost, ", "))
		}
	}
	for i, c := range cause.All().Network {
		all := cause.All()
		all.Network = slices.Delete(slices.Clone(all.Network), i, i+1)
		try(fmt.Sprintf("causes[%d]", i), c.Title, c.ID, all)
	}
	for i, c := range cause.All().FollowUp {
		all := cause.All()
		all.FollowUp = slices.Delete(slices.Clone(all.FollowUp), i, i+1)
		try(fmt.Sprintf("chaseCauses[%d]", i), c.Title, c.ID, all)
	}
}
