package plan_test

import (
	"slices"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

const offloadFile = `
fabric: two
hosts:
  a: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}, settings: {tso: off, gso: "no", gro: on, driver: x 1.2}}}}
  b: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [a.n.1, b.n], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+]}}}
`

func offloadsOf(p *plan.Plan, host string) (out []string) {
	for _, s := range p.Host(host).Settings {
		if s.Kind == plan.SetOffload {
			out = append(out, s.Interface+" "+s.Key+" "+s.Value)
		}
	}
	return out
}

// TestOffloads expects the offloads of a NIC as settings of its plugged ports, and those of a command line before the
// file's.
func TestOffloads(t *testing.T) {
	same := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	p := plan.Build(parse(t, offloadFile))
	same("the file's", offloadsOf(p, "a"), "np1 tso off", "np1 gso off", "np1 gro on")
	same("none written", offloadsOf(p, "b"))
	f := parse(t, offloadFile)
	f.SwitchOffloads(false)
	same("switched off", offloadsOf(plan.Build(f), "a"), "np1 tso off", "np1 gso off", "np1 gro off", "np1 lro off")
	f = parse(t, offloadFile)
	f.SwitchOffloads(true)
	same("switched on", offloadsOf(plan.Build(f), "b"), "n tso on", "n gso on", "n gro on")
	for _, name := range fabric.OffloadNames() {
		if got := plan.OffloadFeatures(name); len(got) == 0 || got[0] == name {
			t.Errorf("%s: features %v", name, got)
		}
	}
}
