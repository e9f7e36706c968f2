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

// Blind copies of a finished run folder what a verdict is made of: the manifest without anything that was concluded, the captures and the
// samples. It fails if one of the words stands in it.
func Blind(from, to string, words []string) error {
	o, err := runfolder.Open(from, "")
	if err != nil {
		return err
	}
	r := *o.Run
	for _, e := range r.Experiments {
		e.Verdict = nil
		for _, x := range e.Chase {
			x.Verdict = nil
		}
	}
	r.Goals, r.Findings, r.Unchecked, r.Costs, r.Comparisons, r.Sentence, r.Files, r.Arguments = nil, nil, nil, nil, nil, "", nil, nil
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, runfolder.CapturesName), 0o755); err != nil {
		return err
	}
	if err := put(to, runfolder.ManifestName, b, words); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(from, runfolder.CapturesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names := []string{"samples.parquet"}
	for _, e := range entries {
		names = append(names, filepath.Join(runfolder.CapturesName, e.Name()))
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

// put writes a file in which none of the words stands.
func put(dir, name string, b []byte, words []string) error {
	for _, w := range words {
		if w != "" && strings.Contains(string(b), w) {
			return fmt.Errorf("%s has the word %q of the fault in it: the exam would not be blind", name, w)
		}
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}

// Words are those of a trial that its run folder must not have.
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
