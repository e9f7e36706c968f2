package guest

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// updates is the folder of modules that precede a kernel's own (depmod.d(5)).
const updates = "updates"

// moduleBuilder builds sets of modules in a folder of its own.
type moduleBuilder struct {
	image Image
	sets  []moduleSet
	dir   string // for the modules and the tables
	log   string // file for all compiler output
	say   func(format string, args ...any)
}

// build fetches, unpacks and compiles, and adds the modules of the files kept, which were built before. It returns
// the names of the files in the folder: the modules, and the tables of all modules of the image with them.
func (b *moduleBuilder) build(ctx context.Context, kept []string) (files []string, err error) {
	work := filepath.Join(b.dir, "work")
	if err := plainPath(work); err != nil {
		return nil, err
	}
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	f := &fetcher{dir: filepath.Join(work, "apt"), say: b.say}
	packages, err := f.kernel(ctx, b.image.Version, b.image.Folder())
	if err != nil {
		return nil, err
	}
	if err := toolchain(packages, b.sets); err != nil {
		return nil, err
	}
	headers, source, err := f.sources(ctx, packages)
	if err != nil {
		return nil, err
	}
	t, err := newTree(filepath.Join(work, "tree"))
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := b.unpack(ctx, t, packages, headers, source); err != nil {
		return nil, err
	}
	os.RemoveAll(f.dir)
	modules := slices.Clone(kept)
	log, err := os.OpenFile(b.log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for _, s := range b.sets {
		m := &maker{builder: b, tree: t, packages: packages, log: log}
		made, err := m.make(ctx, s)
		if err != nil {
			return nil, err
		}
		modules = append(modules, made...)
	}
	return b.tables(ctx, filepath.Join(work, "root"), modules)
}

// sourceFolder is the folder for the wanted part of the kernel's source.
const sourceFolder = "source"

// unpack unpacks the headers, and of the source what the sets need.
func (b *moduleBuilder) unpack(ctx context.Context, t *tree, p kernelPackages, headers []string, source string) error {
	b.say("unpacking the kernel's headers")
	c := &counter{}
	for _, deb := range headers {
		err := eachDeb(ctx, deb, func(r io.Reader) error {
			return t.unpack(r, func(name string) bool {
				return strings.HasPrefix(name, "usr/src/") || strings.HasPrefix(name, "usr/lib/linux-kbuild-")
			}, c)
		})
		if err != nil {
			return err
		}
	}
	// The headers include their common part by an absolute path, which is moved below the tree.
	file := "usr/src/" + p.Headers + "/Makefile"
	text, err := t.root.ReadFile(file)
	if err != nil {
		return fmt.Errorf("the package %s is not as it was: %w", p.Headers, err)
	}
	if err := t.root.WriteFile(file, []byte(strings.ReplaceAll(string(text), " /usr/src/", " "+t.dir+"/usr/src/")),
		0o644); err != nil {
		return err
	}
	b.say("unpacking what is needed of the kernel's source")
	return eachDeb(ctx, source, func(r io.Reader) error { return b.unpackSource(ctx, t, r, c) })
}

// unpackSource unpacks the compressed archive that the package of the source holds.
func (b *moduleBuilder) unpackSource(ctx context.Context, t *tree, deb io.Reader, c *counter) error {
	for in := tar.NewReader(deb); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return errNoSource
		}
		if err != nil {
			return err
		}
		if base := path.Base(h.Name); !strings.HasPrefix(base, "linux-source-") || !strings.HasSuffix(base, ".tar.xz") {
			continue
		}
		cmd := exec.CommandContext(ctx, "xz", "-dc")
		every, top := pacer{}, ""
		at := &countReader{r: in}
		cmd.Stdin = at
		return piped(cmd, func(r io.Reader) error {
			want := func(name string) bool {
				if every.now() {
					b.say("unpacked %d %%", 100*at.n.Load()/max(h.Size, 1))
				}
				folder, rest, _ := strings.Cut(name, "/")
				wanted := slices.ContainsFunc(b.sets, func(s moduleSet) bool { return s.wants(rest) })
				if wanted && top == "" {
					top = folder
				}
				return wanted && folder == top
			}
			if err := t.unpack(r, want, c); err != nil {
				return err
			}
			if top == "" {
				return fmt.Errorf("%s holds nothing of what is to be built", path.Base(h.Name))
			}
			return t.root.Rename(top, sourceFolder)
		})
	}
}

// countReader counts the bytes read.
type countReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// tables adds the modules to the image's own tree of modules, rewrites its tables with the image's own depmod, and
// copies modules and tables into the builder's folder.
func (b *moduleBuilder) tables(ctx context.Context, dir string, modules []string) (files []string, err error) {
	root, err := newTree(dir)
	if err != nil {
		return nil, err
	}
	defer root.close()
	initrd, err := os.Open(b.image.Initrd)
	if err != nil {
		return nil, err
	}
	defer initrd.Close()
	of := "usr/lib/modules/" + b.image.Version + "/"
	err = root.unpackArchive(initrd, func(name string) bool {
		return name == "usr/bin/kmod" || strings.HasPrefix(name, of) || strings.HasPrefix(name, "usr/lib64/") ||
			strings.HasPrefix(name, "usr/lib/x86_64-linux-gnu/lib")
	}, &counter{})
	if err != nil {
		return nil, fmt.Errorf("the guests' image: %w", err)
	}
	if err := root.root.Symlink("usr/lib", "lib"); err != nil {
		return nil, err
	}
	for _, m := range modules {
		name := filepath.Base(m)
		if err := copyFile(filepath.Join(b.dir, name), m); err != nil {
			return nil, err
		}
		if err := root.root.MkdirAll(of+updates, 0o755); err != nil {
			return nil, err
		}
		if err := copyFile(root.path(of+updates+"/"+name), m); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	if err := root.run(ctx, nil, "depmod", "usr/bin/kmod", "-b", root.dir, b.image.Version); err != nil {
		return nil, err
	}
	if err := b.fit(root, of, files); err != nil {
		return nil, err
	}
	for _, n := range root.list(of) {
		if fi, err := root.root.Lstat(of + n); err != nil || !strings.HasPrefix(n, "modules.") || !fi.Mode().IsRegular() {
			continue
		}
		if err := copyFile(filepath.Join(b.dir, n), root.path(of+n)); err != nil {
			return nil, err
		}
		files = append(files, n)
	}
	return files, nil
}

// fit checks that the modules were built for the image's kernel and that the image has all their dependencies.
func (b *moduleBuilder) fit(root *tree, of string, modules []string) error {
	table, err := root.moduleTable(of)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for f := range table {
		have[moduleName(f)] = true
	}
	builtin, _ := root.root.ReadFile(of + "modules.builtin")
	for _, f := range strings.Fields(string(builtin)) {
		have[moduleName(f)] = true
	}
	for _, name := range modules {
		m, err := readModinfo(filepath.Join(b.dir, name))
		if err != nil {
			return err
		}
		if m.Kernel != b.image.Version {
			return fmt.Errorf("the module %s was built for kernel %s, and the guests' is %s", name, m.Kernel, b.image.Version)
		}
		for _, d := range m.Depends {
			if !have[d] {
				return fmt.Errorf("the module %s needs the module %s, which the guests' image does not hold", name, d)
			}
		}
	}
	return nil
}

// copyFile copies a file and syncs it.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
