package explanation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"linerate/internal/cli/results"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/figures"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/record/claims"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
	"linerate/internal/testenv"
)

// causeExamples are the first verdict of each cause in the recorded runs; of causes that are in none, that of recorded
// experiments of storage, then that of recorded outputs of iperf3.
func causeExamples(t *testing.T) map[string]Example {
	t.Helper()
	out := map[string]Example{}
	for _, v := range slices.Concat(runVerdicts(t), storageVerdicts(t), outputVerdicts(t)) {
		addExample(out, v)
	}
	return out
}

// addExample adds the example of a verdict. The first of a cause counts, but one with an undo replaces one without.
func addExample(to map[string]Example, v *record.Verdict) {
	if v == nil || v.Limiter == "" || to[v.Limiter].Text != "" && (to[v.Limiter].Undo != "" || v.Undo == "") {
		return
	}
	x := Example{Text: v.Sentence, Fix: v.Fix, Undo: v.Undo}
	for i, seen := range v.Evidence {
		if i < 3 {
			x.Seen = append(x.Seen, seen.Text)
		}
	}
	to[v.Limiter] = x
}

// runVerdicts are those of the recorded runs.
func runVerdicts(t *testing.T) (out []*record.Verdict) {
	t.Helper()
	names := testenv.Must(filepath.Glob("../../explain/testdata/runs/*/*" + runfile.Extension))(t)
	slices.Sort(names)
	slices.Reverse(names) // those that were made by hand first
	for _, name := range names {
		r := testenv.Must(runfile.Open(name))(t)
		dir := filepath.Join(t.TempDir(), "run")
		testenv.Check(t, r.Unpack(dir))
		o := testenv.Must(runfolder.Open(dir, ""))(t)
		if results.Explained(o) != nil {
			continue // a run that only tests its reader
		}
		for _, e := range o.Run.Experiments {
			out = append(out, e.Verdict)
		}
	}
	return out
}

// storageVerdicts are those of the recorded experiments of storage. The first experiment of a file is the one that its
// name is about.
func storageVerdicts(t *testing.T) (out []*record.Verdict) {
	t.Helper()
	for _, name := range testenv.Must(filepath.Glob("../../explain/cause/storage/testdata/storage/*.json"))(t) {
		var all []*record.Experiment
		testenv.Check(t, json.Unmarshal(testenv.Must(os.ReadFile(name))(t), &all))
		out = append(out, storage.Verdict(storage.Causes(), all[0], all, nil))
	}
	return out
}

// outputVerdicts are those of two outputs of iperf3 over one link of 40GbE, at two MTUs.
func outputVerdicts(t *testing.T) (out []*record.Verdict) {
	t.Helper()
	at := slices.IndexFunc(path.Transports(), func(x path.Transport) bool { return x.Name == "tcp" })
	tcp := path.Transports()[at]
	var all []*figures.Claim
	for _, o := range []struct {
		name string
		mtu  int
	}{{"iperf3-40g-1500.txt", 1500}, {"iperf3-40g-9000.txt", 9000}} {
		text := testenv.Must(os.ReadFile("../../record/claims/testdata/" + o.name))(t)
		for _, f := range testenv.Must(claims.Read("iperf3", text))(t) {
			asked := path.Asked{Rate: 40e9, Frame: ceiling.Ethernet{MTU: o.mtu, Timestamps: true}}
			c, errs := figures.NewClaim(f, figures.Said{Name: o.name}, asked, tcp)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			all = append(all, c)
		}
	}
	figures.Claims(all)
	for _, c := range all {
		out = append(out, c.Verdict)
	}
	return out
}

// TestRecordedExamples: causes that no recorded run has get their example from the other recordings.
func TestRecordedExamples(t *testing.T) {
	for _, id := range []string{"page-cache-read", "sync-writes", "burst-cache", "tool-single-thread"} {
		at := slices.IndexFunc(Problems(), func(p Problem) bool { return p.ID == id && p.Kind == ofCause })
		if at < 0 {
			t.Fatalf("no cause %s", id)
		}
		if x := Problems()[at].Example; x.Text == "" || len(x.Seen) == 0 || x.Fix == "" {
			t.Errorf("%s has no whole example: %+v", id, x)
		}
	}
}
