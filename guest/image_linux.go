package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"linerate/unit"
)

// Image is a kernel with its first file system, as files of this machine.
type Image struct {
	Kernel  string   `json:"kernel"`
	Initrd  string   `json:"initrd"`
	Version string   `json:"version"`          // of the kernel
	Absent  []string `json:"absent,omitempty"` // modules that this kernel does not have as modules
	Rebuilt string   `json:"rebuilt,omitempty"`
}

const (
	// ImageTimeout bounds a build, with the download.
	ImageTimeout = 15 * time.Minute
	// buildRoom is the space that a build takes for a while: packages, what is unpacked of them, and the image.
	buildRoom = 900 << 20
)

// Ensure returns the image of guests from the cache, and builds it if it is not there, or not whole. Cache is a folder;
// empty means linerate's own in the user's cache. Say, if not nil, is told each step of a build. Two builds at once do not
// clash: the second waits and takes what the first has built. A LackError says what is missing on this machine.
func Ensure(ctx context.Context, cache string, say func(string)) (Image, error) {
	return ensure(ctx, cache, say, defaultRecipe(), func(ctx context.Context, b *builder) (imageInfo, error) { return b.build(ctx) })
}

func ensure(ctx context.Context, cache string, say func(string), r recipe, build func(context.Context, *builder) (imageInfo, error)) (Image, error) {
	tell := func(format string, args ...any) {
		if say != nil {
			say(fmt.Sprintf(format, args...))
		}
	}
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return Image{}, &LackError{What: "there is no cache folder for the guests' image: " + err.Error(), Try: "set HOME, or XDG_CACHE_HOME"}
		}
		cache = filepath.Join(user, "linerate")
	}
	cache = filepath.Join(cache, "guest")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return Image{}, &LackError{What: "the cache folder of the guests' image: " + err.Error(), Try: "set XDG_CACHE_HOME to a folder that can be written"}
	}
	dir := filepath.Join(cache, r.hash())
	m, err := verify(dir)
	if err == nil {
		return image(dir, m), nil
	}
	unlock, err := lock(ctx, dir+".lock", tell)
	if err != nil {
		return Image{}, err
	}
	defer unlock()
	m, wrong := verify(dir) // another may have built it meanwhile
	if wrong == nil {
		return image(dir, m), nil
	}
	why := ""
	if !errors.Is(wrong, errNoImage) {
		why = fmt.Sprintf("the guests' image in the cache was damaged: %v", wrong)
		tell("%s; it is built again", why)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ImageTimeout, fmt.Errorf("the guests' image was not built within %v", ImageTimeout))
	defer cancel()
	part := dir + ".part" // left behind by a build that was killed: whoever has the lock owns it
	if err := os.RemoveAll(part); err != nil {
		return Image{}, err
	}
	if err := room(cache, buildRoom); err != nil {
		return Image{}, err
	}
	if err := os.Mkdir(part, 0o700); err != nil {
		return Image{}, err
	}
	defer os.RemoveAll(part)
	info, err := build(ctx, &builder{recipe: r, dir: part, say: tell})
	if err == nil {
		err = seal(part, r, info)
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	switch {
	case ctx.Err() != nil:
		return Image{}, context.Cause(ctx)
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		return Image{}, &LackError{What: fmt.Sprintf("the disk of %s is full: %v", cache, err), Try: "free " + unit.Bytes(buildRoom).String() + " there, or set XDG_CACHE_HOME to a larger disk"}
	case err != nil:
		return Image{}, err
	}
	if m, err = verify(dir); err != nil {
		return Image{}, fmt.Errorf("the guests' image reads back changed: %w; look at the machine's memory and storage", err)
	}
	i := image(dir, m)
	i.Rebuilt = why
	return i, nil
}

func image(dir string, m manifest) Image {
	return Image{Kernel: filepath.Join(dir, kernelFile), Initrd: filepath.Join(dir, initrdFile), Version: m.Info.Kernel, Absent: m.Info.Absent}
}

// room refuses to begin on a disk that is too full.
func room(dir string, want uint64) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return err
	}
	if free := s.Bavail * uint64(s.Bsize); free < want {
		return &LackError{What: fmt.Sprintf("building the guests' image takes %v for a while, and %s has %v", unit.Bytes(want), dir, unit.Bytes(free)),
			Try: "free some, or set XDG_CACHE_HOME to a larger disk"}
	}
	return nil
}

// lock takes the lock of an image. The kernel gives it back when this process ends, however it ends.
func lock(ctx context.Context, path string, tell func(string, ...any)) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	told := false
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !told {
			told = true
			tell("another linerate builds the guests' image; waiting for it")
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
