package runfolder

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteManifest writes manifest.json: the run, and every file of the folder with size and SHA-256, which it also sets
// in r.Files. It must be the last file that is written to a folder: a later event would change the journal's hash.
func (f *Folder) WriteManifest(r *record.Run) error {
	if err := f.log.sync(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	files, err := listFiles(f.Path)
	if err != nil {
		return err
	}
	r.Schema, r.Files = record.RunSchema, files
	body, err := r.JSON()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Path, ManifestName), err)
	}
	return writeWhole(f.disk, filepath.Join(f.Path, ManifestName), func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
}

// listFiles hashes all files of the folder except the manifest and unfinished files.
func listFiles(dir string) ([]record.File, error) {
	files := []record.File{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		short, err := filepath.Rel(dir, name)
		if err != nil || !d.Type().IsRegular() || short == ManifestName || isUnfinished(name) {
			return err
		}
		size, sum, err := hashFile(name)
		files = append(files, record.File{Name: filepath.ToSlash(short), Size: size, SHA256: sum})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	slices.SortFunc(files, func(a, b record.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

func isUnfinished(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".") && strings.HasSuffix(base, unfinished)
}

func hashFile(name string) (int64, string, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Verify compares every file with the manifest. Its error names each file that is missing, changed or not listed.
func Verify(dir string) error {
	r, err := readManifest(dir)
	if err != nil {
		return err
	}
	there, err := listFiles(dir)
	if err != nil {
		return err
	}
	have := xslices.By(there, func(f record.File) string { return f.Name })
	var wrong []error
	for _, want := range r.Files {
		f, ok := have[want.Name]
		delete(have, want.Name)
		switch {
		case !ok:
			wrong = append(wrong, fmt.Errorf("%s: %s is missing", dir, want.Name))
		case f.Size != want.Size:
			wrong = append(wrong, fmt.Errorf("%s: %s has %d bytes; the manifest says %d", dir, f.Name, f.Size, want.Size))
		case f.SHA256 != want.SHA256:
			wrong = append(wrong,
				fmt.Errorf("%s: %s was changed: SHA-256 %s; the manifest says %s", dir, f.Name, f.SHA256, want.SHA256))
		}
	}
	for _, f := range there {
		if _, left := have[f.Name]; left {
			wrong = append(wrong, fmt.Errorf("%s: %s is not in the manifest", dir, f.Name))
		}
	}
	return errors.Join(wrong...)
}

// readManifest reads the run of a complete folder; fs.ErrNotExist if it is not complete. With errDamaged it returns the
// part that could be read.
func readManifest(dir string) (*record.Run, error) { return readManifestAs(dir, false) }

// readManifestAs omits, if brief, the same parts as the pages of large runs.
func readManifestAs(dir string, brief bool) (*record.Run, error) {
	name := filepath.Join(dir, ManifestName)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = bufio.NewReaderSize(f, 256<<10)
	if brief {
		ahead := readAhead(newSkimmer(f))
		defer ahead.Close()
		in = ahead
	}
	r, _, err := readRun(in, brief)
	var stop refused
	switch {
	case errors.As(err, &stop):
		return nil, inputf("%s: %v%s", name, stop.error, pageNextToFolder(dir))
	case err != nil:
		return r, fmt.Errorf("%s %w: %w; without it the folder is shown from its journal", name, errDamaged, err)
	}
	return r, nil
}

var errDamaged = errors.New("cannot be read")

// pageNextToFolder points to the page of a folder whose record cannot be read.
func pageNextToFolder(dir string) string {
	if page := filepath.Join(dir, ReportName); exists(page) {
		return "; a browser shows " + page
	}
	return ""
}

// withoutNil removes nil experiments and follow-ups, which a damaged manifest may have, and follow-ups of follow-ups.
// It replaces aliases of methods.
func withoutNil(all []*record.Experiment) []*record.Experiment {
	all = slices.DeleteFunc(all, func(e *record.Experiment) bool { return e == nil })
	for _, e := range all {
		e.FollowUp = slices.DeleteFunc(e.FollowUp, func(x *record.Experiment) bool { return x == nil })
		for _, x := range e.FollowUp {
			x.FollowUp = nil
		}
		e.ReplaceAliases()
	}
	return all
}
