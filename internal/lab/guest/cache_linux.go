package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

// cacheFolder makes the folder of what guests are made of. Cache is linerate's own; empty means that in the user's cache.
func cacheFolder(cache string) (string, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", &LackError{What: "there is no cache folder for the guests' image: " + err.Error(), Try: "set HOME, or XDG_CACHE_HOME"}
		}
		cache = filepath.Join(user, "linerate")
	}
	cache = filepath.Join(cache, "guest")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", &LackError{What: "the cache folder of the guests' image: " + err.Error(), Try: "set XDG_CACHE_HOME to a folder that can be written"}
	}
	return cache, nil
}

// place builds a folder of the cache beside its name and renames it when it is whole. Whoever calls has the folder's lock.
// What is the name of what is built, need the space that this takes for a while. Build ends with the manifest.
func place(ctx context.Context, dir, what string, need uint64, limit time.Duration, build func(ctx context.Context, part string) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: not built within %v", what, limit))
	defer cancel()
	part := dir + ".part" // left behind by a build that was killed: whoever has the lock owns it
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := room(filepath.Dir(dir), what, need); err != nil {
		return err
	}
	if err := os.Mkdir(part, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(part)
	err := build(ctx, part)
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case diskFull(err):
		said := err.Error()
		if lack := (*LackError)(nil); errors.As(err, &lack) {
			said = lack.What // what it says to try does not help here
		}
		return &LackError{What: fmt.Sprintf("the disk of %s is full: %s", filepath.Dir(dir), said),
			Try: "free " + unit.Bytes(need).String() + " there, or set XDG_CACHE_HOME to a larger disk"}
	}
	return err
}

// room refuses to begin on a disk that is too full.
func room(dir, what string, want uint64) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return err
	}
	if free := s.Bavail * uint64(s.Bsize); free < want {
		return &LackError{What: fmt.Sprintf("building %s takes %v for a while, and %s has %v", what, unit.Bytes(want), dir, unit.Bytes(free)),
			Try: "free some, or set XDG_CACHE_HOME to a larger disk"}
	}
	return nil
}

// The ends of the names of locks, behind the name of an image.
const (
	imageLock   = ".lock"
	modulesLock = ".modules.lock"
)

// lock takes the lock of a folder. The kernel gives it back when this process ends, however it ends.
func lock(ctx context.Context, path, what string, tell func(string, ...any)) (unlock func(), err error) {
	for told := false; ; {
		// Opened anew each time: an image that is cleared takes its lock along.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, &LackError{What: fmt.Sprintf("%s cannot be built: %v", what, err), Try: "set XDG_CACHE_HOME to a folder that can be written"}
		}
		if err = flock(f, path); err == nil {
			return func() { f.Close() }, nil
		}
		f.Close()
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		if !told {
			told = true
			tell("another linerate builds %s; waiting for it", what)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
