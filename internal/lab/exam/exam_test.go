package exam

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain/cause"

	"linerate/internal/lab"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
)

// Every fault leads to a cause that can be a verdict.
func TestCausesExist(t *testing.T) {
	for _, f := range fault.All() {
		if !slices.Contains(cause.IDs(), f.Cause) {
			t.Errorf("fault %s leads to %q, which no verdict names", f.ID, f.Cause)
		}
	}
}

func TestDraw(t *testing.T) {
	a, b, c := Draw(1, fault.All(), 1), Draw(1, fault.All(), 1), Draw(2, fault.All(), 1)
	if !reflect.DeepEqual(values(a), values(b)) || reflect.DeepEqual(values(a), values(c)) {
		t.Error("a seed draws the same, another one something else")
	}
	type kind struct {
		scenario  fault.Scenario
		transport string
	}
	broken := map[kind]int{}
	for _, trial := range a {
		k := kind{trial.Scenario, trial.Transport}
		if trial.Fault != nil {
			broken[k]++
		} else {
			broken[k]--
		}
	}
	for k, n := range broken {
		if n != 0 {
			t.Errorf("%v: %d more faults than healthy labs", k, n)
		}
	}
	if _, any := broken[kind{fault.Near, fault.UDP}]; !any {
		t.Error("no fault has an experiment with datagrams")
	}
	few := Draw(1, fault.All(), 4)
	drawn := map[string]fault.Values{}
	healthy := 0
	for _, trial := range a {
		drawn[trial.Name()] = trial.Values
	}
	for _, trial := range few {
		if trial.Fault == nil {
			healthy++
		} else if !reflect.DeepEqual(trial.Values, drawn[trial.Name()]) {
			t.Errorf("%s: %v with fewer healthy labs, %v with all", trial.Name(), trial.Values, drawn[trial.Name()])
		}
	}
	if all := len(fault.All()); healthy < all/4 || healthy > all/4+1 || len(few) != all+healthy {
		t.Errorf("%d healthy labs and %d faults, want a quarter", healthy, all)
	}
}

func values(trials []Trial) (out []any) {
	for _, t := range trials {
		out = append(out, t.Name(), t.Values, t.Delay)
	}
	return out
}

func TestJudgeAndMatrices(t *testing.T) {
	f := fault.Find("shaper-tbf")
	var outcomes []Outcome
	for _, c := range []struct {
		fault   *fault.Fault
		limiter string
		mark    Mark
	}{
		{f, "local-shaper", Right}, {f, "link", Wrong}, {f, "unexplained", Unknown}, {f, "unknown", Unknown},
		{nil, "link", Right}, {nil, "local-shaper", Wrong}, {nil, "unexplained", Unknown},
	} {
		trial := Trial{Fault: c.fault, Scenario: fault.Near}
		o := Outcome{Limiter: c.limiter, Truth: "healthy", Mark: trial.Judge(c.limiter)}
		if o.Mark != c.mark {
			t.Errorf("%s: %s is %s, want %s", trial.Name(), c.limiter, o.Mark, c.mark)
		}
		if c.fault != nil {
			o.Fault, o.Kind, o.Truth = f.ID, f.Kind, f.Cause
		}
		outcomes = append(outcomes, o)
	}
	m := Matrices(append(outcomes, Outcome{Fault: "x", Kind: fault.Injected, Truth: "link", Mark: Failed}))
	if len(m) != 2 || m[0].Tally != (Tally{1, 1, 2, 1}) || m[1].Tally != (Tally{1, 1, 1, 0}) ||
		m[0].Rows[1].Verdicts["link"] != 1 {
		t.Fatalf("%+v", m)
	}
	if text := m[0].Text(); !strings.Contains(text, "20.0 % right") || !strings.Contains(text, "no verdict 1") {
		t.Error(text)
	}
}

// The input of a verdict has no conclusions, and none of the fault's words.
func TestBlind(t *testing.T) {
	kept, err := runfile.Open(
		filepath.Join("../..", "explain", "testdata", "runs", "made", "local-shaper"+runfile.Extension),
	)
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(t.TempDir(), "run")
	if err := kept.Unpack(from); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "blind")
	if err := Blind(from, to, []string{"shaper-tbf", "share=0.3"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(to, runfolder.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var r record.Run
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Experiments[0].Verdict != nil || r.Sentence != "" || len(r.Goals) > 0 ||
		strings.Contains(string(b), "local-shaper") {
		t.Errorf("conclusions are left: %s", b)
	}
	snapshots := 0
	entries, _ := os.ReadDir(filepath.Join(to, runfolder.SnapshotsName))
	for range entries {
		snapshots++
	}
	if snapshots == 0 {
		t.Error("no snapshots")
	}
	if err := Blind(from, filepath.Join(t.TempDir(), "b"), []string{"overlimits"}); err == nil ||
		!strings.Contains(err.Error(), "overlimits") {
		t.Errorf("a word of the fault passes: %v", err)
	}
}

// The group of a quota, and of a drive's limit, has the name by which an ending lab removes it.
func TestQuotaGroup(t *testing.T) {
	for _, c := range []struct {
		fault, groups string
		values        fault.Values
	}{{"cpu-quota", lab.QuotaGroups, fault.Values{"cores": 0.1, "end": 1}}, {"slow-drive", lab.DriveGroups,
		fault.Values{"share": 0.5}}} {
		p := &fault.Place{MayQuota: true, MayDrive: true, Source: "/mnt/data",
			Exec: func(string, string) (string, error) { return "7", nil }}
		fault.Find(c.fault).Make(p, c.values)
		if name := filepath.Join(c.groups, lab.QuotaPrefix); p.Err != nil || len(p.Done) == 0 ||
			!strings.Contains(p.Done[len(p.Done)-1].Script, "g="+name+"$(") {
			t.Errorf("%s: %v: %v does not make %s..", c.fault, p.Err, p.Done, name)
		}
	}
}
