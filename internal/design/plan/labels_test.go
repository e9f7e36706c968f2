package plan_test

import (
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

func TestFile(t *testing.T) {
	for path, want := range map[string]string{"examples/mesh-10g.yaml": "mesh-10g.yaml", "lab.yaml": "lab.yaml",
		`C:\home\lab.yaml`: "lab.yaml", "": "FABRIC.yaml"} {
		if got := (&plan.Plan{Fabric: &fabric.Fabric{Path: path}}).File(); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	if got := (&plan.Plan{}).File(); got != "FABRIC.yaml" {
		t.Error(got)
	}
}

func TestArguments(t *testing.T) {
	for _, x := range []struct{ path, variant, want string }{
		{"examples/mesh-10g.yaml", "", "mesh-10g.yaml"},
		{"eval-25g.yaml", "ten+iwarp", "eval-25g.yaml --variant ten+iwarp"}, {"my lab's.yaml", "", `'my lab'\''s.yaml'`},
	} {
		if got := (&plan.Plan{Fabric: &fabric.Fabric{Path: x.path}, Variant: x.variant}).Arguments(); got != x.want {
			t.Errorf("%s: %s, want %s", x.path, got, x.want)
		}
	}
}

func TestNICIn(t *testing.T) {
	p := &plan.Plan{Fabric: &fabric.Fabric{Path: "lab.yaml"}}
	if got := p.NICIn(&plan.Host{Name: "n3", Decl: &fabric.Host{Group: "n[1-4]"}},
		"cx5"); got != "lab.yaml, at hosts: n[1-4]: nics: cx5" {
		t.Error(got)
	}
	if got := p.NICIn(&plan.Host{Name: "nas"}, "t3"); got != "lab.yaml, at hosts: nas: nics: t3" {
		t.Error(got)
	}
}
