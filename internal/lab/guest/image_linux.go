package guest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

// Image is a kernel with its first file system, as files of this machine.
type Image struct {
	Kernel  string   `json:"kernel"`
	Initrd  string   `json:"initrd"`
	Disk    string   `json:"disk,omitempty"`   // of an operating system; empty: the initrd is all
	Version string   `json:"version"`          // of the kernel
	Absent  []string `json:"absent,omitempty"` // modules that this kernel does not have as modules
	Rebuilt string   `json:"rebuilt,omitempty"`
	// Modules are those in the cache that Debian's kernel does not have; nil: there are none.
	Modules *Modules `json:"modules,omitempty"`

	Built time.Duration `json:"-"` // build time of this call; 0: it was in the cache
	bytes int64         // of both files
	sum   string        // SHA-256 of the initrd
}

// Folder returns the image's folder.
func (i Image) Folder() string { return filepath.Dir(i.Kernel) }

// Bytes returns the size of its files.
func (i Image) Bytes() unit.Bytes { return unit.Bytes(i.bytes) }

const (
	// ImageTimeout bounds a build, with the download.
	ImageTimeout = 15 * time.Minute
	// buildRoom is the temporary space of a build: packages, their unpacked files, and the image.
	buildRoom = 900 << 20
	imageName = "the guests' image"
)

// Ensure returns an image of guests from the cache, and builds it if it is missing or damaged. Kind is the image's: the
// small one, or an operating system. Cache is a folder; empty means linerate's own in the user's cache. say, if not
// nil, is called with each step of a build. Concurrent builds do not conflict: the second waits and uses the result of
// the first. A MissingError says what is missing on this machine.
func Ensure(ctx context.Context, cache string, kind Kind, say func(string)) (Image, error) {
	i, err := ensure(ctx, cache, say, recipeOf(kind),
		func(ctx context.Context, b *builder) (imageInfo, error) { return b.build(ctx) })
	if err == nil {
		clearCache(filepath.Dir(i.Folder()), i.Folder(), time.Now(), telling(say))
	}
	return i, err
}

// telling is say with a format; say may be nil.
func telling(say func(string)) func(format string, args ...any) {
	return func(format string, args ...any) {
		if say != nil {
			say(fmt.Sprintf(format, args...))
		}
	}
}

func ensure(ctx context.Context, cache string, say func(string), r recipe,
	build func(context.Context, *builder) (imageInfo, error)) (Image, error) {
	tell := telling(say)
	cache, err := cacheFolder(cache)
	if err != nil {
		return Image{}, err
	}
	dir := filepath.Join(cache, r.hash())
	markUsed(dir, time.Now())
	m, err := verify(dir)
	if err == nil {
		return image(dir, m), nil
	}
	unlock, err := lock(ctx, dir+imageLock, imageName, tell)
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
	start := time.Now()
	err = place(ctx, dir, imageName, buildRoom, ImageTimeout, func(ctx context.Context, part string) error {
		info, err := build(ctx, &builder{recipe: r, dir: part, say: tell})
		if err != nil {
			return err
		}
		return seal(part, r, info)
	})
	if err != nil {
		return Image{}, err
	}
	if m, err = verify(dir); err != nil {
		return Image{}, fmt.Errorf("the guests' image reads back changed: %w; look at the machine's memory and storage", err)
	}
	i := image(dir, m)
	i.Rebuilt, i.Built = why, time.Since(start)
	return i, nil
}

func image(dir string, m manifest) Image {
	i := Image{Kernel: filepath.Join(dir, kernelFile), Initrd: filepath.Join(dir, initrdFile), Version: m.Info.Kernel,
		Absent: m.Info.Absent, bytes: m.Files[kernelFile].Size + m.Files[initrdFile].Size, sum: m.Files[initrdFile].SHA256}
	if m.Recipe.System != nil {
		i.Disk = filepath.Join(dir, diskFile)
		var s unix.Stat_t // most of its size is empty and takes no space
		if unix.Stat(i.Disk, &s) == nil {
			i.bytes += s.Blocks * 512
		}
	}
	return i
}
