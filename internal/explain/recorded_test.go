package explain

import (
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

var testCatalog = sync.OnceValues(catalog.Load)

// PlanOf builds the plan of a recorded run again, from the fabric file that it keeps, or from the record where it was measured without one.
func PlanOf(t testing.TB, r *record.Run) *plan.Plan {
	t.Helper()
	if r.FabricText == "" {
		return RecordedPlan(r)
	}
	entries, err := testCatalog()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Parse(r.FabricPath, []byte(r.FabricText), fabric.Options{Catalog: entries, Variant: r.Variant})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// CapturesOf are the captures of a recorded run, by their names in the run folder.
func CapturesOf(t testing.TB, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for file, text := range kept(t, name).files {
		if file != runfolder.ManifestName {
			out[file] = string(text)
		}
	}
	return out
}

// ManifestOf is the text of the record of a recorded run.
func ManifestOf(t testing.TB, name string) []byte {
	t.Helper()
	return kept(t, name).files[runfolder.ManifestName]
}

// RunOf is the record of a recorded run.
func RunOf(t testing.TB, name string) *record.Run {
	t.Helper()
	return kept(t, name).run(t)
}

// RecordedRuns are the names of the recorded runs.
func RecordedRuns(t testing.TB, folder string) (names []string) {
	for _, x := range recordedRuns(t, folder) {
		names = append(names, x.name)
	}
	return names
}

// ReadOf reads the files of a recorded run.
func ReadOf(t testing.TB, name string) func(string) ([]byte, error) {
	t.Helper()
	return kept(t, name).read
}
