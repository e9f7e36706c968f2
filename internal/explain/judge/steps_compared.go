package judge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Step is an experiment that differs from the judged one in one thing: a step of its follow-up, or an experiment of the
// same file in a run that follows up.
type Step struct {
	Change     map[string]string
	Experiment *record.Experiment
	Case       *Case
}

// Ratio returns the step's goodput over that of the judged experiment.
func (s *Step) Ratio(c *Case) float64 { return s.Case.Goodput / c.Goodput }

const (
	// SameGoodputShare is the largest difference of two equal goodputs, as a share. Repeats on a quiet machine differ by
	// less.
	SameGoodputShare = 0.1
	// DecisiveFactor is the factor from which on a change removed or added a bottleneck.
	DecisiveFactor = 2.0
	// StreamsFactor is the factor by which numbers of streams must differ to distinguish a limit of one connection from
	// one of the path.
	StreamsFactor = 4
)

// SameGoodput reports whether two goodputs are within SameGoodputShare of each other.
func SameGoodput(a, b float64) bool {
	return a > 0 && b > 0 && max(a, b)-min(a, b) <= SameGoodputShare*max(a, b)
}

// StepBy returns the first step in which only this setting differs, by enough; nil: there is none.
func (c *Case) StepBy(key string) *Step {
	all := c.StepsBy(key)
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// StepsBy returns the steps in which only this setting differs.
func (c *Case) StepsBy(key string) (all []*Step) {
	if c.Goodput <= 0 {
		return nil
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if _, ok := s.Change[key]; !ok || len(s.Change) != 1 {
			continue
		}
		if key == "streams" {
			if f := float64(StreamsOf(s.Experiment)) / float64(StreamsOf(c.Exp)); f < StreamsFactor && f > 1.0/StreamsFactor {
				continue
			}
		}
		all = append(all, s)
	}
	return all
}

// Tried reports whether an experiment with that change was started, whether or not it gave figures.
func (c *Case) Tried(change map[string]string) bool {
	for _, key := range slices.Sorted(maps.Keys(change)) {
		if len(change) == 1 && key != "pace" && key != "placement" && c.StepBy(key) != nil {
			return true
		}
	}
	return slices.ContainsFunc(c.Exp.FollowUp, func(x *record.Experiment) bool {
		return x.FollowedUp != nil &&
			maps.Equal(x.FollowedUp.Change, change)
	})
}

// StreamsOf returns the number of streams of an experiment.
func StreamsOf(e *record.Experiment) int {
	if n, err := strconv.Atoi(e.Settings["streams"]); err == nil && n > 0 {
		return n
	}
	return 1
}

// differs returns the single change from a to b; ok is false where there is none, or more than one.
func differs(a, b *record.Experiment) (change map[string]string, ok bool) {
	if a == b || a.Method != b.Method || a.Variant != b.Variant || a.From != b.From || a.To != b.To ||
		!slices.Equal(a.Ends, b.Ends) || !slices.Equal(a.Links, b.Links) {
		return nil, false
	}
	change = map[string]string{}
	if a.Direction != b.Direction {
		change["direction"] = b.Direction
	}
	for _, m := range []map[string]string{a.Settings, b.Settings} {
		for k := range m {
			if a.Settings[k] != b.Settings[k] {
				change[k] = b.Settings[k]
			}
		}
	}
	return change, len(change) == 1
}

// Steps returns the experiments that are compared with e: those of its follow-up, and, in a run that follows up, those
// of its file.
func Steps(r *record.Run, e *record.Experiment, caseOf func(*record.Experiment) *Case) (all []Step) {
	add := func(x *record.Experiment, change map[string]string) {
		if x.Goodput == nil || x.Failed != "" || len(x.Repeats) == 0 {
			return
		}
		if c := caseOf(x); c != nil && c.Goodput > 0 {
			all = append(all, Step{change, x, c})
		}
	}
	for _, x := range e.FollowUp {
		if x.FollowedUp == nil {
			continue
		}
		// The recorded change must be the actual one.
		if change, ok := differs(e, x); ok && maps.Equal(change, x.FollowedUp.Change) {
			add(x, change)
		}
	}
	for _, x := range r.Experiments {
		if change, ok := differs(e, x); ok && (r.FollowUp != nil || otherSize(e, x, change)) {
			add(x, change)
		}
	}
	return all
}

// Evidence returns the comparison of the step with the judged experiment, with both figures.
func (s *Step) Evidence(c *Case) record.Evidence {
	return record.Evidence{Host: s.Case.Sender.Host, Source: "experiment " + s.Experiment.ID, Counter: "goodput",
		Before: new(c.Goodput), After: new(s.Case.Goodput), Unit: "bit/s",
		Text: fmt.Sprintf("%s: %s; as it was: %s", changed(c.Exp, s.Change), Rate(s.Case.Goodput), Rate(c.Goodput))}
}

// changed describes what differs in a step: "with 8 streams in place of 1".
func changed(e *record.Experiment, change map[string]string) string {
	s := ""
	for _, k := range slices.Sorted(maps.Keys(change)) {
		if s != "" {
			s += ", "
		}
		was := e.Settings[k]
		switch v := change[k]; {
		case k == "streams":
			n, _ := strconv.Atoi(v)
			s += fmt.Sprintf("with %s in place of %d", unit.Counted(max(1, n), "stream"), StreamsOf(e))
		case k == "direction":
			s += "in the direction " + v + " in place of " + e.Direction
		case k == "pace" && v != "":
			s += "with each stream paced to " + v
		case k == "source" && v == "":
			s += "from memory in place of " + was
		case k == "mtu":
			s += "with MTU " + v
		case k == "placement":
			s += "with the threads on cores " + v
		case v == "":
			s += "without " + k + " " + was
		default:
			s += fmt.Sprintf("with %s %s", k, v)
		}
	}
	return s
}

const (
	// SameSizeShare is the difference of two request sizes, as a share, up to which their goodput should be the same.
	SameSizeShare = 0.02
	// CacheLine is the unit in which a NIC fetches from memory, in bytes: a cache line of the CPUs.
	CacheLine = 64
)

// otherSize reports whether two experiments of verbs differ only in the size of their requests. These are compared in
// every run.
func otherSize(a, b *record.Experiment, change map[string]string) bool {
	_, ok := change["size"]
	return ok && len(change) == 1 && method.Named(a.Method).UsesRDMA && method.Named(b.Method).UsesRDMA
}
