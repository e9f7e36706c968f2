package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// cleared runs clearCache and returns what is left, locks aside, and the messages.
func cleared(t *testing.T, cache, keep string, now time.Time) (left []string, said string) {
	t.Helper()
	var lines []string
	clearCache(cache, keep, now, func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	return left, strings.Join(lines, "\n")
}

// An image that was not used for a month is removed with everything that belongs to it; nothing else is.
func TestClearUnused(t *testing.T) {
	top := t.TempDir()
	var builds atomic.Int32
	var images []Image
	for format := range 3 {
		i, err := ensure(context.Background(), top, nil, recipe{Format: format}, fake(&builds))
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, i)
	}
	if _, err := buildModules(context.Background(), images[0], []string{"siw"}, nil, fakeModules(&builds)); err != nil {
		t.Fatal(err)
	}
	cache, keep := filepath.Join(top, "guest"), images[2].Folder()
	other := filepath.Join(cache, "of-somebody-else")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	aged := func(age time.Duration) {
		for _, i := range images {
			for _, name := range []string{usedFile, manifestFile, ""} {
				os.Chtimes(filepath.Join(i.Folder(), name), time.Now().Add(-age), time.Now().Add(-age))
			}
		}
		os.Chtimes(other, time.Now().Add(-age), time.Now().Add(-age))
	}
	has := func(left []string, i int) bool { return slices.Contains(left, filepath.Base(images[i].Folder())) }

	aged(unusedAfter - time.Hour)
	if left, said := cleared(t, cache, keep, time.Now()); said != "" || !has(left, 0) || !has(left, 1) {
		t.Fatalf("before its time: %s; left %v", said, left)
	}
	aged(unusedAfter + 50*time.Hour)
	if _, err := ensure(context.Background(), top, nil, recipe{Format: 1}, fake(&builds)); err != nil { // it is used
		t.Fatal(err)
	}
	// A build of modules for it is running: everything stays.
	unlock, ok := tryLock(images[0].Folder() + modulesLock)
	if !ok {
		t.Fatal("no lock")
	}
	if left, said := cleared(t, cache, keep, time.Now()); said != "" || !has(left, 0) {
		t.Errorf("while somebody builds: %s; left %v", said, left)
	}
	unlock()
	left, said := cleared(t, cache, keep, time.Now())
	if has(left, 0) || !has(left, 1) || !has(left, 2) || !slices.Contains(left, "of-somebody-else") {
		t.Errorf("left %v", left)
	}
	if slices.ContainsFunc(left, func(s string) bool { return strings.HasPrefix(s, filepath.Base(images[0].Folder())) }) {
		t.Errorf("something of the image is left: %v", left)
	}
	if want := "removed an image that was not used for 32 days: " + filepath.Base(
		images[0].Folder(),
	); !strings.HasPrefix(said, want) || strings.Contains(said, "\n") {
		t.Errorf("said %q, want %q", said, want)
	}
	before := builds.Load()
	if i, err := ensure(context.Background(), top, nil, recipe{Format: 1},
		fake(&builds)); err != nil || builds.Load() != before || i.Folder() != images[1].Folder() {
		t.Errorf("what is left cannot be used: %v", err)
	}
}

// The remains of a killed build are removed immediately, and a running build stays.
func TestClearParts(t *testing.T) {
	cache := t.TempDir()
	for _, part := range []string{"0123456789abcdef.part", "0123456789abcdef.modules-siw.part", "fedcba9876543210.part",
		"fedcba9876543210.modules-siw-smbdirect.part"} {
		if err := os.MkdirAll(filepath.Join(cache, part, "work"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, lock := range []string{"0123456789abcdef" + imageLock, "fedcba9876543210" + modulesLock} {
		unlock, ok := tryLock(filepath.Join(cache, lock))
		if !ok {
			t.Fatal("no lock")
		}
		defer unlock()
	}
	left, said := cleared(t, cache, "", time.Now())
	left = slices.DeleteFunc(left, func(s string) bool { return strings.HasSuffix(s, ".lock") })
	if want := []string{"0123456789abcdef.part",
		"fedcba9876543210.modules-siw-smbdirect.part"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	if strings.Count(said, "removed what a build left behind that was killed: ") != 2 {
		t.Errorf("said %q", said)
	}
}

// A lock that is removed with its image is void: a process that waited for it takes the new one with that name.
func TestLockGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	os.Remove(path)
	if err := flock(f, path); !errors.Is(err, errLocked) {
		t.Errorf("the lock of a file that is gone: %v", err)
	}
	unlock, err := lock(context.Background(), path, imageName, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tryLock(path); ok {
		t.Error("a lock was taken twice")
	}
	unlock()
	if again, ok := tryLock(path); !ok {
		t.Error("a lock was not given back")
	} else {
		again()
	}
	_, err = lock(context.Background(), filepath.Join(path, "x"), imageName, nil)
	wantMissing(t, "a lock that cannot be made", err, "XDG_CACHE_HOME")
}
