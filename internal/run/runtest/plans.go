package runtest

import (
	"fmt"
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
)

// star has four hosts behind a switch, one with an adapter of two ports and one without a link.
const star = `
fabric: star
addressing: {pool: 10.0.0.0/16, prefix: 24}
hosts:
  "n[1-4]":
    nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}
  alone:
    nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}
  twin:
    nics: {c: {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}}}
switches: {sw: {part: {kind: switch, speed: 10G, ports: 8, cage: sfp+}}}
links:
  - {ends: ["n[1-4].c", "sw.[1-4]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
  - {ends: ["twin.c.[1-2]", "sw.[5-6]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments:
  x: {%s}
`

var loadCatalog = sync.OnceValues(catalog.Load)

// Catalog is the catalogue of parts, which is read once.
func Catalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// StarPlan is the plan of a star of hosts with one experiment.
func StarPlan(t *testing.T, experiment string) *plan.Plan {
	t.Helper()
	return Plan(t, fmt.Sprintf(star, experiment))
}

// Plan is the plan of a fabric file.
func Plan(t *testing.T, text string) *plan.Plan {
	t.Helper()
	f, problems := fabric.Parse("fabric.yaml", []byte(text), fabric.Options{Catalog: Catalog(t)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// Expand are the combinations of all experiments of a plan, as one method expands them.
func Expand(
	p *plan.Plan,
	o experiment.Options,
	expand func(*plan.Plan, *fabric.Experiment, experiment.Options) []*experiment.Combination,
) (all []*experiment.Combination) {
	for _, e := range p.Fabric.Experiments {
		all = append(all, expand(p, e, o)...)
	}
	return all
}

// WritesOf is what combinations will write in all of their repeats, by place, as a session counts it.
func WritesOf(all ...*experiment.Combination) (out []experiment.Written) {
	laid := map[string]bool{}
	for _, c := range all {
		w, ok := c.Measurement.(experiment.Writer)
		if n := c.Missing(); ok && n > 0 {
			for _, one := range w.Writes(&FakeSession{}, n, laid) {
				out = experiment.AddWritten(out, one)
			}
		}
	}
	return out
}
