package plan

import (
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
)

const offloadFile = `
fabric: two
hosts:
  a: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}, settings: {tso: off, gso: "no", gro: on, driver: x 1.2}}}}
  b: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [a.n.1, b.n], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+]}}}
`

func offloadsOf(p *Plan, host string) (out []string) {
	for _, s := range p.Host(host).Settings {
		if s.Kind == SetOffload {
			out = append(out, s.Interface+" "+s.Key+" "+s.Value)
		}
	}
	return out
}

// A card's offloads become settings of its plugged ports; the switch of a command line goes before the file.
func TestOffloads(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	load := func() *fabric.Fabric {
		f, problems := fabric.Parse("two.yaml", []byte(offloadFile), fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return f
	}
	same := func(what string, got []string, want ...string) {
		t.Helper()
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %q", what, got, want)
			return
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
	}
	p := Build(load())
	same("the file's", offloadsOf(p, "a"), "np1 tso off", "np1 gso off", "np1 gro on")
	same("none written", offloadsOf(p, "b"))
	f := load()
	f.SwitchOffloads(false)
	same("switched off", offloadsOf(Build(f), "a"), "np1 tso off", "np1 gso off", "np1 gro off", "np1 lro off")
	f = load()
	f.SwitchOffloads(true)
	same("switched on", offloadsOf(Build(f), "b"), "n tso on", "n gso on", "n gro on")
	for _, name := range fabric.OffloadNames() {
		if got := OffloadFeatures(name); len(got) == 0 || got[0] == name {
			t.Errorf("%s: features %v", name, got)
		}
	}
}
