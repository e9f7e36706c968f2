package block

import (
	"os"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

// DropCached asks the system to let go of what it has of a file in its cache. What is not on the medium yet stays: sync the file first.
func DropCached(f *os.File) error { return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// Cached is how much of a file the system has in its cache (cachestat, Linux 6.5).
func Cached(f *os.File) (unit.Bytes, error) { return inCache(f) }
