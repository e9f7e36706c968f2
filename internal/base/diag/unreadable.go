package diag

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"linerate/internal/base/xslices"
)

// ErrFolder is the error of reading a folder as a file.
var ErrFolder = errors.New("it is a folder")

// Unreadable is the problem of a file that cannot be read. It has no Fix if nothing is known.
func Unreadable(path string, err error) *Problem {
	p := &Problem{ID: FileUnreadable, File: path, Subject: WholeFile}
	switch {
	case errors.Is(err, ErrFolder):
		p.Message = path + " is a folder"
		p.Fix = "write the file in it, such as " + filepath.Join(path, "fabric.yaml")
	case errors.Is(err, fs.ErrNotExist):
		p.Message = path + ": no such file"
		p.Fix = nearFile(path)
	case errors.Is(err, fs.ErrPermission):
		p.Message = path + ": no permission to read the file"
		p.Fix = "chmod +r " + path
	default:
		p.Message = fmt.Sprintf("%s: %v", path, err)
		if pe := (*os.PathError)(nil); errors.As(err, &pe) {
			p.Message = fmt.Sprintf("%s: %v", path, pe.Err)
		}
	}
	return p
}

// nearFile asks for a file with a similar name in the folder of a missing one; empty: there is none.
func nearFile(path string) string {
	dir, name := filepath.Split(path)
	entries, _ := os.ReadDir(cmp.Or(dir, ".")) // a folder that cannot be read has no similar name
	if near := Nearest(name, xslices.Map(entries, os.DirEntry.Name)); near != "" {
		return "did you mean " + dir + near + "?"
	}
	return ""
}
