package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/base/failure"
)

// markName is the extended attribute, and markWord its value, that identifies a file that linerate made. Without
// attributes a file next to it identifies it, so that another file that later takes its name is not mistaken for it.
const (
	markName = "user.linerate.made"
	markWord = "linerate/block/1"
)

// markFileOf is the path of the file next to path.
func markFileOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".linerate")
}

// mark marks f, which was just created at path, and returns how. markFile is the path of the file next to it, if one
// was needed.
func mark(f *os.File, path string) (how, markFile string, err error) {
	if setMark(f) == nil && hasMark(f) {
		return "attribute " + markName, "", nil
	}
	markFile = markFileOf(path)
	info, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	b, err := os.OpenFile(markFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", "", err
	}
	_, err = fmt.Fprintf(b, "%s %s\n", markWord, numberOf(f, info))
	if e := b.Close(); err == nil {
		err = e
	}
	return "the file " + markFile, markFile, err
}

// marked returns how f is marked as made by linerate, "" if it is not.
func marked(f *os.File, path string) string {
	if hasMark(f) {
		return "attribute " + markName
	}
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	markFile := markFileOf(path)
	text, err := os.ReadFile(markFile)
	number := numberOf(f, info)
	if err != nil || number == "" || strings.TrimSpace(string(text)) != markWord+" "+number {
		return ""
	}
	return "the file " + markFile
}

// Remove removes a file that linerate made, and the file next to it that marks it. It fails for any other file and
// leaves it alone. A missing file is not an error.
func Remove(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return openError(path, err)
	}
	how := marked(f, path)
	_ = f.Close() // it was only read
	if how == "" {
		return &failure.Error{Code: failure.CodeUnsafe, Subject: path,
			Text: "this file was not made by linerate, and is left alone"}
	}
	err = os.Remove(path)
	if e := os.Remove(markFileOf(path)); err == nil && e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = e
	}
	return err
}
