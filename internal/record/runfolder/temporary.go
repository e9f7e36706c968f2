package runfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// temporaryPrefix is the beginning of the name of a temporary folder.
	temporaryPrefix = "linerate-run-"
	// temporaryLock is the file in such a folder that its process holds.
	temporaryLock = "lock"
)

// Temporary makes a folder for files that no longer matter when this process ends. remove removes it; of a process that
// was killed, the next call of SweepTemporary does.
func Temporary() (dir string, remove func(), err error) {
	for range 16 {
		if dir, err = os.MkdirTemp("", temporaryPrefix); err != nil {
			return "", nil, err
		}
		path := filepath.Join(dir, temporaryLock)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		remove := func() {
			f.Close() // before, because Windows removes no open file
			os.RemoveAll(dir)
		}
		// A sweep may have taken the folder for one without a process, between its making and its lock.
		if err := lock(f); err == nil {
			if there, err := os.Stat(path); err == nil {
				if own, err := f.Stat(); err == nil && os.SameFile(there, own) {
					return dir, remove, nil
				}
			}
		} else if !errors.Is(err, errHeld) { // this file system has no locks, and so nobody sweeps here
			return dir, remove, nil
		}
		f.Close()
	}
	return "", nil, errors.New("temporary folder: other processes remove each new one")
}

// SweepTemporary removes the temporary folders that processes of this user have left. It leaves those of processes that
// run, and of other users.
func SweepTemporary() {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporaryPrefix) && e.Type() == fs.ModeDir {
			sweepOne(filepath.Join(os.TempDir(), e.Name()))
		}
	}
}

func sweepOne(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !ownPrivate(info) {
		return
	}
	// Without this file its process is about to make it.
	f, err := os.OpenFile(filepath.Join(dir, temporaryLock), os.O_RDWR, 0)
	if err != nil {
		return
	}
	if lock(f) != nil {
		f.Close()
		return
	}
	removeLocked(dir, f)
}
