//go:build !windows

package block

import (
	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

// Free is the space that a user may still write on the file system of a path.
func Free(path string) (unit.Bytes, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return unit.Bytes(s.Bavail) * unit.Bytes(s.Bsize), nil
}

// MayWrite reports whether this user may create files in a folder, without trying it.
func MayWrite(folder string) bool { return unix.Access(folder, unix.W_OK|unix.X_OK) == nil }
