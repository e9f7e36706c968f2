package runfolder

import (
	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"path/filepath"
	"strings"
	"testing"
)

// A follow-up is read back below the experiment that it was made for, from the journal and from the manifest. It has an
// id of its own.
func TestFollowedUp(t *testing.T) {
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
	x.FollowedUp, x.FollowUp, x.Repeats = nil, nil, nil
	plain := record.ExperimentID(&x)
	x.FollowedUp = &record.FollowedUp{For: of.ID, Step: 1,
		Next: record.Next{Change: map[string]string{"streams": "8"}, Why: "to tell one connection from the path"}}
	if x.ID = record.ExperimentID(&x); x.ID == plain || x.ID == of.ID {
		t.Fatalf("the id %s is that of an experiment of the file", x.ID)
	}
	of.FollowUp = []*record.Experiment{&x}
	r.FollowUp = &record.FollowUp{Limit: 60, Seconds: 4, Steps: 1,
		LeftOut: []record.LeftOut{{Experiment: of.ID, Next: x.FollowedUp.Next, Because: "no time is left"}}}
	for _, err := range []error{f.Started(r), f.Experiment(of), f.Experiment(&x), f.Repeat(x.ID, recordtest.Repeat(0)),
		f.Repeat(of.ID, recordtest.Repeat(0)),
		f.Experiment(&x), f.Experiment(of), f.Verdict(x.ID, &record.Verdict{Limiter: "link"}), f.Finish(r, "")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p := replay(t, string(read(t, filepath.Join(dir, JournalName))))
	if len(p.Run.Experiments) != 1 || len(p.Run.Experiments[0].FollowUp) != 1 || p.Run.FollowUp == nil ||
		p.Run.FollowUp.Steps != 1 {
		t.Fatalf("the journal gives %+v", p.Run)
	}
	got := p.Run.Experiment(x.ID)
	if got == nil || len(got.Repeats) != 1 || got.FollowedUp.Change["streams"] != "8" || got.Verdict == nil ||
		len(p.Run.Experiments[0].Repeats) != 1 {
		t.Errorf("followed up: %+v", got)
	}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, `"for": "`+of.ID+`"`) || strings.Contains(s, `"change": null`) {
		t.Errorf("the manifest has no mark, or no change:\n%s", s)
	}
}

// Reading a damaged manifest gives no nil, and no follow-up below another follow-up.
func TestDamagedFollowUp(t *testing.T) {
	all := withoutNil(
		[]*record.Experiment{
			nil,
			{ID: "a", FollowUp: []*record.Experiment{nil, {ID: "b", FollowUp: []*record.Experiment{{ID: "c"}}}}},
		},
	)
	if len(all) != 1 || len(all[0].FollowUp) != 1 || all[0].FollowUp[0].FollowUp != nil {
		t.Errorf("%+v", all)
	}
}
