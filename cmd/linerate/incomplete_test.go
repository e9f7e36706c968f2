package main

import (
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// What ends with the exit code of incomplete runs says what is not known and why, and leaves out what a lab cannot know: that changes no exit code.
func TestIncomplete(t *testing.T) {
	yes := true
	none := &record.Run{Goals: []record.Goal{{Name: "topline", NotHere: true, Why: "in a lab"}, {Name: "met", Met: &yes}}}
	if err := incomplete(none); err != nil {
		t.Error(err)
	}
	if err := outcome(&plan.Plan{}, none); err != nil {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
	const other = "it compares with variant ten, which is not in this run"
	r := &record.Run{
		Goals: []record.Goal{{Name: "topline", NotHere: true, Why: "in a lab"}, {Name: "faster", Why: other}, {Name: "faster-too", Why: other}},
		Experiments: []*record.Experiment{
			{Name: "luns", From: "a", To: "b", Settings: map[string]string{"size": "4KiB"}},
			{Name: "luns", From: "a", To: "b", Settings: map[string]string{"size": "8KiB"}, Failed: "the server is gone"},
			{Name: "luns", From: "a", To: "b", Settings: map[string]string{"size": "16KiB"}, NotRun: "no room"}},
	}
	err := outcome(&plan.Plan{}, r)
	if exitCode(err) != exitIncomplete {
		t.Fatalf("exit code %d", exitCode(err))
	}
	for _, want := range []string{"2 of 3 experiments were not measured, the first of them luns", "size 8KiB: the server is gone", "goals faster, faster-too not known: " + other} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	if strings.Contains(err.Error(), "topline") {
		t.Errorf("a goal that changes no exit code: %q", err)
	}
}
