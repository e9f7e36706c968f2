package job

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/explain"
	"linerate/internal/explain/goals"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/run/experiment"
)

// maxReasons limits the reasons of one sentence.
const maxReasons = 3

// incomplete is why a finished run is incomplete: what was not measured, and which goals are unknown, each with its
// reason; nil: it is complete. Page and terminal also list the goals that a lab cannot know; these change no exit code.
func incomplete(r *record.Run) error {
	var reasons []string
	combinations, why := 0, ""
	for _, x := range r.Experiments {
		reason := x.NotRun
		if reason == "" {
			reason = x.Failed
		}
		if reason == "" && arrivedNothing(x) {
			reason = "nothing arrived"
		}
		if reason == "" {
			continue
		}
		if combinations++; combinations == 1 {
			why = goals.Combination(x) + ": " + reason
			if x.Name != "" {
				why = x.Name + " " + why
			}
		}
	}
	switch {
	case combinations == 1:
		reasons = append(reasons, "not measured: "+why)
	case combinations == len(r.Experiments) && combinations > 1 && strings.HasPrefix(r.Sentence, explain.Nothing):
		first, _ := headline.FirstSentence(r.Sentence)
		reasons = append(reasons, strings.TrimSuffix(first, "."))
	case combinations > 1:
		reasons = append(reasons,
			fmt.Sprintf("%d of %d tests were not measured, the first of them %s", combinations, len(r.Experiments), why))
	}
	unknown := map[string][]string{}
	var order []string
	for _, g := range r.Goals {
		if g.Met != nil || g.NotHere {
			continue
		}
		if unknown[g.Why] == nil {
			order = append(order, g.Why)
		}
		unknown[g.Why] = append(unknown[g.Why], g.Name)
	}
	for _, why := range order {
		noun := "goal"
		if len(unknown[why]) > 1 {
			noun = "goals"
		}
		reasons = append(reasons, fmt.Sprintf("%s %s not known: %s", noun, strings.Join(unknown[why], ", "), why))
	}
	for _, x := range r.Experiments {
		if x.Acceptance != nil && x.Acceptance.Passed == nil || x.Proof != nil && x.Proof.State == record.NotKnown {
			reasons = append(reasons, goals.Combination(x)+": whether it is passed is not known")
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	if more := len(reasons) - maxReasons; more > 0 {
		reasons = append(reasons[:maxReasons], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("incomplete (exit code %d): %s", cli.ExitIncomplete, strings.Join(reasons, "; "))
}

// arrivedNothing reports whether a test of throughput moved nothing, in one of its directions at least.
func arrivedNothing(x *record.Experiment) bool {
	if !method.Named(x.Method).Bulk || x.Goodput == nil || len(x.Repeats) == 0 {
		return false
	}
	none := func(v *record.Estimate) bool { return v != nil && v.Median <= 0 }
	return none(x.Goodput) || x.Direction == "both" && (none(x.Forward) || none(x.Backward))
}

// unreached refuses a run before anything is written, when file and environment already show that no host to measure
// has a connection.
func (j *Job) unreached(path string, combinations []*experiment.Combination) error {
	var without []string // without a connection
	var other []string
	seen := map[string]bool{}
	for _, c := range combinations {
		if c.Record.NotRun != "" {
			continue
		}
		for _, name := range c.Hosts() {
			if seen[name] {
				continue
			}
			seen[name] = true
			_, err := j.connection(name)
			switch h := j.Plan.Host(name); {
			case err == nil:
				return nil
			case h == nil || h.Connection == "":
				without = append(without, name)
			default:
				other = append(other, fmt.Sprintf("%s: %v", name, err))
			}
		}
	}
	if len(seen) == 0 {
		return nil
	}
	const shown = 5
	slices.Sort(other)
	other = other[:min(len(other), shown)]
	if n := len(without); n > 0 {
		has := "has"
		if n > 1 {
			has = "have"
		}
		other = append(other,
			fmt.Sprintf("%s %s no connection in %s; write connect: ssh USER@%s under %s there, or measure in a lab on this "+
				"machine: %s",
				cli.FirstOf(without, shown), has, path, without[0], without[0],
				format.Command([]string{"linerate", "run", path, "--lab"})))
	}
	return cli.Fail(cli.ExitIncomplete,
		fmt.Errorf("no host can be reached, so nothing can be measured:\n  %s", strings.Join(other, "\n  ")))
}
