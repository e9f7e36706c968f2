package main

import (
	"path/filepath"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/doctor"
	"linerate/internal/storage/block"
)

// runFolder is what there is to say of the place where run folders go.
func runFolder(folder string) doctor.Folder {
	f := doctor.Folder{Path: folder, Write: block.MayWrite(folder)}
	if path, err := filepath.Abs(folder); err == nil {
		f.Path = path
	}
	if free, err := block.Free(folder); err != nil {
		f.Free = unit.Unknown[unit.Bytes](err.Error())
	} else {
		f.Free = unit.Known(free)
	}
	return f
}
