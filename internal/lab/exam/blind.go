// Package exam compares verdicts with the truth: it draws faults with their parameters from a seed, makes each in a lab
// of its own, runs the experiment, and gets the verdict on the finished run folder.
//
// The exam is blind: a separate process makes the verdict from a copy of the run folder. The copy has the manifest
// without verdicts and the snapshots, but not the fault's name and parameters (see Blind).
package exam

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/record/runfolder"
)

// Blind copies the input of a verdict from a finished run folder: the manifest without conclusions, the snapshots and
// the samples. It fails if they contain one of the words.
func Blind(from, to string, words []string) error {
	o, err := runfolder.Open(from, "")
	if err != nil {
		return err
	}
	r := *o.Run
	for _, e := range r.Experiments {
		e.Verdict = nil
		for _, x := range e.FollowUp {
			x.Verdict = nil
		}
	}
	r.Goals, r.Findings, r.Unchecked, r.Costs, r.Comparisons, r.Sentence, r.Files, r.Arguments = nil, nil, nil, nil, nil,
		"", nil, nil
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, runfolder.SnapshotsName), 0o755); err != nil {
		return err
	}
	if err := put(to, runfolder.ManifestName, b, words); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(from, runfolder.SnapshotsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names := []string{"samples.parquet"}
	for _, e := range entries {
		names = append(names, filepath.Join(runfolder.SnapshotsName, e.Name()))
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := put(to, name, b, words); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file, and fails if it contains one of the words.
func put(dir, name string, b []byte, words []string) error {
	for _, w := range words {
		if w != "" && strings.Contains(string(b), w) {
			return fmt.Errorf("%s has the word %q of the fault in it: the exam would not be blind", name, w)
		}
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}

// Words returns the words of a trial that its run folder must not contain.
func (t Trial) Words() []string {
	if t.Fault == nil {
		return nil
	}
	out := []string{t.Fault.ID, t.Fault.Title}
	for _, p := range t.Fault.Parameters {
		out = append(out, fmt.Sprintf("%s=%v", p.Name, t.Values[p.Name]))
	}
	return out
}
