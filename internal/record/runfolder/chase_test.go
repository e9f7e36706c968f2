package runfolder

import (
	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"path/filepath"
	"strings"
	"testing"
)

// What was chased is read again under the experiment that it was made for, from the journal as from the manifest, and has an id of its own.
func TestChased(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recordtest.Run(t)
	of := r.Experiments[0]
	x := *of
	x.Settings = map[string]string{"streams": "8"}
	x.Chased, x.Chase, x.Repeats = nil, nil, nil
	plain := record.ExperimentID(&x)
	x.Chased = &record.Chased{For: of.ID, Step: 1, Next: record.Next{Change: map[string]string{"streams": "8"}, Why: "to tell one connection from the path"}}
	if x.ID = record.ExperimentID(&x); x.ID == plain || x.ID == of.ID {
		t.Fatalf("the id %s is that of an experiment of the file", x.ID)
	}
	of.Chase = []*record.Experiment{&x}
	r.Chase = &record.Chase{Limit: 60, Seconds: 4, Steps: 1, LeftOut: []record.LeftOut{{Experiment: of.ID, Next: x.Chased.Next, Because: "no time is left"}}}
	for _, err := range []error{f.Started(r), f.Experiment(of), f.Experiment(&x), f.Repeat(x.ID, recordtest.Repeat(0)), f.Repeat(of.ID, recordtest.Repeat(0)),
		f.Experiment(&x), f.Experiment(of), f.Verdict(x.ID, &record.Verdict{Limiter: "link"}), f.Finish(r, "")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p := replay(t, string(read(t, filepath.Join(dir, JournalName))))
	if len(p.Run.Experiments) != 1 || len(p.Run.Experiments[0].Chase) != 1 || p.Run.Chase == nil || p.Run.Chase.Steps != 1 {
		t.Fatalf("the journal gives %+v", p.Run)
	}
	got := p.Run.Experiment(x.ID)
	if got == nil || len(got.Repeats) != 1 || got.Chased.Change["streams"] != "8" || got.Verdict == nil || len(p.Run.Experiments[0].Repeats) != 1 {
		t.Errorf("chased: %+v", got)
	}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, `"for": "`+of.ID+`"`) || strings.Contains(s, `"change": null`) {
		t.Errorf("the manifest lacks the mark, or has no change:\n%s", s)
	}
}

// A manifest that somebody damaged has no nil in it, and nothing chased below what was chased.
func TestDamagedChase(t *testing.T) {
	all := withoutNil([]*record.Experiment{nil, {ID: "a", Chase: []*record.Experiment{nil, {ID: "b", Chase: []*record.Experiment{{ID: "c"}}}}}})
	if len(all) != 1 || len(all[0].Chase) != 1 || all[0].Chase[0].Chase != nil {
		t.Errorf("%+v", all)
	}
}
