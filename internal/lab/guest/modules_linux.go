package guest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// Modules are kernel modules that Debian's kernel does not have, built for one image and stored next to it.
type Modules struct {
	Names  []string `json:"names"` // the sets: siw, smbdirect
	Folder string   `json:"folder"`
	Files  []string `json:"files"` // modules (.ko), and the tables of all of the image's modules with them

	Built time.Duration `json:"-"` // build time of this call; 0: they were in the cache
	Bytes unit.Bytes    `json:"-"`
}

// Has reports whether a set is among them. Nil has none.
func (m *Modules) Has(name string) bool { return m != nil && slices.Contains(m.Names, name) }

const (
	// ModulesTimeout bounds a build, with the download.
	ModulesTimeout = 30 * time.Minute
	// modulesRoom is the temporary space of a build: packages, headers, a part of the source, the image's modules.
	modulesRoom = 600 << 20
	modulesName = "the guests' modules"
)

const modulesSchema = "linerate/guest-modules/1"

// modulesManifest seals a folder of modules.
type modulesManifest struct {
	Schema string   `json:"schema"`
	Format int      `json:"format"` // moduleSetsFormat
	Kernel string   `json:"kernel"`
	Image  string   `json:"image"` // SHA-256 of the initrd of the tables
	Names  []string `json:"names"`
	List   []string `json:"list"` // the files in their order
	Files  fileList `json:"files"`
}

// verifyModules reads a folder of modules and compares every file with its manifest. The error says what is wrong
// with it.
func verifyModules(dir string, i Image) (*Modules, error) {
	var m modulesManifest
	if err := readManifest(dir, &m); err != nil {
		return nil, err
	}
	switch {
	case m.Schema != modulesSchema:
		return nil, fmt.Errorf("its manifest has the schema %.40q", m.Schema)
	case m.Format != moduleSetsFormat:
		return nil, errors.New("another version of linerate has built it")
	case m.Image != i.sum:
		return nil, fmt.Errorf("it is of another image, of kernel %.60q", m.Kernel)
	case len(m.List) == 0 || CheckModules(m.Names) != nil:
		return nil, errors.New("its manifest names no modules")
	}
	out := &Modules{Names: m.Names, Folder: dir, Files: m.List}
	for _, f := range m.List {
		if f != filepath.Base(f) {
			return nil, fmt.Errorf("its manifest names the file %.60q", f)
		}
		out.Bytes += unit.Bytes(m.Files[f].Size)
	}
	return out, m.Files.check(dir, m.List)
}

// FindModules returns the cached modules for an image, those with the most sets; nil: none. wrong has sentences about
// cached modules that cannot be used.
func FindModules(i Image) (best *Modules, wrong []string) {
	dirs, _ := filepath.Glob(i.Folder() + ".modules-*")
	for _, dir := range dirs {
		if ext := filepath.Ext(dir); ext == ".part" || ext == ".log" {
			continue
		}
		m, err := verifyModules(dir, i)
		switch {
		case errors.Is(err, errNoImage):
		case err != nil:
			names := strings.Split(strings.TrimPrefix(dir, i.Folder()+".modules-"), "-")
			wrong = append(wrong,
				fmt.Sprintf("the modules %s of the cache cannot be used: %v; build them again with: %s", strings.Join(names, ", "),
					err, ModulesCommand(names...)))
		case best == nil || len(m.Names) > len(best.Names):
			best = m
		}
	}
	return best, wrong
}

// BuildModules returns these sets of modules for an image, together with those already in the cache, and builds the
// missing ones. say, if not nil, is called with each step. The second of two concurrent builds waits and uses the
// result of the first. A MissingError says what is missing on this machine. A build that fails leaves its log next to
// the image.
func BuildModules(ctx context.Context, i Image, names []string, say func(string)) (*Modules, error) {
	return buildModules(ctx, i, names, say, (*moduleBuilder).build)
}

func buildModules(ctx context.Context, i Image, names []string, say func(string),
	build func(*moduleBuilder, context.Context, []string) ([]string, error)) (*Modules, error) {
	tell := telling(say)
	if err := CheckModules(names); err != nil {
		return nil, err
	}
	enough := func(m *Modules) bool {
		return m != nil && !slices.ContainsFunc(names, func(n string) bool { return !m.Has(n) })
	}
	have, _ := FindModules(i)
	if enough(have) {
		return have, nil
	}
	unlock, err := lock(ctx, i.Folder()+modulesLock, modulesName, tell)
	if err != nil {
		return nil, err
	}
	defer unlock()
	have, wrong := FindModules(i) // another may have built them meanwhile
	if enough(have) {
		return have, nil
	}
	for _, w := range wrong {
		tell("%s", w)
	}
	var kept []string
	all := slices.Clone(names)
	if have != nil {
		for _, f := range have.Files {
			if strings.HasSuffix(f, ".ko") {
				kept = append(kept, filepath.Join(have.Folder, f))
			}
		}
		all = append(all, have.Names...)
	}
	sets, err := pickModules(slices.DeleteFunc(slices.Clone(names), have.Has))
	if err != nil {
		return nil, err
	}
	everything, err := pickModules(all)
	if err != nil {
		return nil, err
	}
	var union []string
	for _, s := range everything {
		union = append(union, s.Name)
	}
	// Every union has a folder of its own: a lab that starts meanwhile continues with the one that it found.
	dir := i.Folder() + ".modules-" + strings.Join(union, "-")
	start := time.Now()
	err = place(ctx, dir, modulesName, modulesRoom, ModulesTimeout, func(ctx context.Context, part string) error {
		b := &moduleBuilder{image: i, sets: sets, dir: part, log: i.Folder() + ".modules.log", say: tell}
		files, err := build(b, ctx, kept)
		if err != nil {
			return err
		}
		m := modulesManifest{Schema: modulesSchema, Format: moduleSetsFormat, Kernel: i.Version, Image: i.sum, Names: union,
			List: files}
		if m.Files, err = listFiles(part, files); err != nil {
			return err
		}
		return writeManifest(part, m)
	})
	if err != nil {
		return nil, err
	}
	m, err := verifyModules(dir, i)
	if err != nil {
		return nil, fmt.Errorf("%s read back changed: %w; look at the machine's memory and storage", modulesName, err)
	}
	m.Built = time.Since(start)
	tell("built in %.0f s", m.Built.Seconds())
	return m, nil
}

// copyInto adds the modules to the archive of a guest's first file system. A nil receiver adds nothing.
func (m *Modules) copyInto(c *cpioWriter, kernel string) error {
	if m == nil {
		return nil
	}
	of := "usr/lib/modules/" + kernel + "/"
	c.dir(of+updates, 0o755)
	for _, f := range m.Files {
		name := of + f
		if strings.HasSuffix(f, ".ko") {
			name = of + updates + "/" + f
		}
		if err := copyInto(c, name, rootEntry{from: filepath.Join(m.Folder, f), mode: 0o644}); err != nil {
			return err
		}
	}
	return nil
}
