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

	"linerate/internal/lab/fault"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
)

var (
	recordFrom = flag.String("from", "", "folder whose runs TestRecord records: of lab exam -o, or with a run folder and its truth.json in each folder")
	recordCut  = flag.String("cut", "", "names of recorded runs that TestRecord cuts again, as a regular expression")
)

// TestRecord records runs:
//
//	linerate lab exam examples/exam.yaml --seed 2 -o DIR; go test ./explain -run '^TestRecord$' -from DIR
//
// DIR is what an exam left behind (exam.json; of each fault and each healthy terrain the first run that was explained rightly), or has a folder NAME
// a run, which is a run folder with a file truth.json: {"truth": ["link"], "made": "the command", "edited": "", "note": ""}. Each run is cut to what
// judgements read. A run whose verdicts are not in its truth is not recorded.
func TestRecord(t *testing.T) {
	if *recordFrom == "" && *recordCut == "" {
		t.Skip("it records runs: -from DIR")
	}
	if *recordFrom != "" {
		if _, err := os.Stat(filepath.Join(*recordFrom, "exam.json")); err == nil {
			recordExam(t, *recordFrom)
		}
		names, err := filepath.Glob(filepath.Join(*recordFrom, "*", "truth.json"))
		if err != nil {
			t.Fatal(err)
		}
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

// writeRecording cuts a run and writes it into a folder of the recorded runs.
func writeRecording(t *testing.T, folder string, r *runfile.Run) {
	t.Run(r.Name, func(t *testing.T) {
		t.Parallel()
		x := examined{name: r.Name, of: r, files: map[string][]byte{}}
		for _, f := range r.Files {
			x.files[f.Name] = f.Data
		}
		if run := x.judged(t, known()); !x.right(run) {
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

// truthFile is what a test writes beside the run folder that it left behind.
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
	r := &runfile.Run{Name: filepath.Base(dir), Truth: [][]string{truth.Truth}, Made: truth.Made, Edited: truth.Edited, Note: truth.Note}
	folder := "made"
	if r.Edited != "" {
		folder = "edited"
	}
	keepAsBefore(t, folder, r)
	if r.Files, err = runfile.Folder(dir, runfolder.ManifestName, runfolder.CapturesName); err != nil {
		t.Errorf("%s: %v", dir, err)
		return
	}
	withoutMachine(r)
	writeRecording(t, folder, r)
}

// keepAsBefore has a run keep what its recording until now keeps.
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

// withoutMachine takes out what the machine is called by that the run was made on.
func withoutMachine(r *runfile.Run) {
	for i, f := range r.Files {
		if f.Name == runfolder.ManifestName {
			r.Files[i].Data = itsKernel.ReplaceAll(calledAs.ReplaceAll(f.Data, []byte(`${1}"linerate"`)), []byte(`${1}"6.12.0"`))
		} else {
			r.Files[i].Data = kernelLine.ReplaceAll(f.Data, []byte("kernel 6.12.0"))
		}
	}
}

// examTruth is what is right of a run of an exam, by its name.
func examTruth(name string) ([]string, error) {
	if terrain, ok := strings.CutPrefix(name, "healthy-"); ok {
		terrain, transport, _ := strings.Cut(terrain, "-")
		return fault.Healthy(fault.Terrain(terrain), transport), nil
	}
	f := fault.Find(name)
	if f == nil {
		return nil, fmt.Errorf("there is no fault %s", name)
	}
	return []string{f.Cause}, nil
}

// recordExam records of an exam the runs that were explained rightly.
func recordExam(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "exam.json"))
	if err != nil {
		t.Fatal(err)
	}
	var x struct {
		Outcomes []struct{ Fault, Terrain, Transport, Mark, Folder string }
	}
	if err := json.Unmarshal(b, &x); err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, o := range x.Outcomes {
		r := &runfile.Run{Name: o.Fault, Made: "linerate lab exam examples/exam.yaml --seed 2 --only " + o.Fault + " -o DIR"}
		if o.Fault == "" {
			r.Name = strings.TrimSuffix("healthy-"+o.Terrain+"-"+o.Transport, "-")
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
		r.Files, err = runfile.Folder(filepath.Join(dir, o.Folder, "blind"), runfolder.ManifestName, runfolder.CapturesName)
		if err = errors.Join(noFault, err); err != nil {
			t.Error(err)
			continue
		}
		withoutMachine(r)
		keepAsBefore(t, "exam", r)
		writeRecording(t, "exam", r)
	}
}

// The truth of a run of the exam is that of its fault.
func TestTruthOfExam(t *testing.T) {
	for _, x := range recordedRuns(t, "exam") {
		if want, err := examTruth(filepath.Base(x.name)); err != nil || !slices.Equal(x.truth, want) {
			t.Errorf("%s: truth %v, want %v, %v", x.name, x.truth, want, err)
		}
	}
}
