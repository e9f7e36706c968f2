// Package guest makes whole machines for the lab: it assembles a kernel and an initramfs out of Debian's packages
// without being root, keeps them in the user's cache, writes QEMU's command line, and communicates with the guest's
// init over one serial channel.
//
//	Ensure -> fetch (apt-get), unpack (dpkg-deb), root (programs, libraries, modules), cpio -> cache
//	BuildModules -> fetch (headers, source), make, check, depmod -> cache, next to the image
//	Channel <-- one byte stream --> Server: requests, and commands with their standard streams
//
// Package lab implements both ends: the requests, and their execution in the guest.
package guest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The names of an image's files.
const (
	kernelFile = "vmlinuz"
	initrdFile = "initrd.cpio"
	diskFile   = "root.ext4" // of an operating system
)

// files returns the names of the files of an image of this recipe.
func (r recipe) files() []string {
	if r.System != nil {
		return []string{kernelFile, initrdFile, diskFile}
	}
	return []string{kernelFile, initrdFile}
}

// bootModulesFile lists the files of the modules that the guest's init loads first, one a line, in load order.
const bootModulesFile = "etc/linerate/boot-modules"

// builder assembles one image in a folder of its own.
type builder struct {
	recipe recipe
	dir    string // of the image; for vmlinuz and initrd.cpio
	say    func(format string, args ...any)
}

// build fetches, unpacks and assembles.
func (b *builder) build(ctx context.Context) (info imageInfo, err error) {
	work := filepath.Join(b.dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return info, err
	}
	defer os.RemoveAll(work)
	start := time.Now()
	f := &fetcher{dir: filepath.Join(work, "apt"), say: b.say}
	debs, err := f.fetch(ctx, b.recipe.Packages)
	if err != nil {
		return info, err
	}
	b.say("unpacking %d packages", len(debs))
	t, err := newTree(filepath.Join(work, "tree"))
	if err != nil {
		return info, err
	}
	defer t.close()
	if err := t.unpackAll(ctx, debs, b.recipe); err != nil {
		return info, err
	}
	os.RemoveAll(f.dir)
	if b.recipe.System != nil {
		info, err = b.system(ctx, t)
	} else {
		info, err = b.initramfs(ctx, t)
	}
	if err != nil {
		return info, err
	}
	b.say("built in %.0f s", time.Since(start).Seconds())
	return info, nil
}

// initramfs assembles an image that is an initramfs.
func (b *builder) initramfs(ctx context.Context, t *tree) (info imageInfo, err error) {
	b.say("assembling the initramfs")
	root, err := t.assemble(b.recipe)
	if err != nil {
		return info, err
	}
	if info, err = b.modules(ctx, t, root); err != nil {
		return info, err
	}
	return info, b.write(ctx, root, t, info.Kernel)
}

// unpackAll unpacks what the recipe may need of every package.
func (t *tree) unpackAll(ctx context.Context, debs []string, r recipe) error {
	want := func(name string) bool {
		if r.System != nil {
			return r.System.wants(name, r.Folders)
		}
		if rest, ok := strings.CutPrefix(name, "usr/lib/modules/"); ok {
			return wantModule(rest, r.Folders)
		}
		for _, p := range []string{"boot/vmlinuz-", "usr/bin/", "usr/sbin/", "usr/lib/", "usr/lib64/", "usr/libexec/ksmbd",
			"etc/"} {
			if strings.HasPrefix(name, p) {
				return !strings.HasPrefix(name, "usr/lib/python3")
			}
		}
		return false
	}
	c := &counter{}
	for _, deb := range debs {
		if r.System != nil && r.System.without(filepath.Base(deb)) {
			continue
		}
		if err := eachDeb(ctx, deb, func(r io.Reader) error { return t.unpack(r, want, c) }); err != nil {
			return err
		}
	}
	return nil
}

// wantModule reports whether a file below usr/lib/modules is in one of the folders, or a table of the kernel's.
func wantModule(name string, folders []string) bool {
	_, rest, ok := strings.Cut(name, "/kernel/")
	if !ok {
		return strings.Contains(path.Base(name), "modules.") || strings.Count(name, "/") == 0
	}
	return slices.ContainsFunc(folders, func(f string) bool {
		return strings.HasPrefix(rest, f) && strings.ContainsAny((rest + "/")[len(f):len(f)+1], "/.")
	})
}

// modules adds the wanted kernel modules to the root, decompressed (which is cheaper here than in an emulated guest),
// with the tables that modprobe reads.
func (b *builder) modules(ctx context.Context, t *tree, root rootFiles) (imageInfo, error) {
	kernels := t.list("usr/lib/modules")
	if len(kernels) != 1 {
		return imageInfo{}, fmt.Errorf("the packages hold modules of %d kernels (%s), not of one", len(kernels),
			strings.Join(kernels, ", "))
	}
	version := kernels[0]
	info := imageInfo{Kernel: version}
	if err := t.root.Symlink("usr/lib", "lib"); err != nil {
		return info, err
	}
	if err := t.run(ctx, nil, "depmod", "usr/bin/kmod", "-b", t.dir, version); err != nil {
		return info, err
	}
	from := "usr/lib/modules/" + version + "/"
	table, err := t.moduleTable(from)
	if err != nil {
		return info, err
	}
	files, absent := table.closure(b.recipe.Modules)
	info.Absent = absent
	const staged = "staged" // a second tree, with only the modules in the root
	to := staged + "/lib/modules/" + version + "/"
	for _, f := range files {
		plain := strings.TrimSuffix(strings.TrimSuffix(f, ".xz"), ".zst")
		if err := t.plainModule(ctx, from+f, to+plain); err != nil {
			return info, err
		}
		root[from+plain] = rootEntry{from: t.path(to + plain), mode: 0o644}
	}
	for _, n := range []string{"modules.builtin", "modules.builtin.modinfo", "modules.order"} {
		if b, err := t.root.ReadFile(from + n); err == nil {
			if err := t.root.WriteFile(to+n, b, 0o644); err != nil {
				return info, err
			}
		}
	}
	if err := t.run(ctx, nil, "depmod", "usr/bin/kmod", "-b", filepath.Join(t.dir, staged), version); err != nil {
		return info, err
	}
	for _, n := range t.list(to) {
		if strings.HasPrefix(n, "modules.") {
			root[from+n] = rootEntry{from: t.path(to + n), mode: 0o644}
		}
	}
	if table, err = t.moduleTable(to); err != nil {
		return info, err
	}
	boot, _ := table.closure(b.recipe.Boot) // absent modules are built in; the guest's init reports missing ones
	for i := range boot {
		boot[i] = "/" + from + boot[i]
	}
	root.text(bootModulesFile, strings.Join(boot, "\n")+"\n")
	return info, nil
}

func (t *tree) moduleTable(dir string) (moduleTable, error) {
	f, err := t.root.Open(dir + "modules.dep")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseModulesDep(f)
}

// plainModule copies a module, decompressed by the packages' own programs.
func (t *tree) plainModule(ctx context.Context, from, to string) (err error) {
	if err := t.root.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := t.root.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	switch path.Ext(from) {
	case ".xz":
		return t.run(ctx, out, "xz", "usr/bin/xz", "-dc", t.path(from))
	case ".zst":
		return t.run(ctx, out, "zstd", "usr/bin/zstd", "-dcq", t.path(from))
	}
	in, err := t.root.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(out, in)
	return err
}

// run runs a program of the packages through their own loader and libraries, so that this machine need not have it.
func (t *tree) run(ctx context.Context, out io.Writer, as, name string, args ...string) error {
	return t.runWith(ctx, nil, out, as, name, args...)
}

// runWith is run with further variables in the environment.
func (t *tree) runWith(ctx context.Context, env []string, out io.Writer, as, name string, args ...string) error {
	at, err := t.resolve(name)
	if err != nil {
		return fmt.Errorf("no package holds the program %s", name)
	}
	loader, err := t.resolve("usr/lib64/ld-linux-x86-64.so.2")
	if err != nil {
		return errors.New("no package holds the loader ld-linux-x86-64.so.2")
	}
	argv := append([]string{"--argv0", as, "--library-path", t.path("usr/lib/x86_64-linux-gnu"), t.path(at)}, args...)
	cmd := exec.CommandContext(ctx, t.path(loader), argv...)
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = out, &errs
	cmd.Env = append(append(os.Environ(), "LC_ALL=C"), env...)
	defer ownGroup(cmd)()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s of the packages: %w: %s", as, err, lastLine(errs.String()))
	}
	return nil
}

// write writes the image's two files.
func (b *builder) write(ctx context.Context, root rootFiles, t *tree, version string) error {
	kernel, err := t.root.ReadFile("boot/vmlinuz-" + version)
	if err != nil {
		return fmt.Errorf("no package holds the kernel itself: %w", err)
	}
	// The plain kernel starts by PVH, without unpacking itself first, which takes 2 to 3 s under emulation.
	if plain, err := t.plainKernel(ctx, kernel); err == nil {
		kernel = plain
	}
	if err := writeFile(filepath.Join(b.dir, kernelFile), func(w io.Writer) error {
		_, err := w.Write(kernel)
		return err
	}); err != nil {
		return err
	}
	return writeFile(filepath.Join(b.dir, initrdFile), root.write)
}

// writeFile writes a file and syncs it.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, fs.FileMode(0o600))
	if err != nil {
		return err
	}
	return cmp.Or(write(f), f.Sync(), f.Close())
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
