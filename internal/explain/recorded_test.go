package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
	"linerate/internal/testenv"
)

// runsFolder holds the recorded runs: those of the exam in a folder exam, those that were made by hand in made, and
// those into which the output of a device was put in edited. TestRecord writes them.
const runsFolder = "testdata/runs"

// recorded is a recorded run with what was true of it. A test may change its files, its record and its experiment
// before it asks for the verdict.
type recorded struct {
	name  string   // of the file, with its folder: exam/shaper-tbf
	truth []string // of the first experiment
	of    *runfile.Run
	files map[string][]byte
	run   *record.Run
	exp   *record.Experiment // the first of the run; nil: it has none
	at    *record.Experiment // what steps change: exp, or one of its follow-up
}

var readRuns = sync.OnceValues(func() (map[string]*runfile.Run, error) {
	names, err := filepath.Glob(filepath.Join(runsFolder, "*", "*"+runfile.Extension))
	if err != nil {
		return nil, err
	}
	all := map[string]*runfile.Run{}
	for _, name := range names {
		r, err := runfile.Open(name)
		if err != nil {
			return nil, err
		}
		all[filepath.Base(filepath.Dir(name))+"/"+r.Name] = r
	}
	return all, nil
})

// allRuns are the recorded runs by their names.
func allRuns(t testing.TB) map[string]*runfile.Run {
	t.Helper()
	all := testenv.Must(readRuns())(t)
	return all
}

// load reads a recorded run; without a folder it is one that was made by hand.
func load(t testing.TB, name string) *recorded {
	t.Helper()
	if !strings.Contains(name, "/") {
		name = "made/" + name
	}
	of := allRuns(t)[name]
	if of == nil {
		t.Fatalf("no run %s is recorded", name)
	}
	r := &recorded{name: name, truth: of.TruthOf(0), of: of, files: map[string][]byte{}}
	for _, f := range of.Files {
		r.files[f.Name] = f.Data
	}
	r.run = r.manifest(t)
	if len(r.run.Experiments) > 0 {
		r.exp = r.run.Experiments[0]
		r.at = r.exp
	}
	return r
}

// recordedRuns are the recorded runs in a folder; an empty name: all.
func recordedRuns(t testing.TB, folder string) (out []*recorded) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(allRuns(t))) {
		if folder == "" || strings.HasPrefix(name, folder+"/") {
			out = append(out, load(t, name))
		}
	}
	return out
}

func (r *recorded) read(name string) ([]byte, error) {
	if b, ok := r.files[name]; ok {
		return b, nil
	}
	return nil, os.ErrNotExist
}

// manifest is the record as the file has it.
func (r *recorded) manifest(t testing.TB) *record.Run {
	t.Helper()
	run := &record.Run{}
	if err := json.Unmarshal(r.files[runfolder.ManifestName], run); err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	return run
}

// judged is the record of the file with the verdicts that the causes of the tables give.
func (r *recorded) judged(t testing.TB, all cause.Tables) *record.Run {
	t.Helper()
	run := r.manifest(t)
	under(planOf(t, run), nil, run, r.read, all)
	return run
}

// right reports whether every verdict of a judged run is true.
func (r *recorded) right(run *record.Run) bool {
	n := 0
	for i, e := range run.Experiments {
		if e.Verdict == nil {
			continue
		}
		if n++; !slices.Contains(r.of.TruthOf(i), e.Verdict.Limiter) {
			return false
		}
	}
	return n > 0
}

// powers is a number as programs write it, 1.64e+05.
var powers = regexp.MustCompile(`[0-9]e[+-][0-9]`)

// verdict explains the run as it is now, and is that of its experiment.
func (r *recorded) verdict(t testing.TB) *record.Verdict {
	t.Helper()
	Run(planOf(t, r.run), r.run, r.read)
	v := r.exp.Verdict
	if v == nil {
		t.Fatal("no verdict")
	}
	texts := []string{v.Sentence, v.Fix, v.NextCeiling}
	for _, e := range v.Evidence {
		texts = append(texts, e.Text)
	}
	for _, text := range texts {
		if powers.MatchString(text) {
			t.Errorf("a figure that nobody reads aloud: %s", text)
		}
	}
	return v
}

// account is the one of that name; the run must have been explained.
func (r *recorded) account(t testing.TB, name string) record.Account {
	t.Helper()
	i := slices.IndexFunc(r.exp.Accounts, func(a record.Account) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no account %s", name)
	}
	return r.exp.Accounts[i]
}

// findings are the ids of what was found wrong before the run, which must have been explained.
func (r *recorded) findings() (ids []string) {
	for _, f := range r.run.Findings {
		ids = append(ids, f.ID)
	}
	return ids
}

// says is what a verdict is in one line of a message.
func says(v *record.Verdict) string {
	return fmt.Sprintf("%s (%s) of %s: %s; fix %q, undo %q, next %q; candidates %v", v.Limiter, v.Confidence, v.Component,
		v.Sentence, v.Fix, v.Undo, v.NextExperiment, v.Candidates)
}

// counters are those of the evidence, in order.
func counters(v *record.Verdict) (names []string) {
	for _, e := range v.Evidence {
		names = append(names, e.Counter)
	}
	return names
}

// candidates are the ids of a verdict's candidates, in order.
func candidates(v *record.Verdict) (ids []string) {
	for _, c := range v.Candidates {
		ids = append(ids, c.Limiter)
	}
	return ids
}

var testCatalog = sync.OnceValues(catalog.Load)

// planOf builds the plan of a recorded run again, from the fabric file that it keeps, or from the record where it
// was measured without one.
func planOf(t testing.TB, r *record.Run) *plan.Plan {
	t.Helper()
	if r.FabricText == "" {
		return RecordedPlan(r)
	}
	entries := testenv.Must(testCatalog())(t)
	f, problems := fabric.Parse(r.FabricPath, []byte(r.FabricText), fabric.Options{Catalog: entries, Variant: r.Variant})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}
