package report

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// keyShown is how many key findings the page has; the JSON has all.
const keyShown = 8

// keyRepeats is the fewest repeats whose range is taken for the low end of an interval.
const keyRepeats = 3

// keyKinds are the kinds of key findings, in the order in which equally strong ones stand.
var keyKinds = []struct {
	name string
	find func(*keySource) []keyFinding
}{
	{"line-rate", keyLineRate},
	{"paths", keyPaths},
	{"always", keyAlways},
	{"ratio", keyRatio},
	{"work", keyWork},
	{"latency", keyLatency},
	{"under-load", keyUnderLoad},
}

// keyFinding is a key finding with what orders it and where it leads.
type keyFinding struct {
	record.KeyFinding
	// strength is how far the near end of the interval is from no difference, as the absolute value of its logarithm; what is held against physics is stronger than all.
	strength float64
	about    []*record.Experiment
	// short is the text without medians; empty: it has none.
	short string
	Chart string // the element of the page that shows it; empty: none does
}

// physics is the strength of findings that hold a path against its ceiling, and not against another system.
const physics = 1e3

// keySource is what findings are made of, computed once.
type keySource struct {
	run      *record.Run
	rows     []row
	contests []contest
}

func newKeySource(r *record.Run, all []row) *keySource {
	return &keySource{run: r, rows: all, contests: contests(r)}
}

// Found are the key findings of a run, for its text and its page: looked for once, when the first of them wants them.
type Found struct {
	run  *record.Run
	once func() (*keySource, []keyFinding)
}

// Find returns the key findings of a run, which are not looked for yet.
func Find(r *record.Run) *Found {
	return &Found{run: r, once: sync.OnceValues(func() (*keySource, []keyFinding) {
		s := newKeySource(r, rows(r))
		return s, keyFindings(s)
	})}
}

// keyFindings are all that a run's data allow to say, strongest first.
func keyFindings(s *keySource) []keyFinding {
	var out []keyFinding
	for _, k := range keyKinds {
		for _, f := range k.find(s) {
			f.Kind, f.Experiments = k.name, []string{}
			for _, e := range f.about {
				if !slices.Contains(f.Experiments, e.ID) {
					f.Experiments = append(f.Experiments, e.ID)
				}
			}
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b keyFinding) int { return cmp.Compare(b.strength, a.strength) })
	return out
}

// KeyFindings are what a run's data allow to quote, strongest first.
func KeyFindings(r *record.Run) []record.KeyFinding {
	var out []record.KeyFinding
	_, found := Find(r).once()
	for _, f := range found {
		out = append(out, f.KeyFinding)
	}
	return out
}

// notes say of how many comparisons nothing is claimed, and why.
func (s *keySource) notes(found []keyFinding) (out []string) {
	few, equal, judged, apart, most := 0, 0, 0, 0, 0
	for _, c := range s.contests {
		switch v := c.main; {
		case v == nil:
		case v.Interval != stat.Interval:
			few, most = few+1, max(most, v.N[0], v.N[1])
		default:
			judged++
			if !c.turns {
				apart++
			}
			if !v.Different() {
				equal++
			}
		}
	}
	if few > 0 {
		out = append(out, fmt.Sprintf("Of %s nothing is claimed: %s a side %s no 95 %% interval. At least %d do, better %d in turns (--repeats).", count(few, "comparison"), count(most, "repeat"), map[bool]string{true: "carries", false: "carry"}[most == 1], stat.FewestApart, stat.FewestPairs))
	}
	if equal > 0 {
		out = append(out, fmt.Sprintf("Of %s no difference is shown.", count(equal, "comparison")))
	}
	if judged >= 10 {
		out = append(out, fmt.Sprintf("Of %d comparisons between equal sides about %d would claim a difference by chance.", judged, (judged+10)/20))
	}
	if apart > 0 && slices.ContainsFunc(found, func(f keyFinding) bool { return f.Ratio != nil }) {
		out = append(out, fmt.Sprintf("%d of %d were not measured in turns: a machine that changed meanwhile looks like a difference there.", apart, judged))
	}
	if n := skippedContests(s.run); n > 0 {
		out = append(out, fmt.Sprintf("Left out: %s of emulated machines, or of a protocol for which another stands in.", count(n, "experiment")))
	}
	return out
}
