package runfolder

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const diskFull = windows.ERROR_DISK_FULL

// lock takes one byte far behind the end of the file, because on Windows nobody else can read a locked range.
func lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 0x40000000}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

// syncDir does nothing: Windows has no handle of a folder that can be flushed, and NTFS journals renames.
func syncDir(string) error { return nil }

// ownPrivate is true: on Windows every user has a folder of temporary files.
func ownPrivate(os.FileInfo) bool { return true }

// removeLocked removes a folder after its lock, because Windows removes no open file.
func removeLocked(dir string, held *os.File) {
	held.Close()
	os.RemoveAll(dir)
}
