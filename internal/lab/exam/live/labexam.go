package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
)

// batch is the number of faults for one linerate lab exam. Other work on the machine is observed between two of them.
const batch = 8

// labExam runs linerate lab exam, each try with a seed of its own.
func (x *examiner) labExam() {
	var ids []string
	for _, f := range fault.All() {
		if !f.Scenario.Guests() && x.wanted(one{group: examGroup, name: f.ID}) {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	fabric, err := x.copy("examples/exam.yaml", "speed: 100G", "speed: "+bits(x.fast))
	if err != nil {
		x.failed(one{group: examGroup, name: "exam.yaml"}, err)
		return
	}
	for try := range x.tries {
		seed := x.seed + try
		x.seeds = append(x.seeds, seed)
		for n := 0; n < len(ids); n += batch {
			if x.ctx.Err() != nil {
				return
			}
			x.pause()
			x.oneExam(fabric, seed, n/batch, ids[n:min(n+batch, len(ids))], try == 0)
		}
	}
}

// oneExam runs linerate lab exam for some faults and counts its outcomes.
func (x *examiner) oneExam(fabric string, seed, n int, ids []string, first bool) {
	dir := filepath.Join(x.keep, fmt.Sprintf("exam-%d-%d", seed, n))
	if err := os.RemoveAll(dir); err != nil {
		x.failed(one{group: examGroup, name: ids[0]}, err)
		return
	}
	args := []string{"lab", "exam", fabric, "--seed", fmt.Sprint(seed), "--rate", bits(x.near), "--healthy-every",
		fmt.Sprint(x.every), "--faults", strings.Join(ids, ",")}
	text, err := x.patient(len(ids)*2, append(args, "-o", dir, "--json")...)
	var e struct {
		LeftOut  []string `json:"left_out"`
		Outcomes []exam.Outcome
	}
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		for _, id := range ids {
			x.failed(one{group: examGroup, name: id}, err)
		}
		return
	}
	if first {
		x.leftOut = append(x.leftOut, e.LeftOut...)
	}
	for _, o := range e.Outcomes {
		c := one{group: examGroup, name: o.Fault, truth: []string{o.Truth}}
		if o.Fault == "" {
			t := exam.Trial{Scenario: o.Scenario, Transport: o.Transport}
			c.name, c.healthy, c.truth = t.Name(), true, fault.Healthy(o.Scenario, o.Transport)
		}
		sentence := o.Sentence
		if o.Mark == exam.Failed {
			sentence = o.Error
		}
		x.counted(c, o.Mark, &record.Verdict{Limiter: o.Limiter, Confidence: o.Confidence, Sentence: sentence})
		if o.Mark == exam.Right {
			x.recorded(c, c.truth, filepath.Join(dir, o.Folder, "run"),
				made{"linerate " + strings.ReplaceAll(strings.Join(args, " "), fabric, filepath.Base(fabric)), o.Fault})
		}
	}
}
