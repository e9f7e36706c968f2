package block

import (
	"golang.org/x/sys/windows"

	"linerate/internal/base/unit"
)

// Free is the space that a user may still write on the file system of a path.
func Free(path string) (unit.Bytes, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, err
	}
	return unit.Bytes(free), nil
}

// MayWrite is always true: on Windows only an attempt shows it.
func MayWrite(string) bool { return true }
