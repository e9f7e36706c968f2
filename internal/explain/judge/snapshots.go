package judge

import (
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// SameValue compares two values of a parameter: 4K and 4KiB are one.
func SameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := unit.ParseBytes(a)
	y, err2 := unit.ParseBytes(b)
	return err1 == nil && err2 == nil && x == y
}

// PathOf finds the path of an experiment in its plan.
func PathOf(p *plan.Plan, e *record.Experiment) (plan.Path, bool) {
	return xslices.Find(p.Paths(e.From, e.To), func(path plan.Path) bool {
		return path.FromPort.ID == e.Ends[0].Port && path.ToPort.ID == e.Ends[1].Port
	})
}

// Loader parses each snapshot once.
type Loader struct {
	read func(string) ([]byte, error)
	Have map[string]*facts.Facts
}

// NewLoader returns a loader of the files that read returns.
func NewLoader(read func(name string) ([]byte, error)) Loader {
	return Loader{read: read, Have: map[string]*facts.Facts{}}
}

// Shots returns the snapshots of a host around an experiment.
func (l Loader) Shots(host, experiment, variant string) Shots {
	return Shots{Idle0: l.Facts(host, record.IdleOf(record.Idle, variant)),
		Idle1:  l.Facts(host, record.IdleOf(record.IdleEnd, variant)),
		Before: l.Facts(host, record.At(record.Before, experiment)), During: l.During(host, experiment),
		After: l.Facts(host, record.At(record.After, experiment))}
}

// During returns the snapshots that were taken while an experiment ran, in order.
func (l Loader) During(host, experiment string) (all []*facts.Facts) {
	for n := range record.MostDuring {
		if f := l.Facts(host, record.DuringOf(n, experiment)); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// Facts returns nil for a snapshot that does not exist or cannot be read.
func (l Loader) Facts(host, when string) *facts.Facts {
	name := runfolder.SnapshotName(host, when)
	if f, ok := l.Have[name]; ok {
		return f
	}
	var f *facts.Facts
	if text, err := l.read(name); err == nil {
		if parsed, err := read.Parse(text); err == nil {
			f = parsed
		}
	}
	l.Have[name] = f
	return f
}

// PlanOf returns the plan of an experiment: the run's own where its variant is not in the file (the other side of
// measure --compare-with).
func PlanOf(own *plan.Plan, by map[string]*plan.Plan, e *record.Experiment) *plan.Plan {
	if p := by[e.Variant]; p != nil {
		return p
	}
	return own
}

// Alike reports whether two experiments have the same settings, and, where the setting via distinguishes paths, the
// same path.
func Alike(a, b *record.Experiment) bool {
	if len(a.Settings) != len(b.Settings) {
		return false
	}
	for k, v := range a.Settings {
		if w, ok := b.Settings[k]; !ok || !SameValue(v, w) {
			return false
		}
	}
	if _, via := a.Settings["via"]; !via && strings.Join(a.Links, "\x00") != strings.Join(b.Links, "\x00") {
		return false
	}
	return true
}
