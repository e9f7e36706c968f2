package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// fakeImage builds an image without Debian.
func fakeImage(t *testing.T) Image {
	t.Helper()
	var n atomic.Int32
	i, err := ensure(context.Background(), t.TempDir(), nil, recipe{Format: 1}, fake(&n))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// fakeModules builds sets without a compiler: a module each, and a table.
func fakeModules(n *atomic.Int32) func(*moduleBuilder, context.Context, []string) ([]string, error) {
	return func(b *moduleBuilder, _ context.Context, kept []string) (files []string, err error) {
		n.Add(1)
		put := func(name, text string) {
			files = append(files, name)
			err = errors.Join(err, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
		}
		for _, k := range kept {
			text, rerr := os.ReadFile(k)
			err = errors.Join(err, rerr)
			put(filepath.Base(k), string(text))
		}
		for _, s := range b.sets {
			put(s.Name+".ko", strings.Repeat(s.Name, 100))
		}
		put("modules.dep", "table")
		return files, err
	}
}

func TestBuildModules(t *testing.T) {
	i, ctx := fakeImage(t), context.Background()
	var builds atomic.Int32
	get := func(names ...string) (*Modules, error) { return buildModules(ctx, i, names, nil, fakeModules(&builds)) }
	if m, wrong := FindModules(i); m.Has("siw") || len(wrong) > 0 {
		t.Fatalf("an empty cache has %+v, %v", m, wrong)
	}
	m, err := get("siw")
	if err != nil || !m.Has("siw") || m.Has("smbdirect") || builds.Load() != 1 || m.Bytes == 0 {
		t.Fatalf("%+v, %v, %d builds", m, err, builds.Load())
	}
	if again, err := get("siw"); err != nil || builds.Load() != 1 || again.Built != 0 {
		t.Errorf("what was there was built again: %v", err)
	}
	m, err = get("smbdirect")
	if err != nil || !slices.Equal(m.Names, []string{"siw", "smbdirect"}) ||
		!slices.Equal(m.Files, []string{"siw.ko", "smbdirect.ko", "modules.dep"}) {
		t.Fatalf("a second set does not keep the first: %+v, %v", m, err)
	}
	if found, _ := FindModules(i); found == nil || found.Folder != m.Folder {
		t.Errorf("found %+v, not those with the most sets", found)
	}
	os.RemoveAll(i.Folder() + ".modules-siw") // otherwise it replaces the damaged one
	for name, spoil := range map[string]func() error{
		"cut short":        func() error { return os.Truncate(filepath.Join(m.Folder, "siw.ko"), 10) },
		"without a module": func() error { return os.Remove(filepath.Join(m.Folder, "smbdirect.ko")) },
		"changed": func() error {
			return os.WriteFile(filepath.Join(m.Folder, "modules.dep"), []byte("TABLE"), 0o600)
		},
		"without manifest": func() error { return os.Remove(filepath.Join(m.Folder, manifestFile)) },
		"manifest cut":     func() error { return os.Truncate(filepath.Join(m.Folder, manifestFile), 30) },
		"manifest of zeros": func() error {
			return os.WriteFile(filepath.Join(m.Folder, manifestFile), make([]byte, 300), 0o600)
		},
	} {
		before := builds.Load()
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if found, wrong := FindModules(i); found != nil || len(wrong) != 1 ||
			!strings.Contains(wrong[0], "linerate lab build --modules siw,smbdirect") {
			t.Errorf("%s: found %+v, said %q", name, found, wrong)
		}
		if _, err := get("siw", "smbdirect"); err != nil || builds.Load() != before+1 {
			t.Errorf("%s: %v, %d builds", name, err, builds.Load()-before)
		}
	}
	// The remains of a killed build are not modules, and the next build removes them.
	os.RemoveAll(m.Folder)
	if err := os.MkdirAll(filepath.Join(m.Folder+".part", "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if found, wrong := FindModules(i); found != nil || len(wrong) > 0 {
		t.Errorf("a part of a build: %+v, %v", found, wrong)
	}
	if _, err := get("siw", "smbdirect"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(m.Folder + ".part"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the part is still there: %v", err)
	}
	// Tables of another image's modules are of no use.
	i.sum = strings.Repeat("0", 64)
	if found, wrong := FindModules(i); found != nil || len(wrong) != 1 || !strings.Contains(wrong[0], "another image") {
		t.Errorf("another image: %+v, %q", found, wrong)
	}
	if _, err := get("siw", "infiniband"); err == nil || !strings.Contains(err.Error(), "siw (soft iWARP)") {
		t.Errorf("a set that there is not: %v", err)
	}
}

// Concurrent builds of the same and of other sets: each set is built once, and the last one has both.
func TestBuildModulesAtOnce(t *testing.T) {
	i := fakeImage(t)
	var builds atomic.Int32
	waiting := newCrowd(5)
	var first sync.Once
	slow := func(b *moduleBuilder, ctx context.Context, kept []string) ([]string, error) {
		first.Do(func() { waiting.wait(t) })
		return fakeModules(&builds)(b, ctx, kept)
	}
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			name := ModuleNames()[n%2]
			if m, err := buildModules(context.Background(), i, []string{name}, waiting.say, slow); err != nil || !m.Has(name) {
				t.Errorf("%s: %+v, %v", name, m, err)
			}
		})
	}
	all.Wait()
	if m, _ := FindModules(i); builds.Load() != 2 || !m.Has("siw") || !m.Has("smbdirect") {
		t.Errorf("%d builds, and in the end %+v", builds.Load(), m)
	}
}

func TestBuildModulesFails(t *testing.T) {
	i := fakeImage(t)
	full := func(*moduleBuilder, context.Context, []string) ([]string, error) {
		return nil, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	_, err := buildModules(context.Background(), i, []string{"siw"}, nil, full)
	wantMissing(t, "a full disk", err, "is full")
	ctx, cancel := context.WithCancel(context.Background())
	stop := func(_ *moduleBuilder, ctx context.Context, _ []string) ([]string, error) {
		cancel()
		<-ctx.Done()
		return nil, errors.New("whatever was cut off")
	}
	if _, err := buildModules(ctx, i, []string{"siw"}, nil, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("a build that was stopped: %v", err)
	}
	if left, _ := filepath.Glob(i.Folder() + ".modules-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The modules and their tables are in the guest's first file system, after those of the image.
func TestModulesInInitrd(t *testing.T) {
	i := fakeImage(t)
	if err := os.WriteFile(i.Initrd, newc(t, func(r rootFiles) { r.text("usr/lib/modules/6.0-test/modules.dep", "old") }),
		0o600); err != nil {
		t.Fatal(err)
	}
	m, err := buildModules(context.Background(), i, []string{"siw"}, nil, fakeModules(&atomic.Int32{}))
	if err != nil {
		t.Fatal(err)
	}
	i.Modules = m
	f, err := MakeInitrd(i, "/proc/self/exe", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := readCpio(b)
	if err != nil {
		t.Fatal(err)
	}
	if got["usr/lib/modules/6.0-test/modules.dep"] != "100644 table" ||
		got["usr/lib/modules/6.0-test/updates/siw.ko"] != "100644 "+strings.Repeat("siw", 100) || got["init"] == "" {
		t.Errorf("modules.dep %q, siw.ko %.20q", got["usr/lib/modules/6.0-test/modules.dep"],
			got["usr/lib/modules/6.0-test/updates/siw.ko"])
	}
	os.Remove(filepath.Join(m.Folder, "siw.ko"))
	if _, err := MakeInitrd(i, "/proc/self/exe", nil); err == nil || !strings.Contains(err.Error(), "siw.ko") {
		t.Errorf("a module that is gone: %v", err)
	}
}
