package design

import (
	"bytes"
	"encoding/json"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/report/terminal"
)

const oldDesign = `fabric: old
hosts:
  nas: {os: linux, nics: {x: {part: &card {kind: nic, speed: 10G, ports: 2, cage: sfp+, bus: pcie3x8}, price: 30 USD}}}
  pc: {os: linux, nics: {x: {part: *card, price: 30 USD}}}
  lab: {os: linux, nics: {x: {part: *card, price: 30 USD}}}
links:
  - {mesh: [nas, pc, lab], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 3m}, price: 10 USD}}
spares: [{part: *card, price: 30 USD}]
`

const newDesign = `fabric: new
hosts:
  nas: {os: linux, nics: {x: {part: &card {kind: nic, speed: 40G, cage: qsfp+, bus: pcie3x8}, price: 25 USD}}}
  pc: {os: linux, nics: {x: {part: *card, price: 25 USD}}}
  lab: {os: linux, nics: {x: {part: *card}}}
  vm: {os: linux, on: lab, nics: {v: {vf: lab.x}}}
switches:
  sw: {part: {kind: switch, speed: 40G, ports: 4, cage: qsfp+}, price: 1000 CNY}
links:
  - {ends: [nas.x, sw.1]}
  - {ends: [pc.x, sw.2]}
  - {ends: [lab.x, sw.3]}
`

func TestPlanCompare(t *testing.T) {
	made := func(text string) *plan.Plan {
		f, problems := fabric.Parse("x.yaml", []byte(text), fabric.Options{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return plan.Build(f)
	}
	c := plan.Compare(made(oldDesign), made(newDesign))
	c.ProblemsA, c.ProblemsB = c.ProblemsA[:0], []record.Problem{
		{ID: "slot", Severity: record.Warning, Subject: "nas.x", Message: "it is narrow", Fix: "take another"},
	} // the rules have tests of their own
	var b bytes.Buffer
	if err := PrintPlanCompare((terminal.Terminal{Width: 80, Out: &b}), c); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/plan-compare-80.txt", b.String())
	b.Reset()
	if err := CompareJSON(&b, c); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["schema"] != PlanCompareSchema {
		t.Errorf("%v: %v", err, back["schema"])
	}
	golden.Compare(t, "testdata/plan-compare.json", b.String())
}
