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

// imageCache returns the folder of images in a cache; empty: linerate's own in the user's cache.
func imageCache(cache string) (string, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "linerate")
	}
	return filepath.Join(cache, "guest"), nil
}

// Built reports whether the cache has an image of that kind, for this version. It neither builds nor verifies: damage
// is found when an image is used. Cache is a folder; empty means linerate's own in the user's cache.
func Built(cache string, kind Kind) (bool, error) {
	cache, err := imageCache(cache)
	if err != nil {
		return false, err
	}
	var m manifest
	err = readManifest(filepath.Join(cache, recipeOf(kind).hash()), &m)
	if os.IsPermission(err) {
		return false, err
	}
	return err == nil && m.Schema == manifestSchema, nil
}

// cacheFolder makes the cache folder for the parts of guests. Cache is linerate's own; empty means that in the user's
// cache.
func cacheFolder(cache string) (string, error) {
	cache, err := imageCache(cache)
	if err != nil {
		return "", &MissingError{What: "there is no cache folder for the guests' image: " + err.Error(),
			Try: "set HOME, or XDG_CACHE_HOME"}
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", &MissingError{What: "the cache folder of the guests' image: " + err.Error(),
			Try: "set XDG_CACHE_HOME to a folder that can be written"}
	}
	return cache, nil
}

// place builds a folder of the cache under a temporary name and renames it when it is complete. The caller holds the
// folder's lock. what names the thing that is built, need is the temporary space for it. build ends with the manifest.
func place(ctx context.Context, dir, what string, need uint64, limit time.Duration,
	build func(ctx context.Context, part string) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: not built within %v", what, limit))
	defer cancel()
	part := dir + ".part" // left behind by a build that was killed: the holder of the lock owns it
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
		if missing := (*MissingError)(nil); errors.As(err, &missing) {
			said = missing.What // its advice does not help here
		}
		return &MissingError{What: fmt.Sprintf("the disk of %s is full: %s", filepath.Dir(dir), said),
			Try: "free " + unit.Bytes(need).String() + " there, or set XDG_CACHE_HOME to a larger disk"}
	}
	return err
}

// room refuses to start on a disk that is too full.
func room(dir, what string, want uint64) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return err
	}
	if free := s.Bavail * uint64(s.Bsize); free < want {
		return &MissingError{
			What: fmt.Sprintf("building %s takes %v for a while, and %s has %v", what, unit.Bytes(want), dir, unit.Bytes(free)),
			Try:  "free some, or set XDG_CACHE_HOME to a larger disk",
		}
	}
	return nil
}

// The suffixes of lock files, after the name of an image.
const (
	imageLock   = ".lock"
	modulesLock = ".modules.lock"
)

// lock takes the lock of a folder. The kernel releases it when this process ends for any reason.
func lock(ctx context.Context, path, what string, tell func(string, ...any)) (unlock func(), err error) {
	for reported := false; ; {
		// It is opened again each time, because clearing an image also removes its lock.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, &MissingError{What: fmt.Sprintf("%s cannot be built: %v", what, err),
				Try: "set XDG_CACHE_HOME to a folder that can be written"}
		}
		if err = flock(f, path); err == nil {
			return func() { f.Close() }, nil
		}
		f.Close()
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		if !reported {
			reported = true
			tell("another linerate builds %s; waiting for it", what)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
