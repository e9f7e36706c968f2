package explain

import (
	"os"
	"path/filepath"
	"testing"

	"linerate/fabric"
	"linerate/parts"
	"linerate/plan"
	"linerate/result"
)

// PlanOf builds the plan of a recorded run again, from the fabric file that it keeps.
func PlanOf(t testing.TB, r *result.Run) *plan.Plan {
	t.Helper()
	catalog, err := parts.Load()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Parse(r.FabricPath, []byte(r.FabricText), fabric.Options{Catalog: catalog, Variant: r.Variant})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// CapturesOf reads the captures of a recorded run, by their names in the run folder.
func CapturesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, result.CapturesName))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, result.CapturesName, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[result.CapturesName+"/"+e.Name()] = string(b)
	}
	return out
}
