package explain

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain/cause"
	"linerate/internal/lab/fault"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
	"linerate/internal/testenv"
)

var (
	recordFrom = flag.String("from", "", "folder whose runs TestRecord records: of lab exam -o, or with a run folder "+
		"and its truth.json in each folder")
	recordCut = flag.String("cut", "", "names of recorded runs that TestRecord cuts again, as a regular expression")
)

// TestRecord records runs:
//
//	linerate lab exam examples/exam.yaml --seed 2 -o DIR; go test ./internal/explain -run '^TestRecord$' -from DIR
//
// DIR is the folder of an exam (exam.json; the first correctly explained run of each fault and each healthy scenario is
// used), or has one run folder NAME for each run, with a file truth.json: {"truth": ["link"], "made": "the command",
// "edited": "", "note": ""}. Each run is cut to what judgements read. A run whose verdicts are not its truth is not
// recorded.
func TestRecord(t *testing.T) {
	if *recordFrom == "" && *recordCut == "" {
		t.Skip("it records runs: -from DIR")
	}
	if *recordFrom != "" {
		if _, err := os.Stat(filepath.Join(*recordFrom, "exam.json")); err == nil {
			recordExam(t, *recordFrom)
		}
		names := testenv.Must(filepath.Glob(filepath.Join(*recordFrom, "*", "truth.json")))(t)
		for _, name := range names {
			recordMade(t, filepath.Dir(name))
		}
	}
	if *recordCut != "" {
		wanted := regexp.MustCompile(*recordCut)
		for _, x := range recordedRuns(t, "") {
			if wanted.MatchString(x.name) {
				writeRecording(t, filepath.Dir(x.name), allRuns(t)[x.name])
			}
		}
	}
}

// writeRecording cuts a run and writes it into a folder of recorded runs.
func writeRecording(t *testing.T, folder string, r *runfile.Run) {
	t.Run(r.Name, func(t *testing.T) {
		t.Parallel()
		x := &recorded{name: r.Name, of: r, files: map[string][]byte{}}
		for _, f := range r.Files {
			x.files[f.Name] = f.Data
		}
		if run := x.judged(t, cause.All()); !x.right(run) {
			for _, e := range run.Experiments {
				t.Errorf("want %v: %+v", r.Truth, e.Verdict)
			}
			return
		}
		cutRun(t, r)
		if err := r.Write(filepath.Join(runsFolder, folder)); err != nil {
			t.Error(err)
		}
	})
}

// truthFile is what a test writes next to its run folder.
type truthFile struct {
	Truth              []string
	Made, Edited, Note string
}

func recordMade(t *testing.T, dir string) {
	t.Helper()
	var truth truthFile
	b, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err == nil {
		err = json.Unmarshal(b, &truth)
	}
	if err != nil {
		t.Errorf("%s: %v", dir, err)
		return
	}
	r := &runfile.Run{Name: filepath.Base(dir), Truth: [][]string{truth.Truth}, Made: truth.Made, Edited: truth.Edited,
		Note: truth.Note}
	folder := "made"
	if r.Edited != "" {
		folder = "edited"
	}
	keepAsBefore(t, folder, r)
	if r.Files, err = runfile.Folder(dir, runfolder.ManifestName, runfolder.SnapshotsName); err != nil {
		t.Errorf("%s: %v", dir, err)
		return
	}
	withoutMachine(r)
	writeRecording(t, folder, r)
}

// keepAsBefore makes a run keep the parts that its present recording has.
func keepAsBefore(t *testing.T, folder string, r *runfile.Run) {
	t.Helper()
	was, err := runfile.Open(filepath.Join(runsFolder, folder, r.Name+runfile.Extension))
	switch {
	case err == nil:
		r.Kept = was.Kept
	case !errors.Is(err, fs.ErrNotExist):
		t.Error(err)
	}
}

var (
	kernelLine = regexp.MustCompile(`(?m)^kernel .*$`)
	calledAs   = regexp.MustCompile(`("arguments": ?\[\s*)"[^"]*"`)
	itsKernel  = regexp.MustCompile(`("kernel": ?)"[^"]*"`)
)

// withoutMachine removes the names of the machine on which the run was made.
func withoutMachine(r *runfile.Run) {
	for i, f := range r.Files {
		if f.Name == runfolder.ManifestName {
			r.Files[i].Data = itsKernel.ReplaceAll(calledAs.ReplaceAll(f.Data, []byte(`${1}"linerate"`)), []byte(`${1}"6.12.0"`))
		} else {
			r.Files[i].Data = kernelLine.ReplaceAll(f.Data, []byte("kernel 6.12.0"))
		}
	}
}

// examTruth returns the true verdicts of a run of an exam, by the run's name.
func examTruth(name string) ([]string, error) {
	if scenario, ok := strings.CutPrefix(name, "healthy-"); ok {
		scenario, transport, _ := strings.Cut(scenario, "-")
		return fault.Healthy(fault.Scenario(scenario), transport), nil
	}
	f := fault.Find(name)
	if f == nil {
		return nil, fmt.Errorf("there is no fault %s", name)
	}
	return []string{f.Cause}, nil
}

// recordExam records the runs of an exam that were explained correctly.
func recordExam(t *testing.T, dir string) {
	t.Helper()
	b := testenv.Must(os.ReadFile(filepath.Join(dir, "exam.json")))(t)
	var x struct {
		Outcomes []struct {
			Fault, Transport, Mark, Folder string
			Scenario                       string `json:"scenario"`
		}
	}
	testenv.Check(t, json.Unmarshal(b, &x))
	done := map[string]bool{}
	for _, o := range x.Outcomes {
		r := &runfile.Run{Name: o.Fault, Made: "linerate lab exam examples/exam.yaml --seed 2 --faults " + o.Fault +
			" -o DIR"}
		if o.Fault == "" {
			r.Name = strings.TrimSuffix("healthy-"+o.Scenario+"-"+o.Transport, "-")
			r.Made = "linerate lab exam examples/exam.yaml --seed 2 -o DIR"
		}
		if o.Mark != "right" || done[r.Name] {
			continue
		}
		done[r.Name] = true
		var err, noFault error
		var ids []string
		ids, noFault = examTruth(r.Name)
		r.Truth = [][]string{ids}
		r.Files, err = runfile.Folder(filepath.Join(dir, o.Folder, "blind"), runfolder.ManifestName, runfolder.SnapshotsName)
		if err = errors.Join(noFault, err); err != nil {
			t.Error(err)
			continue
		}
		withoutMachine(r)
		keepAsBefore(t, "exam", r)
		writeRecording(t, "exam", r)
	}
}

func TestTruthOfExam(t *testing.T) {
	for _, x := range recordedRuns(t, "exam") {
		if want, err := examTruth(filepath.Base(x.name)); err != nil || !slices.Equal(x.truth, want) {
			t.Errorf("%s: truth %v, want %v, %v", x.name, x.truth, want, err)
		}
	}
}
