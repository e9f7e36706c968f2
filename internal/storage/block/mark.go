package block

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// markName is the extended attribute, and markWord its value, by which a file that linerate made is known again; where there are no attributes,
// a file beside it says which file is meant, so that another one that takes its name later is none.
const (
	markName = "user.linerate.made"
	markWord = "linerate/block/1"
)

// besideOf is the path of the file beside it.
func besideOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".linerate")
}

// mark marks f, which was just made at path, and says how; beside is the path of another file that was made.
func mark(f *os.File, path string) (how, beside string, err error) {
	if setMark(f) == nil && hasMark(f) {
		return "attribute " + markName, "", nil
	}
	beside = besideOf(path)
	info, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	b, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", "", err
	}
	_, err = fmt.Fprintf(b, "%s %s\n", markWord, numberOf(f, info))
	if e := b.Close(); err == nil {
		err = e
	}
	return "the file " + beside, beside, err
}

// marked says how f is marked as made by linerate, "" if it is not.
func marked(f *os.File, path string) string {
	if hasMark(f) {
		return "attribute " + markName
	}
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	beside := besideOf(path)
	text, err := os.ReadFile(beside)
	number := numberOf(f, info)
	if err != nil || number == "" || strings.TrimSpace(string(text)) != markWord+" "+number {
		return ""
	}
	return "the file " + beside
}
