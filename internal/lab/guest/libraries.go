package guest

import (
	"debug/elf"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// needs is what a program or library requires from the dynamic loader.
type needs struct {
	loader    string // of a program: its interpreter
	libraries []string
	folders   []string // its own, by RPATH or RUNPATH, searched first
}

// readNeeds reads the dynamic section of a file. A file that is not ELF, such as a script, and a static program need
// nothing.
func (t *tree) readNeeds(name string) (n needs, err error) {
	file, err := t.root.Open(name)
	if err != nil {
		return n, err
	}
	defer file.Close()
	defer func() {
		if r := recover(); r != nil { // package elf may panic on hostile input
			err = fmt.Errorf("%s: its ELF header is broken: %v", name, r)
		}
	}()
	f, err := elf.NewFile(file)
	var format *elf.FormatError
	if errors.As(err, &format) {
		return n, nil
	}
	if err != nil {
		return n, nil // shorter than a header
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz > 1 && p.Filesz < 4096 {
			b := make([]byte, p.Filesz)
			if _, err := p.ReadAt(b, 0); err != nil {
				return n, fmt.Errorf("%s: its interpreter: %w", name, err)
			}
			n.loader = strings.TrimRight(string(b), "\x00")
		}
	}
	if n.libraries, err = f.ImportedLibraries(); err != nil {
		return n, fmt.Errorf("%s: its libraries: %w", name, err)
	}
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		dirs, err := f.DynString(tag)
		if err != nil {
			continue
		}
		for _, d := range dirs {
			for _, one := range strings.Split(d, ":") {
				n.folders = append(n.folders,
					strings.ReplaceAll(strings.ReplaceAll(one, "${ORIGIN}", "$ORIGIN"), "$ORIGIN", "/"+path.Dir(name)))
			}
		}
	}
	return n, nil
}

// closure returns every file that the programs and libraries need, as a map from the names that the loader searches to
// the files. The search is the loader's: the file's own folders, then the system's; it reports all missing files.
func (t *tree) closure(files []string, triplet string) (map[string]string, error) {
	system := []string{"usr/lib/" + triplet, "usr/lib", "usr/lib64"}
	out, seen := map[string]string{}, map[string]bool{}
	var missing []string
	for queue := slices.Clone(files); len(queue) > 0; queue = queue[1:] {
		file, err := t.resolve(queue[0])
		if err != nil {
			return nil, err
		}
		if seen[file] {
			continue
		}
		seen[file] = true
		n, err := t.readNeeds(file)
		if err != nil {
			return nil, err
		}
		if n.loader != "" {
			if at, err := t.resolve(n.loader); err == nil {
				out[merged(n.loader)] = at
			} else {
				missing = append(missing, fmt.Sprintf("%s (the loader of %s)", n.loader, file))
			}
		}
		for _, lib := range n.libraries {
			at := t.find(lib, append(slices.Clone(n.folders), system...))
			if at == "" {
				missing = append(missing, fmt.Sprintf("%s (for %s)", lib, file))
				continue
			}
			real, err := t.resolve(at)
			if err != nil {
				return nil, err
			}
			out[at] = real
			queue = append(queue, at)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("no package holds %s", strings.Join(slices.Compact(missing), ", "))
	}
	return out, nil
}

// find returns the first folder's file with the name.
func (t *tree) find(lib string, folders []string) string {
	if strings.Contains(lib, "/") {
		folders, lib = []string{path.Dir(lib)}, path.Base(lib)
	}
	for _, dir := range folders {
		if name := merged(path.Join(dir, lib)); name != "" && t.exists(name) {
			return name
		}
	}
	return ""
}
