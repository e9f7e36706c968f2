package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// judged is the variable that makes the test binary replace the program under test. Its value is the verdict that it
// gives on everything.
const judged = "LINERATE_STANDS_IN"

func TestMain(m *testing.M) {
	if verdict := os.Getenv(judged); verdict != "" {
		os.Exit(substitute(verdict, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// substitute prints the output of linerate.
func substitute(verdict string, args []string) int {
	at := func(flag string) string {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	yes := true
	loss, share, low, high := 100.0, 0.002, 1.9e8, 2.1e8
	one := &record.Experiment{ID: "1", Goodput: &record.Estimate{Median: 2e10},
		Verdict: &record.Verdict{Limiter: verdict, Sentence: "It is " + verdict + "."}}
	for _, name := range []string{"sent", "received", "resent"} {
		one.Accounts = append(one.Accounts, record.Account{Name: name, Closes: &yes, Left: record.Entry{Value: &loss},
			Sentence: "by qdisc.drops of sw1.2 on sw1"})
	}
	var answer any
	switch words := strings.Join(args[:2], " "); {
	case words == "doctor --self":
		answer = record.Instrument{CopyMemory: 1e10}
	case args[0] == "run":
		if verdict == "broken" {
			fmt.Fprintln(os.Stderr, "error: it does not run")
			return 1
		}
		if err := os.MkdirAll(at("-o"), 0o755); err != nil {
			return 1
		}
		if err := os.WriteFile(filepath.Join(at("-o"), runfolder.ManifestName), []byte("{}"), 0o644); err != nil {
			return 1
		}
		answer = record.Run{Experiments: []*record.Experiment{one},
			Goals: []record.Goal{{Name: "saturated", Met: &yes}}, Evidence: &record.EvidenceCost{Share: &share}}
	case args[0] == "whatif":
		answer = record.WhatIf{Experiments: []record.WhatIfOne{
			{Limiter: verdict, Goodput: record.Estimate{Median: 1.8e8}, Predicted: &record.Band{Low: &low, High: &high},
				Measured: &record.WhatIfMeasured{Goodput: record.Estimate{Median: 2e8}}},
		}}
	case words == "lab up":
		answer = map[string]string{"id": "ab12"}
	case words == "lab exam":
		var outcomes []exam.Outcome
		for i, id := range append(strings.Split(at("--faults"), ","), "") {
			o := exam.Outcome{Scenario: fault.Near, Truth: "healthy", Limiter: verdict, Folder: fmt.Sprintf("trial-%03d", i)}
			t := exam.Trial{Scenario: fault.Near}
			if id != "" {
				t.Fault = fault.Find(id)
				o.Fault, o.Truth = id, t.Fault.Cause
			}
			o.Mark = t.Judge(verdict)
			outcomes = append(outcomes, o)
			if err := os.MkdirAll(filepath.Join(at("-o"), o.Folder, "run"), 0o755); err != nil {
				return 1
			}
		}
		answer = map[string]any{"left_out": []string{"backlog-short needs guests"}, "outcomes": outcomes}
	default: // lab exec, lab fault, lab down
		return 0
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		return 1
	}
	return 0
}

// sitting runs an exam of a program that gives one verdict on everything, on a machine with this share of other work
// and this number of cores.
func sitting(t *testing.T, verdict string, others float64, cores int, flags ...string) (int, *score, string, string) {
	t.Helper()
	t.Setenv(judged, verdict)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var out, errs bytes.Buffer
	o, err := parse(append(
		[]string{"-root", "../../../..", "-o", filepath.Join(dir, "out"), "-record", filepath.Join(dir, "record"),
			"-linerate", self},
		flags...), &errs)
	if err != nil {
		t.Fatal(err)
	}
	o.watch.before, o.watch.pause, o.cores = 0, 0, cores
	var clock coreTimes
	o.watch.times = func() coreTimes {
		clock = clock.plus(coreTimes{worked: others, all: 1})
		return clock
	}
	code := o.exam(t.Context(), &out, &errs)
	text, err := os.ReadFile(filepath.Join(dir, "out", "score.json"))
	if err != nil {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, &out, &errs)
	}
	s := &score{}
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	return code, s, out.String(), filepath.Join(dir, "record")
}

// A program that always says "link" is right only about healthy labs: every group counts, and the promise is not kept.
func TestExamOfOneVerdict(t *testing.T) {
	code, s, out, record := sitting(t, "link", 0.01, 2, "-tries", "2", "-seed", "5", "-only",
		"spoiled lab: (healthy|local-shaper|paced|firewall-cost)|groups|mesh|chase|what-if|accounts: |lab exam: "+
			"(shaper-tbf|link-slow)")
	if code != exitBroken {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	if s.Schema != scoreSchema || s.Tries != 2 || !slices.Equal(s.Seeds, []int{5, 6}) || s.Near != 200e6 ||
		s.Fast != 100e9 || s.MachineLine == "" {
		t.Errorf("%+v", s)
	}
	for _, c := range s.Cases {
		want := exam.Tally{Wrong: 2}
		if c.Healthy || c.Group == "what-if" || c.Name == "switch-drops" {
			want = exam.Tally{Right: 2}
		}
		if c.Name == "cost of looking" {
			want = exam.Tally{Right: 4}
		}
		if c.Tally != want {
			t.Errorf("%s: %s: %+v, want %+v", c.Group, c.Name, c.Tally, want)
		}
	}
	if len(s.Cases) < 17 || s.Healthy.Wrong != 0 || s.Faults.Wrong == 0 || len(s.Trials) != s.All() {
		t.Errorf("%d cases, %d trials, faults %+v, healthy %+v", len(s.Cases), len(s.Trials), s.Faults, s.Healthy)
	}
	var kept truth
	text, err := os.ReadFile(filepath.Join(record, "healthy", "truth.json"))
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil || !slices.Equal(kept.Truth, []string{"link"}) ||
		kept.Made != "linerate run three.yaml --in-lab ID --repeats 1" {
		t.Errorf("%v: %+v", err, kept)
	}
	for _, name := range []string{"healthy/" + runfolder.ManifestName, "healthy-near/truth.json", "two-mtus/truth.json",
		"switch-drops/truth.json", "groups-pairs/truth.json"} {
		if _, err := os.Stat(filepath.Join(record, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(record, "local-shaper")); err == nil {
		t.Error("a run folder with a wrong verdict is recorded")
	}
}

// The promise is kept by right verdicts, is not judged on a busy machine, and failed trials are counted separately.
func TestExamResults(t *testing.T) {
	for _, c := range []struct {
		name, verdict string
		others        float64
		cores         int
		flags         []string
		code          int
		want          string
	}{
		{"kept", "link", 0.01, 2, nil, exitKept, "The promise is kept."},
		{"busy", "link", 0.5, 2, nil, exitNotJudged, "This machine cannot be judged by: other processes take 50 %"},
		{"busy, and judged anyway", "link", 0.5, 2, []string{"-anyway"}, exitNotJudged, "healthy labs    3 right (100.0 %)"},
		{"one core", "link", 0.01, 1, nil, exitNotJudged, "it has 1 core, and a sender and a receiver take one each"},
		{"accused", "policer", 0.01, 2, nil, exitBroken, "3 healthy labs are accused"},
		{"unknown", "unexplained", 0.01, 2, nil, exitBroken, "0 wrong (0.0 %), 3 unknown"},
	} {
		code, s, out, _ := sitting(t, c.verdict, c.others, c.cores, append(c.flags, "-only", "groups: pairs")...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", c.name, code, c.code, c.want, out)
		}
		refused := c.code == exitNotJudged
		if refused != (s.Result == resultNotJudged) || (len(s.Cases) == 0) != (refused && len(c.flags) == 0) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	t.Setenv(judged, "broken")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := start(t.Context(), []string{"-root", "../../../..", "-linerate", self, "-only", "nothing"}, &out,
		&errs); code != exitInput || !strings.Contains(errs.String(), "it does not run") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	for _, args := range [][]string{{"-tries", "0"}, {"-only", "("}, {"word"}, {"-nothing"}} {
		if code := start(t.Context(), args, &out, &errs); code != exitInput {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}

func TestMarks(t *testing.T) {
	yes, no, many, few := true, false, 100.0, 3.0
	account := func(closes *bool, lost *float64, sentence string) []record.Account {
		return []record.Account{
			{Name: "sent", Closes: &yes},
			{Name: "received", Closes: &yes},
			{Name: "resent", Closes: closes, Left: record.Entry{Value: lost}, Sentence: sentence},
		}
	}
	for name, c := range map[string]struct {
		all  []record.Account
		want exam.Mark
	}{
		"closes": {account(&yes, &many, "by sw1"), exam.Right}, "open": {account(&no, &many, "by sw1"), exam.Wrong},
		"elsewhere": {account(&yes, &many, "by sw2"), exam.Wrong},
		"not known": {account(nil, &many, "by sw1"), exam.Unknown}, "missing": {nil, exam.Unknown},
		"few": {account(&yes, &few, "by sw1"), exam.Unknown},
	} {
		if got, _, _ := closes(c.all, "by sw1"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	low, high := 190.0, 210.0
	for got, want := range map[float64]exam.Mark{200: exam.Right, 185: exam.Right, 150: exam.Wrong, 250: exam.Wrong} {
		one := record.WhatIfOne{Limiter: "link", Goodput: record.Estimate{Median: 180},
			Predicted: &record.Band{Low: &low, High: &high},
			Measured:  &record.WhatIfMeasured{Goodput: record.Estimate{Median: got}}}
		if m, _ := predicted(one); m != want {
			t.Errorf("measured %g: %s, want %s", got, m, want)
		}
		one.Limiter = "unexplained"
		if m, _ := predicted(one); m != exam.Unknown {
			t.Errorf("an unexplained run: %s", m)
		}
	}
}
