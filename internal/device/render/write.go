package render

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/device/config"
)

// markName is the file that marks a folder as written by linerate, which may overwrite it.
const markName = ".linerate-config"

// Write writes the set into a folder: one folder per device, and the page of the whole. The folder must not exist, be
// empty, or be one that Write made. The new one replaces it as a whole, so an incomplete folder is never visible and no
// file of an earlier plan remains.
func (s *Set) Write(dir string) error {
	if err := mayReplace(dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".linerate-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := s.fill(fresh); err != nil {
		return err
	}
	old := fresh + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// ErrOtherFiles is the error of Write for a folder whose files linerate config did not write.
var ErrOtherFiles = errors.New("refused, because it has other files")

// mayReplace returns an error if a folder has files that Write did not make.
func mayReplace(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, markName)); err != nil {
		return fmt.Errorf("%s: %w; name another folder with -o; linerate config did not write them, and would delete them",
			dir, ErrOtherFiles)
	}
	return nil
}

func (s *Set) fill(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	mark := fmt.Sprintf("written by linerate config for the fabric %s; the whole folder is replaced the next time\n",
		s.Plan.Name)
	if err := os.WriteFile(filepath.Join(dir, markName), []byte(mark), 0o644); err != nil {
		return err
	}
	for _, f := range s.Pages() {
		if err := writeFile(dir, &f); err != nil {
			return err
		}
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		for j := range d.Files {
			if err := writeFile(filepath.Join(dir, d.Name), &d.Files[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFile writes a rendered file below a folder.
func writeFile(dir string, f *config.File) error {
	if strings.Contains(f.Name, "..") {
		return fmt.Errorf("%s: a file name leads out of the folder", f.Name)
	}
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Exec {
		mode = 0o755
	}
	return os.WriteFile(path, []byte(f.Text()), mode)
}
