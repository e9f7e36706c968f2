package highlight

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// MostShown is how many highlights the page has; the JSON has all.
const MostShown = 8

// minRepeats is the smallest number of repeats whose range is used as an interval.
const minRepeats = 3

// kinds are the kinds of highlights, in the order of equally strong ones.
var kinds = []struct {
	name string
	find func(*source) []Finding
}{
	{"line-rate", keyLineRate},
	{"paths", keyPaths},
	{"always", keyAlways},
	{"ratio", keyRatio},
	{"work", keyWork},
	{"latency", keyLatency},
	{"under-load", keyUnderLoad},
}

// Finding is a highlight with its rank and its link.
type Finding struct {
	record.Highlight
	// strength is the distance of the near end of the interval from no difference, as the absolute value of its logarithm.
	// Comparisons with physics are the strongest.
	strength float64
	About    []*record.Experiment
	// short is the text without medians; empty: it has none.
	short string
	Chart string // the element of the page that shows it; empty: none
}

// physics is the strength of findings that compare a path with its ceiling, and not with another system.
const physics = 1e3

// source is the input of findings, computed once.
type source struct {
	run      *record.Run
	rows     []result.Row
	contests []Contest
}

func newSource(r *record.Run, all []result.Row) *source {
	return &source{run: r, rows: all, contests: contests(r)}
}

// Found has the highlights of a run, for its text and its page. They are searched once, at the first use.
type Found struct {
	run  *record.Run
	once func() (*source, []Finding)
}

// Find returns the highlights of a run, which are searched at the first use.
func Find(r *record.Run) *Found {
	return &Found{run: r, once: sync.OnceValues(func() (*source, []Finding) {
		s := newSource(r, result.Rows(r))
		return s, findings(s)
	})}
}

// findings returns all findings that a run's data support, strongest first.
func findings(s *source) []Finding {
	var out []Finding
	for _, k := range kinds {
		for _, f := range k.find(s) {
			f.Kind, f.Experiments = k.name, []string{}
			for _, e := range f.About {
				f.Experiments = xslices.AppendNew(f.Experiments, e.ID)
			}
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(b.strength, a.strength) })
	return out
}

// Run returns the run of the findings.
func (f *Found) Run() *record.Run { return f.run }

// All returns the findings, strongest first.
func (f *Found) All() []Finding {
	_, all := f.once()
	return all
}

// Notes report how many comparisons support no claim, and why.
func (f *Found) Notes() []string {
	s, all := f.once()
	return s.notes(all)
}

// Findings returns the highlights of a run, strongest first.
func Findings(r *record.Run) []record.Highlight {
	_, found := Find(r).once()
	out := xslices.Map(found, func(f Finding) record.Highlight { return f.Highlight })
	return out
}

// notes report how many comparisons support no claim, and why.
func (s *source) notes(found []Finding) (out []string) {
	few, equal, judged, apart, most := 0, 0, 0, 0, 0
	for _, c := range s.contests {
		switch v := c.main; {
		case v == nil:
		case v.Interval != stat.Interval:
			few, most = few+1, max(most, v.N[0], v.N[1])
		default:
			judged++
			if !c.Turns {
				apart++
			}
			if !v.Different() {
				equal++
			}
		}
	}
	if few > 0 {
		out = append(out, fmt.Sprintf(
			"Of %s nothing is claimed: %s a side %s no 95 %% interval. At least %d do, better %d alternately (--repeats).",
			unit.Counted(few, "comparison"), unit.Counted(most, "repeat"), unit.If(most == 1, "carries", "carry"),
			stat.FewestApart, stat.FewestPairs))
	}
	if equal > 0 {
		out = append(out, fmt.Sprintf("Of %s no difference is shown.", unit.Counted(equal, "comparison")))
	}
	if judged >= 10 {
		out = append(out,
			fmt.Sprintf("Of %d comparisons between equal sides about %d would claim a difference by chance.", judged,
				(judged+10)/20))
	}
	if apart > 0 && slices.ContainsFunc(found, func(f Finding) bool { return f.Ratio != nil }) {
		out = append(out,
			fmt.Sprintf("%d of %d were not measured alternately: a machine that changed meanwhile looks like a "+
				"difference there.",
				apart, judged))
	}
	if n := skippedContests(s.run); n > 0 {
		out = append(out, fmt.Sprintf("Left out: %s of emulated machines, or of a protocol for which another is in.",
			unit.Counted(n, "experiment")))
	}
	return out
}

// InText returns the text of a finding without values that its chart and table have.
func (f Finding) InText() string {
	if f.short != "" {
		return format.PlainArrows(f.short)
	}
	return format.PlainArrows(f.Text)
}
