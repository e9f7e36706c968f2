package headline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	limiters "linerate/internal/explain/cause"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// Headline is what a run found.
type Headline struct {
	// Sentences are the answer; the first one begins every report.
	Sentences []string
	More      string // what the run's own sentence has besides
	// Own is the run's own sentence, where it begins with something else than the leading cause; else empty.
	Own string
	// Lead is the cause that the answer begins with; nil: it is not one of a slow path.
	Lead *Cause
	// Carries reports whether the answer is the figure of the leading cause, and not its verdict.
	Carries bool
}

// First returns the sentence that begins every report.
func (h Headline) First() string { return h.Sentences[0] }

// Rest returns everything behind the first sentence.
func (h Headline) Rest() string {
	return strings.Join(slices.DeleteFunc(append(slices.Clone(h.Sentences[1:]), h.More, h.Own),
		func(s string) bool { return s == "" }), " ")
}

// Of returns what a run found: the figure of its worst path next to the ceiling with the bottleneck, or else the run's
// own sentence.
func Of(r *record.Run) Headline {
	lead, more, begins := leading(r, Causes(r))
	h := Headline{Lead: lead, More: more}
	first := ""
	if lead != nil {
		first = carries(r, lead)
	}
	if first == "" {
		first, h.More = FirstSentence(answer(r))
		h.Sentences = []string{first}
		return h
	}
	h.Carries = true
	if !begins {
		h.Own = answer(r)
	}
	if n := r.SlowNode; n != nil {
		h.Sentences = append(h.Sentences, format.Clean(n.Sentence))
	}
	h.Sentences = append(h.Sentences, first)
	if text := bottleneck(lead); text != "" {
		h.Sentences = append(h.Sentences, text)
	}
	return h
}

// answer returns the run's sentence, or, without one, what is certain.
func answer(r *record.Run) string {
	if s := format.Clean(r.Sentence); s != "" {
		return s
	}
	for _, e := range r.Experiments {
		if e.Goodput != nil || e.Latency != nil || e.Seconds != nil || e.Figure != nil || e.Bytes != nil {
			return "The bottleneck is not known; the figures are below."
		}
	}
	return "Nothing was measured."
}

// FirstSentence splits the first sentence from the rest.
func FirstSentence(s string) (first, more string) {
	i := strings.Index(s, ". ")
	if i < 0 {
		return s, ""
	}
	return s[:i+1], strings.TrimSpace(s[i+2:])
}

// carries is the figure of the leading cause next to its ceiling; empty: the cause is not of a link.
func carries(r *record.Run, lead *Cause) string {
	e := lead.Worst
	if !method.Named(e.Method).Bulk || e.Goodput == nil || e.Ceiling == nil || e.Ceiling.Planned() <= 0 || e.Failed != "" {
		return ""
	}
	of := float64(e.Ceiling.Planned())
	low, high := format.Rate(e.Goodput.Median), format.Rate(of)
	if a, z, ok := format.SameUnit(low, high); ok {
		low, high = a, z
	}
	s := fmt.Sprintf("%s carries %s of %s (%s)", format.Clean(e.Path()), low, high, unit.Percent(e.Goodput.Median/of))
	varying := result.VaryingKeys(r.Experiments)[e.Name]
	if with := result.CombinationOf(e, varying).Label(); with != "" && severalWays(r, e) {
		s += " with " + with
	}
	if lead.Verdict.Limiter == record.LimiterUnexplained {
		return s + ". The cause was not found."
	}
	return s + "."
}

// severalWays reports whether the path of an experiment was measured with several settings.
func severalWays(r *record.Run, e *record.Experiment) bool {
	return slices.ContainsFunc(r.Experiments, func(x *record.Experiment) bool {
		return x != e && x.Name == e.Name && x.Path() == e.Path() && x.Variant == e.Variant
	})
}

// bottleneck names the leading cause; empty: it was not found.
func bottleneck(c *Cause) string {
	v := c.Verdict
	if v.Limiter == record.LimiterUnexplained || v.Limiter == record.LimiterUnknown || v.Limiter == "" {
		return ""
	}
	s := "Bottleneck: " + LimiterOf(c.Worst, true)
	if v.Confidence == "likely" {
		s += " (likely)"
	}
	return s + "."
}

// LimiterOf names what limits an experiment: "receive window of nas", "none: link is full". With long it also names
// components that are not hosts.
func LimiterOf(e *record.Experiment, long bool) string {
	v := e.Verdict
	known := v != nil && v.Limiter != "" && v.Limiter != record.LimiterUnknown && v.Limiter != record.LimiterUnexplained
	switch {
	case e.Failed != "" && !known:
		return "failed"
	case v == nil || v.Limiter == "" || v.Limiter == record.LimiterUnknown:
		return format.NotKnown
	case v.Limiter == record.LimiterLink:
		return "none: link is full"
	case v.Limiter == record.LimiterUnexplained:
		return "not found"
	}
	words := unit.If(e.Failed != "", "failed: ", "") + LimiterWords(v.Limiter)
	component := format.Clean(v.Component)
	host, _, _ := strings.Cut(component, ": ")
	if host == e.From || host == e.To {
		return words + " of " + host
	}
	if long && host != "" && !strings.Contains(host, "--") && !strings.EqualFold(words, host) {
		return words + ", " + host
	}
	return words
}

// LimiterWords returns the short name of a limiter for a table; any other limiter is printed as its ID with spaces.
func LimiterWords(id string) string {
	if id == "" || id == record.LimiterUnknown {
		return format.NotKnown
	}
	return cmp.Or(limiters.Label(id), strings.ReplaceAll(format.Clean(id), "-", " "))
}
