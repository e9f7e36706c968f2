package explain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"linerate/internal/record"
)

// step is an experiment that differs from the judged one in one thing: one that was chased, or one of the same file in a run that chases.
type step struct {
	change map[string]string
	exp    *record.Experiment
	c      *Case
}

// ratio is how many times as much as the judged experiment it carries.
func (s *step) ratio(c *Case) float64 { return s.c.Goodput / c.Goodput }

const (
	// alikeShare is how far two goodputs may be apart that are called the same: more than the repeats of a quiet machine differ by.
	alikeShare = 0.1
	// muchMore is from which factor on a change took something away, or put it there.
	muchMore = 2.0
	// fewerStreams is by which factor numbers of streams must differ to tell one connection from the path.
	fewerStreams = 4
)

func alikeRates(a, b float64) bool {
	return a > 0 && b > 0 && max(a, b)-min(a, b) <= alikeShare*max(a, b)
}

// by is the first step in which that alone is otherwise, far enough to say something; nil: there is none.
func (c *Case) by(key string) *step {
	all := c.allBy(key)
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func (c *Case) allBy(key string) (all []*step) {
	if c.Goodput <= 0 {
		return nil
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if _, ok := s.change[key]; !ok || len(s.change) != 1 {
			continue
		}
		if key == "streams" {
			if f := float64(streamsOf(s.exp)) / float64(streamsOf(c.Exp)); f < fewerStreams && f > 1.0/fewerStreams {
				continue
			}
		}
		all = append(all, s)
	}
	return all
}

// tried says whether an experiment with that change was begun, whether or not it came to figures.
func (c *Case) tried(change map[string]string) bool {
	for _, key := range slices.Sorted(maps.Keys(change)) {
		if len(change) == 1 && key != "pace" && key != "placement" && c.by(key) != nil {
			return true
		}
	}
	return slices.ContainsFunc(c.Exp.Chase, func(x *record.Experiment) bool { return x.Chased != nil && maps.Equal(x.Chased.Change, change) })
}

func streamsOf(e *record.Experiment) int {
	if n, err := strconv.Atoi(e.Settings["streams"]); err == nil && n > 0 {
		return n
	}
	return 1
}

// differs is the one change by which b is not a; ok is false where it is none, or more than one.
func differs(a, b *record.Experiment) (change map[string]string, ok bool) {
	if a == b || a.Method != b.Method || a.Variant != b.Variant || a.From != b.From || a.To != b.To || !slices.Equal(a.Ends, b.Ends) || !slices.Equal(a.Links, b.Links) {
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

// steps are the experiments that are held against one: those made for it, and, in a run that chases, those that its file has anyway.
func steps(r *record.Run, e *record.Experiment, caseOf func(*record.Experiment) *Case) (all []step) {
	add := func(x *record.Experiment, change map[string]string) {
		if x.Goodput == nil || x.Failed != "" || len(x.Repeats) == 0 {
			return
		}
		if c := caseOf(x); c != nil && c.Goodput > 0 {
			all = append(all, step{change, x, c})
		}
	}
	for _, x := range e.Chase {
		if x.Chased == nil {
			continue
		}
		// What it says of itself must be what it is.
		if change, ok := differs(e, x); ok && maps.Equal(change, x.Chased.Change) {
			add(x, change)
		}
	}
	for _, x := range r.Experiments {
		if change, ok := differs(e, x); ok && (r.Chase != nil || otherSize(e, x, change)) {
			add(x, change)
		}
	}
	return all
}

// evidence is what a step says beside the judged experiment, with both figures.
func (s *step) evidence(c *Case) record.Evidence {
	return record.Evidence{Host: s.c.Sender.Host, Source: "experiment " + s.exp.ID, Counter: "goodput", Before: ptr(c.Goodput), After: ptr(s.c.Goodput), Unit: "bit/s",
		Text: fmt.Sprintf("%s: %s; as it was: %s", changed(c.Exp, s.change), rate(s.c.Goodput), rate(c.Goodput))}
}

// changed says what a step has otherwise: "with 8 streams in place of 1".
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
			s += fmt.Sprintf("with %s in place of %d", plural(max(1, n), "stream"), streamsOf(e))
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
