package guest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

// unusedAfter is how long an image stays in the cache after its last use. Another linerate, older or newer, may be
// using it.
const unusedAfter = 30 * 24 * time.Hour

// usedFile is a file whose modification time is that of the last use of the image next to it.
const usedFile = "used"

// markUsed marks an image as used. Where it cannot write, nothing can be cleared either.
func markUsed(dir string, now time.Time) {
	file := filepath.Join(dir, usedFile)
	if err := os.Chtimes(file, now, now); errors.Is(err, fs.ErrNotExist) {
		os.WriteFile(file, nil, 0o600)
	}
}

// lastUsed returns the time at which an image was last used, or built.
func lastUsed(dir string) (last time.Time) {
	for _, name := range []string{"", usedFile, manifestFile} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.ModTime().After(last) {
			last = fi.ModTime()
		}
	}
	return last
}

var imageFolder = regexp.MustCompile(`^[0-9a-f]{16}$`)

// clearCache removes the remains of killed builds, and images that were not used for unusedAfter, with their modules.
// The image keep stays, and so does everything that another linerate has locked.
func clearCache(cache, keep string, now time.Time, tell func(string, ...any)) {
	parts, _ := filepath.Glob(filepath.Join(cache, "*.part"))
	for _, part := range parts {
		unlock, ok := tryLock(partLock(part))
		if !ok {
			continue // it is being built
		}
		size := folderSize(part)
		if os.RemoveAll(part) == nil {
			tell("removed what a build left behind that was killed: %s, %v", filepath.Base(part), size)
		}
		unlock()
	}
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if dir := filepath.Join(cache, e.Name()); e.IsDir() && imageFolder.MatchString(e.Name()) && dir != keep &&
			now.Sub(lastUsed(dir)) > unusedAfter {
			clearImage(dir, now, tell)
		}
	}
}

// partLock returns the lock of what is built in a folder.
func partLock(part string) string {
	name := strings.TrimSuffix(part, ".part")
	if image, _, ok := strings.Cut(name, ".modules-"); ok {
		return image + modulesLock
	}
	return name + imageLock
}

// clearImage removes an image with everything that belongs to it.
func clearImage(dir string, now time.Time, tell func(string, ...any)) {
	for _, lock := range []string{imageLock, modulesLock} {
		unlock, ok := tryLock(dir + lock)
		if !ok {
			return
		}
		defer unlock()
	}
	// A user of an image marks it and then reads it. Under the new name no use can start, and the mark of an earlier one
	// is seen.
	last, gone := lastUsed(dir), dir+".part"
	if os.RemoveAll(gone) != nil || os.Rename(dir, gone) != nil {
		return
	}
	if fi, err := os.Stat(filepath.Join(gone, usedFile)); err == nil && now.Sub(fi.ModTime()) <= unusedAfter {
		os.Rename(gone, dir)
		return
	}
	size := folderSize(gone)
	os.RemoveAll(gone)
	others, _ := filepath.Glob(dir + ".*")
	for _, path := range others { // modules, their log, and the locks: a waiting process sees that it no longer exists
		size += folderSize(path)
		os.RemoveAll(path)
	}
	tell("removed an image that was not used for %d days: %s, %v", int(now.Sub(last).Hours()/24), filepath.Base(dir), size)
}

// folderSize returns the size of the files in a folder, or of a file.
func folderSize(dir string) (sum unit.Bytes) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if fi, err := e.Info(); err == nil {
				sum += unit.Bytes(fi.Size())
			}
		}
		return nil
	})
	return sum
}

// tryLock takes a lock if it is free.
func tryLock(path string) (unlock func(), ok bool) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false
	}
	if err := flock(f, path); err != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}

var errLocked = errors.New("another process has the lock")

// flock locks a file that was opened by its name. errLocked: another process has it, or the name now belongs to another
// file.
func flock(f *os.File, path string) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR):
		return errLocked
	case err != nil:
		return fmt.Errorf("lock %s: %w", path, err)
	}
	have, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(have, named) {
		return errLocked
	}
	return nil
}
