package explain

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
)

// runsFolder holds the recorded runs: those of the exam in a folder exam, those that were made by hand in made, and those into which the output of
// a device was put in edited. TestRecord writes them.
const runsFolder = "testdata/runs"

// examined is a recorded run with what was true of it. A test may change its files.
type examined struct {
	name  string   // of the file, with its folder: exam/shaper-tbf
	truth []string // of the first experiment
	of    *runfile.Run
	files map[string][]byte
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
	all, err := readRuns()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// kept is a recorded run, to be changed.
func kept(t testing.TB, name string) examined {
	t.Helper()
	r := allRuns(t)[name]
	if r == nil {
		t.Fatalf("no run %s is recorded", name)
	}
	x := examined{name: name, truth: r.TruthOf(0), of: r, files: map[string][]byte{}}
	for _, f := range r.Files {
		x.files[f.Name] = f.Data
	}
	return x
}

// recordedRuns are the recorded runs in a folder; an empty name: all.
func recordedRuns(t testing.TB, folder string) (out []examined) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(allRuns(t))) {
		if folder == "" || strings.HasPrefix(name, folder+"/") {
			out = append(out, kept(t, name))
		}
	}
	return out
}

func (x examined) read(name string) ([]byte, error) {
	if b, ok := x.files[name]; ok {
		return b, nil
	}
	return nil, os.ErrNotExist
}

func (x examined) run(t testing.TB) *record.Run {
	t.Helper()
	r := &record.Run{}
	if err := json.Unmarshal(x.files[runfolder.ManifestName], r); err != nil {
		t.Fatalf("%s: %v", x.name, err)
	}
	return r
}

// judged is the run with the verdicts that the causes of the tables give.
func (x examined) judged(t testing.TB, all tables) *record.Run {
	t.Helper()
	r := x.run(t)
	under(PlanOf(t, r), nil, r, x.read, all)
	return r
}

// verdict is that of the first experiment.
func (x examined) verdict(t testing.TB) *record.Verdict {
	t.Helper()
	r := x.judged(t, known())
	if len(r.Experiments) == 0 || r.Experiments[0].Verdict == nil {
		return &record.Verdict{}
	}
	return r.Experiments[0].Verdict
}

// right reports whether every verdict of a judged run is true.
func (x examined) right(r *record.Run) bool {
	n := 0
	for i, e := range r.Experiments {
		if e.Verdict == nil {
			continue
		}
		if n++; !slices.Contains(x.of.TruthOf(i), e.Verdict.Limiter) {
			return false
		}
	}
	return n > 0
}
