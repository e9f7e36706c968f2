//go:build linux || freebsd || darwin

package runfolder

import (
	"errors"
	"os"
	"syscall"
)

const diskFull = syscall.ENOSPC

// lock takes flock(2) on the file; the system releases it when the process ends, however that happens.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		}
		return err
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// ownPrivate reports whether a folder belongs to this user alone.
func ownPrivate(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm() == 0o700
}

// removeLocked removes a folder while its lock is held, so that two sweeps do not meet.
func removeLocked(dir string, held *os.File) {
	os.RemoveAll(dir)
	held.Close()
}
