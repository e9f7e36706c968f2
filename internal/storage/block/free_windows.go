package block

import (
	"golang.org/x/sys/windows"

	"linerate/internal/base/unit"
)

// Free is how much a user may still write to the file system of a path.
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

// MayWrite is taken to be so: Windows says it only to who tries.
func MayWrite(string) bool { return true }
