package main

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/report"
	"linerate/internal/run"
)

// unreached refuses a run before anything is written, when the file and the environment say already that no host of what is to be measured can be
// got at.
func (j *job) unreached(path string, cells []*run.Cell) error {
	var without []string // a reach
	var other []string
	seen := map[string]bool{}
	for _, c := range cells {
		if c.Exp.NotRun != "" {
			continue
		}
		for _, name := range c.Hosts() {
			if seen[name] {
				continue
			}
			seen[name] = true
			_, err := j.reach(name)
			switch h := j.plan.Host(name); {
			case err == nil:
				return nil
			case h == nil || h.Reach == "":
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
		other = append(other, fmt.Sprintf("%s %s no reach in %s; write reach: ssh USER@%s under %s there, or measure in a lab on this machine: %s",
			firstOf(without, shown), has, path, without[0], without[0], report.Command([]string{"linerate", "run", path, "--lab"})))
	}
	return fail(exitIncomplete, fmt.Errorf("no host can be reached, so nothing can be measured:\n  %s", strings.Join(other, "\n  ")))
}
