package plan

import (
	"testing"

	"linerate/fabric"
)

func TestFile(t *testing.T) {
	for path, want := range map[string]string{"examples/mesh-10g.yaml": "mesh-10g.yaml", "lab.yaml": "lab.yaml", `C:\home\lab.yaml`: "lab.yaml", "": "the fabric file"} {
		if got := (&Plan{Fabric: &fabric.Fabric{Path: path}}).File(); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	if got := (&Plan{}).File(); got != "the fabric file" {
		t.Error(got)
	}
}
