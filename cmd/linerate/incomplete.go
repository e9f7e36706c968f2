package main

import (
	"fmt"
	"strings"

	"linerate/internal/explain"
	"linerate/internal/record"
)

// mostReasons bounds the reasons of one sentence.
const mostReasons = 3

// incomplete says why a run that came to its end is incomplete: what was not measured, and which goals are not known, each with its reason; nil: nothing is. What the page
// and the terminal say of goals has those in it that a lab cannot know, too, which change no exit code.
func incomplete(r *record.Run) error {
	var reasons []string
	cells, why := 0, ""
	for _, x := range r.Experiments {
		reason := x.NotRun
		if reason == "" {
			reason = x.Failed
		}
		if reason == "" {
			continue
		}
		if cells++; cells == 1 {
			why = explain.Cell(x) + ": " + reason
			if x.Name != "" {
				why = x.Name + " " + why
			}
		}
	}
	switch {
	case cells == 1:
		reasons = append(reasons, "not measured: "+why)
	case cells > 1:
		reasons = append(reasons, fmt.Sprintf("%d of %d experiments were not measured, the first of them %s", cells, len(r.Experiments), why))
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
			reasons = append(reasons, explain.Cell(x)+": whether it is passed is not known")
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	if more := len(reasons) - mostReasons; more > 0 {
		reasons = append(reasons[:mostReasons], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("incomplete (exit code %d): %s", exitIncomplete, strings.Join(reasons, "; "))
}
