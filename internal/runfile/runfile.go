// Package runfile reads and writes recorded runs: what a run left behind, in one text file a run, which shows its
// changes in a diff. Tests judge these runs again. The file has a head and the files of the run folder:
//
//	linerate/recorded-run/1
//	truth: link
//	made: the command that makes the run again
//	edited: what was put in by hand, and from which real output
//	note: what else there is to say
//
//	==== manifest.json ====
//	{"schema":..}
//	==== snapshots/host1.idle.txtar ====
//	schema linerate/snapshot/1
//
// Only tests and internal/outputs import it.
package runfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

const (
	schema = "linerate/recorded-run/1"
	// Extension ends the name of a file that holds a recorded run.
	Extension = ".run"
	before    = "==== "
	after     = " ===="
)

// Run is a recorded run.
type Run struct {
	// Name is that of its file without the extension.
	Name string
	// Truth is the ids of the verdicts that are right, one or more: of each experiment in its order, or one list for all
	// of them.
	Truth [][]string
	// Made is the command that makes the run again. Edited says what was put in by hand, and from which real output;
	// empty: nothing.
	Made, Edited, Note string
	// Kept are names of files, of sections of snapshots and of keys of the manifest, separated by semicolons, that are
	// kept though no judgement reads them: a test edits or prints them.
	Kept  string
	Files []File
}

// File is one of a run folder, by its name in it.
type File struct {
	Name string
	Data []byte
}

// TruthOf is the ids of the verdicts that are right of an experiment.
func (r *Run) TruthOf(experiment int) []string {
	if len(r.Truth) == 1 {
		return r.Truth[0]
	}
	if experiment < len(r.Truth) {
		return r.Truth[experiment]
	}
	return nil
}

// Keeps reports whether a file, a section or a key is kept though no judgement reads it.
func (r *Run) Keeps(name string) bool {
	return slices.Contains(strings.Split(r.Kept, "; "), name)
}

// Read returns a file of the run folder by its name.
func (r *Run) Read(name string) ([]byte, error) {
	if i := r.index(name); i >= 0 {
		return r.Files[i].Data, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (r *Run) index(name string) int {
	return slices.IndexFunc(r.Files, func(f File) bool { return f.Name == name })
}

// Set replaces a file of the run folder, or adds it. No data takes it away.
func (r *Run) Set(name string, data []byte) {
	i := r.index(name)
	switch {
	case i < 0 && data != nil:
		r.Files = append(r.Files, File{name, data})
	case i >= 0 && data == nil:
		r.Files = slices.Delete(r.Files, i, i+1)
	case i >= 0:
		r.Files[i].Data = data
	}
}

// headers are the keys of the head with the field of each.
func (r *Run) headers() []struct {
	key  string
	text *string
} {
	return []struct {
		key  string
		text *string
	}{{"made", &r.Made}, {"edited", &r.Edited}, {"note", &r.Note}, {"kept", &r.Kept}}
}

// Text is the run as the text of its file. It fails if a file of the run has a line that looks like a marker.
func (r *Run) Text() ([]byte, error) {
	var b bytes.Buffer
	truths := xslices.Map(r.Truth, func(ids []string) string { return strings.Join(ids, ", ") })
	fmt.Fprintf(&b, "%s\ntruth: %s\n", schema, strings.Join(truths, "; "))
	for _, h := range r.headers() {
		if *h.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", h.key, strings.ReplaceAll(strings.TrimSpace(*h.text), "\n", "\n\t"))
		}
	}
	b.WriteString("\n")
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s%s%s\n", before, f.Name, after)
		for line := range bytes.Lines(f.Data) {
			if _, is := marker(line); is {
				return nil, fmt.Errorf("%s has a line that looks like the beginning of a file: %s", f.Name, line)
			}
		}
		b.Write(f.Data)
		if len(f.Data) > 0 && f.Data[len(f.Data)-1] != '\n' {
			b.WriteString("\n")
		}
	}
	return b.Bytes(), nil
}

func marker(line []byte) (name string, is bool) {
	s := strings.TrimRight(string(line), "\r\n")
	s, begins := strings.CutPrefix(s, before)
	s, ends := strings.CutSuffix(s, after)
	return s, begins && ends
}

// Parse reads the text of a file.
func Parse(text []byte) (*Run, error) {
	r := &Run{}
	var last *string // of the head, which goes on in lines that begin with a tab
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if name, is := marker(line); is {
			r.Files = append(r.Files, File{Name: name, Data: []byte{}})
			continue
		}
		if k := len(r.Files); k > 0 {
			r.Files[k-1].Data = append(r.Files[k-1].Data, line...)
			continue
		}
		s := strings.TrimRight(string(line), "\r\n")
		key, value, _ := strings.Cut(s, ": ")
		switch i := slices.IndexFunc(r.headers(), func(h struct {
			key  string
			text *string
		}) bool {
			return h.key == key
		}); {
		case n == 1:
			if s != schema {
				return nil, fmt.Errorf("the first line is %q, want %q", s, schema)
			}
		case s == "":
		case strings.HasPrefix(s, "\t") && last != nil:
			*last += "\n" + s[1:]
		case key == "truth":
			for ids := range strings.SplitSeq(value, "; ") {
				r.Truth = append(r.Truth, strings.Split(ids, ", "))
			}
		case i >= 0:
			last = r.headers()[i].text
			*last = value
		default:
			keys := []string{"truth"}
			for _, h := range r.headers() {
				keys = append(keys, h.key)
			}
			return nil, fmt.Errorf("line %d of the head: %q: its key is none of %s", n, s, strings.Join(keys, ", "))
		}
	}
	if len(r.Files) == 0 || len(r.Truth) == 0 || r.Truth[0][0] == "" || r.Made == "" {
		return nil, fmt.Errorf("a recorded run has a truth, what made it, and files")
	}
	return r, nil
}

// Open reads a file.
func Open(name string) (*Run, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.Name = strings.TrimSuffix(filepath.Base(name), Extension)
	return r, nil
}

// Write writes the run to its file in a folder.
func (r *Run) Write(dir string) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, r.Name+Extension), text, 0o644)
}

// Folder reads the files of a run folder that a judgement may read: the manifest, and the snapshots below a folder of
// that name.
func Folder(dir, manifest, snapshots string) (files []File, err error) {
	names, err := filepath.Glob(filepath.Join(dir, snapshots, "*"))
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{filepath.Join(dir, manifest)}, names...) {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		short, err := filepath.Rel(dir, name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{filepath.ToSlash(short), b})
	}
	return files, nil
}

// Unpack writes the files of the run folder into a folder.
func (r *Run) Unpack(dir string) error {
	for _, f := range r.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
