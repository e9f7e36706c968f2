//go:build !linux

package block

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"linerate/internal/base/unit"
)

// openDevice opens a disk for reading. linerate cannot see what uses a disk on this system, so it writes none.
func openDevice(_ context.Context, j Job, _ fs.FileInfo) (*target, error) {
	if j.writes() {
		return nil, unsafeTo(j.Target,
			"what uses a device can be found out on Linux alone, so it is not written here; read alone (read 1), or name a file")
	}
	t := &target{ready: Ready{Kind: KindDevice, Path: j.Target}}
	if err := t.open(j); err != nil {
		return nil, openError(j.Target, err)
	}
	size, sector, err := mediumOf(t.file)
	if err == nil && size == 0 {
		err = input(j.Target, "the device has no size: no medium is in it")
	}
	if err == nil && j.Span > size {
		err = input("span", "%s has %v, less than the %v that are to be used; lower span", j.Target, size, j.Span)
	}
	if err != nil {
		_ = t.close()
		return nil, openError(j.Target, err)
	}
	t.ready.Size, t.ready.Sector, t.ready.Found = size, sector, signatures(t.file, int64(size))
	return t, nil
}

// cache describes how the system's cache was treated: it cannot be emptied on this system.
func (t *target) cache(j Job) string {
	switch {
	case t.file == nil:
		return ""
	case j.Warm:
		return "left as it was (warm)"
	case j.Cached:
		return "not dropped: this system has no call for it; a file that was just laid out is in it, and reads may come " +
			"from memory"
	case t.ready.Direct != nil && *t.ready.Direct:
		return "around it"
	}
	return "not known: " + t.ready.DirectWhy
}

// DropCached is not available on this system.
func DropCached(*os.File) error {
	return errors.New("how " + runtime.GOOS + " lets go of a file's pages is not known here")
}

// Cached is not available on this system.
func Cached(*os.File) (unit.Bytes, error) {
	return 0, errors.New("what " + runtime.GOOS + " has in its cache is not read")
}
