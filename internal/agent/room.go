package agent

import (
	"errors"
	"io/fs"
	"os"

	"linerate/internal/facts"
	"linerate/internal/storage/block"
)

// roomAt looks at a path of this host, and changes nothing.
func roomAt(path string) facts.Room {
	r := facts.Room{Path: path}
	info, err := os.Stat(path)
	if err != nil {
		var p *fs.PathError
		if r.Lacks = err.Error(); errors.As(err, &p) {
			r.Lacks = p.Err.Error()
		}
		return r
	}
	switch {
	case info.IsDir():
		r.Kind = "folder"
	case info.Mode().IsRegular():
		r.Kind = "file"
	default:
		r.Kind, r.Lacks = "device", "it is no folder"
		return r
	}
	if f, err := os.Open(path); err == nil {
		at := block.PlaceOf(f)
		r.FileSystem, r.Mount, r.Source = at.FileSystem, at.Mount, at.Source
		f.Close()
	}
	if free, err := block.Free(path); err == nil {
		n := int64(free)
		r.Free = &n
	}
	switch {
	case r.Kind == "file":
		r.Lacks = "it is no folder"
	case !block.MayWrite(path):
		r.Lacks = "this user may not write there"
	}
	return r
}
