package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

// planFile is the file of a plan's folder that says which others linerate wrote.
const planFile = "plan.json"

// planFolder writes a plan into a folder. A file of one of its names that linerate
// did not write there, or that was changed since, is never replaced: then nothing
// is written.
func (e *env) planFolder(p *plan.Plan, dir string) error {
	files, err := planFiles(p)
	if err != nil {
		return err
	}
	written, err := planWritten(dir)
	if err != nil {
		return err
	}
	accepted := map[string][]string{}
	for _, f := range files {
		have, err := sumOf(filepath.Join(dir, f.name))
		if err != nil {
			return err
		}
		known := false
		for _, sum := range written[f.name] {
			known = known || sum == have
		}
		if have != "" && !known {
			return fail(exitRefused, fmt.Errorf("%s is not as linerate wrote it, or is not linerate's: nothing was written; move it away, or choose another folder with -o", filepath.Join(dir, f.name)))
		}
		accepted[f.name] = []string{f.sum()}
		if have != "" && have != f.sum() {
			accepted[f.name] = append(accepted[f.name], have)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the folder of the plan: %w", err)
	}
	// First what may stand there from now on, old or new: should this process be ended
	// in the middle, the next one knows each file as linerate's.
	for _, last := range []bool{false, true} {
		if last {
			for name, sums := range accepted {
				accepted[name] = sums[:1]
			}
		}
		if err := runfolder.WriteFile(filepath.Join(dir, planFile), func(w io.Writer) error { return report.PlanFile(w, p, accepted) }); err != nil {
			return fmt.Errorf("the plan could not be written: %w", err)
		}
		for _, f := range files {
			if last {
				break
			}
			if err := runfolder.WriteFile(filepath.Join(dir, f.name), func(w io.Writer) error { _, err := w.Write(f.text); return err }); err != nil {
				return fmt.Errorf("the plan could not be written: %w", err)
			}
		}
	}
	return nil
}

type madeFile struct {
	name string
	text []byte
}

func (f madeFile) sum() string { return sum(f.text) }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// planFiles makes all files of a plan's folder but plan.json.
func planFiles(p *plan.Plan) ([]madeFile, error) {
	var out []madeFile
	add := func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		out = append(out, madeFile{name, b.Bytes()})
		return nil
	}
	errs := []error{
		add("plan.html", func(w io.Writer) error { return report.PlanHTML(w, p, version()) }),
		add("labels.html", func(w io.Writer) error { return report.LabelsHTML(w, p, version()) }),
	}
	for _, table := range report.PlanTables() {
		errs = append(errs, add(table+".csv", func(w io.Writer) error { return report.PlanCSV(w, p, table) }))
	}
	return out, errors.Join(errs...)
}

// planWritten reads which files linerate wrote into a folder, by their hashes.
// A plan.json that is not linerate's is refused.
func planWritten(dir string) (map[string][]string, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fail(exitRefused, fmt.Errorf("%s is a file; -o names a folder, new or with an older plan", dir))
	}
	name := filepath.Join(dir, planFile)
	refused := fail(exitRefused, fmt.Errorf("%s is not a plan of linerate: nothing was written; move it away, or choose another folder with -o", name))
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the folder of the plan: %w", err)
	case !info.Mode().IsRegular():
		return nil, refused
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the folder of the plan: %w", err)
	}
	var have struct {
		Schema string              `json:"schema"`
		Files  map[string][]string `json:"files"`
	}
	if json.Unmarshal(text, &have) != nil || !strings.HasPrefix(have.Schema, "linerate/plan/") {
		return nil, refused
	}
	return have.Files, nil
}

// sumOf is the hash of a regular file; empty if there is none. What is no regular
// file has the hash of nothing that linerate wrote.
func sumOf(name string) (string, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the folder of the plan: %w", err)
	case !info.Mode().IsRegular():
		return "no file", nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("the folder of the plan: %w", err)
	}
	return sum(text), nil
}
