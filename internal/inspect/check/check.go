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

// Check is something that is looked at on hosts that are there.
type Check struct {
	ID    string
	Title string // what it looks at, in a few words
	Why   string // why that matters, in a sentence
	// Worst is the highest severity that it gives.
	Worst record.Severity
	// Source is where it is written that this matters, or how it was measured.
	Source string
	// Because are checks whose findings about the same are the reason of this one's: it is then told as part of them.
	Because []string
	look    func(w *World, r *report)
}

// report is what a check has to say.
type report struct {
	findings []record.Finding
	unknown  []record.Unknown
	said     map[record.Unknown]bool // those of unknown
	on       map[string]int          // of foundOn: what is said, where it stands in alikes
	alikes   []grouped
}

// found adds a finding; about is what ties it to others.
func (r *report) found(f record.Finding, about ...string) {
	f.About = about
	f.Subject = unnamed.ReplaceAllString(f.Subject, "a port that the capture does not name")
	f.Fix, f.Undo = unnamed.ReplaceAllString(f.Fix, "INTERFACE"), unnamed.ReplaceAllString(f.Undo, "INTERFACE")
	r.findings = append(r.findings, f)
}

// unnamed stands in facts for what neither an output nor the name of its file names.
var unnamed = regexp.MustCompile(`\bunnamed\d*\b`)

func (r *report) notKnown(subject, format string, args ...any) {
	u := record.Unknown{Subject: subject, Reason: fmt.Sprintf(format, args...)}
	if r.said == nil {
		r.said = map[record.Unknown]bool{}
	}
	if !r.said[u] {
		r.said[u] = true
		r.unknown = append(r.unknown, u)
	}
}

// Choice says which checks are asked: only these (empty: all), but not those.
type Choice struct{ Only, Skip []string }

// Validate says which of the ids is of no check.
func (c Choice) Validate() error {
	for _, id := range slices.Concat(c.Only, c.Skip) {
		if !slices.ContainsFunc(checks, func(k Check) bool { return k.ID == id }) {
			return fmt.Errorf("%s: there is no check of that id; linerate check --list shows them all", id)
		}
	}
	if len(c.Asked()) == 0 {
		return errors.New("--only and --skip leave no check; linerate check --list shows them all")
	}
	return nil
}

func (c Choice) takes(id string) bool {
	return (len(c.Only) == 0 || slices.Contains(c.Only, id)) && !slices.Contains(c.Skip, id)
}

// Result is what all checks say: findings by what they cost, the dearest first.
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

// Run asks the chosen checks. It is total: a check that breaks is an entry of Unknown.
func Run(w *World, choice Choice) Result {
	out := Result{Findings: []record.Finding{}, Unknown: []record.Unknown{}}
	said := map[record.Unknown]bool{}
	for _, k := range checks {
		if !choice.takes(k.ID) {
			continue
		}
		r := ask(k, w)
		for _, f := range r.findings {
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
	out.Findings = told(out.Findings)
	slices.SortStableFunc(out.Findings, func(a, b record.Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.Rank(), b.Severity.Rank()), cmp.Compare(b.Loss.Or(0), a.Loss.Or(0)))
	})
	return out
}

// ask asks one check. A panic is a mistake of this program; the other checks are not lost for it.
func ask(k Check, w *World) (r *report) {
	r = &report{}
	defer func() {
		if p := recover(); p != nil {
			r.notKnown("check "+k.ID, "internal error: %v\n%s", p, debug.Stack())
		}
	}()
	k.look(w, r)
	return r
}

// told takes out what another finding is the reason of, and tells it there. The reason is the first finding of one of the checks that its own
// names (Because) which is about one of the same things.
func told(all []record.Finding) []record.Finding {
	type key struct{ id, about string }
	first := map[key]int{} // the first finding of a check about something
	for i, f := range all {
		for _, a := range f.About {
			if _, there := first[key{f.ID, a}]; !there {
				first[key{f.ID, a}] = i
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
				if i, there := first[key{id, a}]; there && (at < 0 || i < at) {
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
			for n := 0; n < len(checks); n++ { // the reason may have one itself
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

// Asked are the checks that it takes, in the order in which they are asked.
func (c Choice) Asked() []Check {
	return slices.DeleteFunc(Checks(), func(k Check) bool { return !c.takes(k.ID) })
}

// Checks returns all checks, in the order in which they are asked.
func Checks() []Check { return slices.Clone(checks) }

// Of are the findings about a host, alone or with others.
func (r Result) Of(host string) (out []record.Finding) {
	for _, f := range r.Findings {
		if f.Of(host) {
			out = append(out, f)
		}
	}
	return out
}
