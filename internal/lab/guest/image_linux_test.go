package guest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// fake builds an image without Debian: its two files.
func fake(n *atomic.Int32) func(context.Context, *builder) (imageInfo, error) {
	return func(_ context.Context, b *builder) (imageInfo, error) {
		n.Add(1)
		for _, name := range []string{kernelFile, initrdFile} {
			if err := os.WriteFile(filepath.Join(b.dir, name), []byte(strings.Repeat(name, 1000)), 0o600); err != nil {
				return imageInfo{}, err
			}
		}
		return imageInfo{Kernel: "6.0-test"}, nil
	}
}

func TestEnsure(t *testing.T) {
	cache, ctx := t.TempDir(), context.Background()
	var builds atomic.Int32
	var said []string
	say := func(s string) { said = append(said, s) }
	i, err := ensure(ctx, cache, say, recipe{Format: 1}, fake(&builds))
	if err != nil || i.Version != "6.0-test" || builds.Load() != 1 {
		t.Fatalf("%+v, %v, %d builds", i, err, builds.Load())
	}
	if _, err := ensure(ctx, cache, say, recipe{Format: 1}, fake(&builds)); err != nil || builds.Load() != 1 {
		t.Errorf("an image that is there was built again: %v", err)
	}
	if _, err := ensure(ctx, cache, say, recipe{Format: 2}, fake(&builds)); err != nil || builds.Load() != 2 {
		t.Errorf("another recipe: %v, %d builds", err, builds.Load())
	}
	dir := filepath.Dir(i.Kernel)
	for name, spoil := range map[string]func() error{
		"cut short": func() error { return os.Truncate(filepath.Join(dir, initrdFile), 100) },
		"changed": func() error {
			return os.WriteFile(filepath.Join(dir, kernelFile), []byte(strings.Repeat("VMLINUZ", 1000)), 0o600)
		},
		"without a kernel":  func() error { return os.Remove(filepath.Join(dir, kernelFile)) },
		"without manifest":  func() error { return os.Remove(filepath.Join(dir, manifestFile)) },
		"manifest cut":      func() error { return os.Truncate(filepath.Join(dir, manifestFile), 20) },
		"manifest of zeros": func() error { return os.WriteFile(filepath.Join(dir, manifestFile), make([]byte, 500), 0o600) },
	} {
		before := builds.Load()
		said = nil
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		got, err := ensure(ctx, cache, say, recipe{Format: 1}, fake(&builds))
		if err != nil || builds.Load() != before+1 || got.Rebuilt == "" ||
			!strings.Contains(strings.Join(said, "\n"), "was damaged") {
			t.Errorf("%s: %+v, %v, %d builds, said %q", name, got, err, builds.Load()-before, said)
		}
	}
	// The next build removes the remains of a killed one.
	part := dir + ".part"
	os.RemoveAll(dir)
	if err := os.MkdirAll(filepath.Join(part, "work", "tree"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ensure(ctx, cache, say, recipe{Format: 1}, fake(&builds)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(part); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", part, err)
	}
}

// crowd waits until a number of builders have reported that they wait for another.
type crowd struct{ said chan struct{} }

func newCrowd(n int) *crowd { return &crowd{make(chan struct{}, n)} }

func (c *crowd) say(s string) {
	if strings.Contains(s, "waiting for it") {
		c.said <- struct{}{}
	}
}

func (c *crowd) wait(t *testing.T) {
	late := time.After(time.Minute)
	for range cap(c.said) {
		select {
		case <-c.said:
		case <-late:
			t.Error("the others do not wait")
			return
		}
	}
}

// Concurrent builds: the others wait and use the result of the first.
func TestEnsureAtOnce(t *testing.T) {
	cache := t.TempDir()
	var builds atomic.Int32
	waiting := newCrowd(3)
	slow := func(ctx context.Context, b *builder) (imageInfo, error) {
		waiting.wait(t)
		return fake(&builds)(ctx, b)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := ensure(context.Background(), cache, waiting.say, recipe{}, slow); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if builds.Load() != 1 {
		t.Errorf("%d builds", builds.Load())
	}
}

func TestEnsureFails(t *testing.T) {
	cache := t.TempDir()
	full := func(context.Context, *builder) (imageInfo, error) {
		return imageInfo{}, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	_, err := ensure(context.Background(), cache, nil, recipe{}, full)
	wantMissing(t, "a full disk", err, "is full")
	// Programs report it in words, and their other advice does not help.
	for _, said := range []string{"You don't have enough free space in /x/.", "write error - write (28: No space left " +
		"on device)"} {
		reports := func(context.Context, *builder) (imageInfo, error) {
			return imageInfo{}, &MissingError{What: "packages cannot be fetched: " + said, Try: "look at the network"}
		}
		_, err := ensure(context.Background(), cache, nil, recipe{}, reports)
		wantMissing(t, "a full disk", err, "is full: packages cannot be fetched: "+said, "; try: free 900 MiB there")
		if strings.Contains(err.Error(), "network") {
			t.Errorf("a full disk: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop := func(ctx context.Context, _ *builder) (imageInfo, error) {
		cancel()
		<-ctx.Done()
		return imageInfo{}, errors.New("whatever was cut off")
	}
	if _, err := ensure(ctx, cache, nil, recipe{}, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("a build that was stopped: %v", err)
	}
	entries, _ := filepath.Glob(filepath.Join(cache, "guest", "*"))
	for _, e := range entries {
		if !strings.HasSuffix(e, ".lock") {
			t.Errorf("left behind: %s", e)
		}
	}
	file := filepath.Join(cache, "file")
	testenv.WriteFile(t, file, "", 0o600)
	_, err = ensure(context.Background(), file, nil, recipe{}, full)
	wantMissing(t, "a cache folder that cannot be", err, "XDG_CACHE_HOME")
}

// wantMissing fails unless an error names what is missing, with these words.
func wantMissing(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	var missing *MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("%s: %v", what, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q in it", what, err, w)
		}
	}
}

func TestRoom(t *testing.T) {
	wantMissing(t, "a disk that is too small", room(t.TempDir(), imageName, 1<<60), "takes")
	if err := room(t.TempDir(), imageName, 1); err != nil {
		t.Error(err)
	}
}

// The error names what is missing for guests, with the command that gets it.
func TestFindHostWithout(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := FindHost()
	wantMissing(t, "without QEMU", err)
	f := &fetcher{dir: t.TempDir(), say: func(string, ...any) {}}
	_, err = f.fetch(context.Background(), nil)
	wantMissing(t, "without apt", err, "apt-get is not here")
}

// The message about a failing package manager has its own error.
func TestFetchFails(t *testing.T) {
	needTools(t, "sh")
	bin := t.TempDir()
	programs(t, bin, map[string]string{"apt-cache": "echo linux-image-6.1.0-9-amd64",
		"apt-get": "echo 'E: Failed to fetch http://x/y.deb  404  Not Found' >&2; exit 100", "dpkg-deb": "exit 1"})
	t.Setenv("PATH", bin+":"+toolPath)
	f := &fetcher{dir: t.TempDir(), say: func(string, ...any) {}}
	_, err := f.fetch(context.Background(), []string{"dash"})
	wantMissing(t, "a package that cannot be fetched", err, "404  Not Found")
}
