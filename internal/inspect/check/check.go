package check

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"

	"linerate/internal/record"
)

// Check is one check of hosts.
type Check struct {
	ID    string
	Title string // what it examines, in a few words
	Why   string // why it matters, in a sentence
	// Worst is the highest severity that it gives.
	Worst record.Severity
	// Source is the document that says why this matters, or how it was measured.
	Source string
	// Because are the checks whose findings about the same subject cause this one's, which then becomes a part of them.
	Because []string
	Look    func(w *World, r *Report)
}

// Report is what a check reports.
type Report struct {
	Findings []record.Finding
	unknown  []record.Unknown
	said     map[record.Unknown]bool // those of Unknown
	on       map[string]int          // of FoundOn: the index in alikes, by text
	alikes   []grouped
}

// Found adds a finding; about is what ties it to others.
func (r *Report) Found(f record.Finding, about ...record.Subject) {
	f.About = about
	f.Subject = f.Subject.Renamed(func(part string) string {
		return unnamed.ReplaceAllString(part, "a port that the snapshot does not name")
	})
	f.Fix, f.Undo = unnamed.ReplaceAllString(f.Fix, "INTERFACE"), unnamed.ReplaceAllString(f.Undo, "INTERFACE")
	r.Findings = append(r.Findings, f)
}

// unnamed matches the name in facts of a thing that neither an output nor its file name names.
var unnamed = regexp.MustCompile(`\bunnamed\d*\b`)

// NotKnown adds what could not be checked, with the reason, once.
func (r *Report) NotKnown(subject, format string, args ...any) {
	u := record.Unknown{Subject: subject, Reason: fmt.Sprintf(format, args...)}
	if r.said == nil {
		r.said = map[record.Unknown]bool{}
	}
	if !r.said[u] {
		r.said[u] = true
		r.unknown = append(r.unknown, u)
	}
}

// NotKnownOf adds something of a subject that could not be checked, as NotKnown does.
func (r *Report) NotKnownOf(subject record.Subject, what, format string, args ...any) {
	r.NotKnown(subject.String()+": "+what, format, args...)
}

// UnknownError is the error of an ID that is not of a check.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string { return fmt.Sprintf("no check is called %q", e.ID) }

// Choice is the checks that run: only these (empty: all), but not those.
type Choice struct{ Only, Skip []string }

// Validate returns an error for an ID that is not of a check.
func (c Choice) Validate(all []Check) error {
	for _, id := range slices.Concat(c.Only, c.Skip) {
		if !slices.ContainsFunc(all, func(k Check) bool { return k.ID == id }) {
			return &UnknownError{id}
		}
	}
	if len(c.Asked(all)) == 0 {
		return errors.New("--checks and --skip leave no check; linerate check --list shows them all")
	}
	return nil
}

func (c Choice) takes(id string) bool {
	return (len(c.Only) == 0 || slices.Contains(c.Only, id)) && !slices.Contains(c.Skip, id)
}

// Result has the findings of all checks, the most severe first.
type Result struct {
	Findings []record.Finding `json:"findings"`
	Unknown  []record.Unknown `json:"unknown"`
}

// Worst is the highest severity among the findings; empty: there are none.
func (r Result) Worst() record.Severity {
	worst := record.Severity("")
	for _, f := range r.Findings {
		if worst == "" || f.Severity.Rank() < worst.Rank() {
			worst = f.Severity
		}
	}
	return worst
}

// Run runs the chosen checks. It never panics: a check that does is an entry of Unknown.
func Run(all []Check, w *World, choice Choice) Result {
	out := Result{Findings: []record.Finding{}, Unknown: []record.Unknown{}}
	said := map[record.Unknown]bool{}
	for _, k := range all {
		if !choice.takes(k.ID) {
			continue
		}
		r := ask(k, w)
		for _, f := range r.Findings {
			f.ID, f.Source = k.ID, k.Source
			if f.Evidence == nil {
				f.Evidence = []record.EvidenceLine{}
			}
			out.Findings = append(out.Findings, f)
		}
		for _, u := range r.unknown {
			if !said[u] {
				said[u] = true
				out.Unknown = append(out.Unknown, u)
			}
		}
	}
	out.Findings = WithConsequences(all, out.Findings)
	slices.SortStableFunc(out.Findings, func(a, b record.Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.Rank(), b.Severity.Rank()), cmp.Compare(b.Loss.Or(0), a.Loss.Or(0)))
	})
	return out
}

// ask runs one check. A panic is a bug of linerate and does not stop the other checks.
func ask(k Check, w *World) (r *Report) {
	r = &Report{}
	defer func() {
		if p := recover(); p != nil {
			r.NotKnown("check "+k.ID, "internal error: %v\n%s", p, debug.Stack())
		}
	}()
	k.Look(w, r)
	return r
}

// WithConsequences moves each finding into the one that causes it: the first finding of a check in Because that is
// about one of the same things.
func WithConsequences(checks []Check, all []record.Finding) []record.Finding {
	type key struct{ id, about string }
	first := map[key]int{} // the first finding of a check about something
	for i, f := range all {
		for _, a := range f.About {
			k := key{f.ID, a.String()}
			if _, there := first[k]; !there {
				first[k] = i
			}
		}
	}
	because := map[string][]string{}
	for _, k := range checks {
		because[k.ID] = k.Because
	}
	reason := func(f record.Finding) int {
		at := -1
		for _, id := range because[f.ID] {
			for _, a := range f.About {
				if i, there := first[key{id, a.String()}]; there && (at < 0 || i < at) {
					at = i
				}
			}
		}
		return at
	}
	gone := map[int]bool{}
	for i, f := range all {
		at := reason(f)
		if at >= 0 && at != i {
			for n := 0; n < len(checks); n++ { // a cause may have a cause itself
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

// Asked returns the checks that it selects, in their order.
func (c Choice) Asked(all []Check) []Check {
	return slices.DeleteFunc(slices.Clone(all), func(k Check) bool { return !c.takes(k.ID) })
}

// Of returns the findings about a host, alone or with others.
func (r Result) Of(host string) (out []record.Finding) {
	for _, f := range r.Findings {
		if f.Of(host) {
			out = append(out, f)
		}
	}
	return out
}
