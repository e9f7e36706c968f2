package plan_test

import (
	"slices"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
)

const direct = `fabric: direct
hosts:
  a: {os: linux, nics: {x: {part: MNPA19-XTR}}}
  b: {os: linux, nics: {x: {part: MNPA19-XTR}}}
links:
  - {ends: [a.x, b.x], cable: {part: SFP+-DAC-3m}}
`

const switched = `fabric: switched
hosts:
  a: {os: linux, nics: {x: {part: MNPA19-XTR}, y: {part: MCX354A-FCCT}}}
  b: {os: linux, nics: {x: {part: MNPA19-XTR}, y: {part: MCX354A-FCCT}}}
  c: {os: linux, nics: {x: {part: MNPA19-XTR}}}
switches:
  sw: {part: CRS309}
links:
  - {ends: [a.x, sw.1]}
  - {ends: [b.x, sw.2]}
  - {ends: [c.x, sw.3]}
  - {ends: [a.y.1, b.y.1], cable: {part: FCBG410QB1C50-FC}}
`

func TestCompare(t *testing.T) {
	a, b := plan.Build(parse(t, direct)), plan.Build(parse(t, switched))
	c := plan.Compare(a, b)
	if c.A.Hosts != 2 || c.B.Hosts != 3 || c.A.Ports != 2 || c.B.Ports != 5 || c.B.SwitchPorts != 3 || c.A.Cables != 1 ||
		c.B.Cables != 1 || c.A.Metres != 3 || c.B.Metres != 50 || c.B.NoLength != 3 {
		t.Errorf("%+v\n%+v", c.A, c.B)
	}
	if len(c.Costs) != 2 || c.Costs[0].Currency != "CAD" || c.Costs[0].A != nil || c.Costs[0].B.String() != "350.00 CAD" ||
		c.Costs[1].A.String() != "40.00 USD" || c.Costs[1].B.String() != "107.65 USD" {
		t.Errorf("costs: %+v", c.Costs)
	}
	if !slices.Equal(c.OnlyB, []string{"c", "sw"}) || c.OnlyA != nil {
		t.Errorf("only: %v, %v", c.OnlyA, c.OnlyB)
	}
	if len(c.Paths) != 1 {
		t.Fatalf("paths: %+v", c.Paths)
	}
	if p := c.Paths[0]; p.A != 10*unit.GigabitPerSecond || p.B != 40*unit.GigabitPerSecond || p.HopsA != 1 ||
		p.HopsB != 1 || p.CountA != 1 || p.CountB != 2 || !p.Differs() {
		t.Errorf("%+v", p)
	}
	if c.A.Power.Known != 2 || c.B.Power.Missing != 3 {
		t.Errorf("watts: %+v, %+v", c.A.Power, c.B.Power)
	}
	if !slices.Contains(c.Items, plan.ItemDifference{Role: "nic", Part: "Mellanox MNPA19-XTR", A: 2, B: 3}) {
		t.Errorf("items: %+v", c.Items)
	}
	d := plan.Compare(b, a)
	if len(d.ProblemsA) != len(c.ProblemsB) || len(d.ProblemsB) != len(c.ProblemsA) || !slices.Equal(d.OnlyA, c.OnlyB) {
		t.Errorf("turned round: %+v", d)
	}
}

// TestCompareSame compares a design with itself.
func TestCompareSame(t *testing.T) {
	for _, name := range []string{"mesh-10g", "roce-100g", "eval-25g", "nas-40g", "pairs-ib"} {
		p := build(t, name)
		c := plan.Compare(p, p)
		if len(c.Items) > 0 || len(c.OnlyA) > 0 || len(c.OnlyB) > 0 || len(c.ProblemsA) > 0 || len(c.ProblemsB) > 0 ||
			slices.ContainsFunc(c.Paths, plan.PathDifference.Differs) {
			t.Errorf("%s differs from itself: %+v", name, c)
		}
	}
}
