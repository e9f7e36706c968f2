package catalog

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/diag"
)

// File is the content of a file of the user's own parts.
type File struct {
	Name string // its name in messages and outputs
	Text []byte
}

// maxFiles is the largest number of files of parts in one folder.
const maxFiles = 100

// ReadFolder reads the files of a folder of parts (*.yaml, *.yml), by name. A missing folder has none. The problems are
// files that cannot be read.
func ReadFolder(dir string) ([]File, Problems) {
	list, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(dir, err, "check that it is a folder, and its permissions")
	}
	var files []File
	var problems Problems
	for _, d := range list {
		name := filepath.Join(dir, d.Name())
		if ext := filepath.Ext(d.Name()); ext != ".yaml" && ext != ".yml" || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		if len(files) == maxFiles {
			return nil, append(problems, unreadable(dir, fmt.Errorf("it has more than %d files of parts", maxFiles),
				"put several parts into one file")...)
		}
		f, err := ReadFile(name)
		if err != nil {
			problems = append(problems, unreadable(name, err, "check its permissions, or move it out of the folder")...)
			continue
		}
		files = append(files, f)
	}
	return files, problems
}

// ReadFile reads one file of parts, up to one byte more than the limit.
func ReadFile(name string) (File, error) {
	st, err := os.Stat(name)
	if err != nil {
		return File{}, err
	}
	if !st.Mode().IsRegular() {
		return File{}, fmt.Errorf("it is not a file") // reading a pipe could block
	}
	f, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCheck+1))
	return File{name, text}, err
}

func unreadable(name string, err error, fix string) Problems {
	p := diag.Unreadable(name, err)
	p.Fix = cmp.Or(p.Fix, fix)
	return Problems{{Problem: p}}
}

// With returns a copy of the catalogue with the parts of files added. An entry with the id of a part replaces the whole
// part. Later files take precedence over earlier ones, but one folder may have a part only once. Either the new
// catalogue or the problems are nil.
func (c *Catalog) With(files ...File) (*Catalog, Problems) {
	over := &Catalog{Sources: maps.Clone(c.Sources), byName: maps.Clone(c.byName), drivers: c.drivers,
		Files: append(slices.Clone(c.Files), files...)}
	over.Parts = slices.Clone(c.Parts)
	var problems Problems
	for _, f := range files {
		read, wrong := over.read(f.Name, f.Text)
		wrong = append(append(wrong, over.twice(f, read)...), noDrivers(f, read)...)
		if problems = append(problems, wrong...); len(wrong) > 0 {
			continue
		}
		maps.Copy(over.Sources, read.Sources)
		for _, e := range read.Parts {
			p, err := e.part()
			if err != nil { // read already reported errors
				continue
			}
			p.From = f.Name
			over.put(p)
			over.abilities([]*Part{p})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return over, nil
}

// put adds a part, or replaces the one with its id.
func (c *Catalog) put(p *Part) {
	i := slices.IndexFunc(c.Parts, func(old *Part) bool { return old.ID == p.ID })
	if i < 0 {
		c.Parts = append(c.Parts, p)
	} else {
		for _, name := range c.Parts[i].names() {
			delete(c.byName, fold(name))
		}
		c.Parts[i] = p
	}
	for _, name := range p.names() {
		c.byName[fold(name)] = p
	}
}

// twice reports parts that are also in another file of the same folder.
func (c *Catalog) twice(f File, read *file) Problems {
	var problems Problems
	for _, e := range read.Parts {
		if e == nil {
			continue
		}
		other := c.byName[fold(e.ID)]
		if other == nil || other.ID != e.ID || other.From == "" || filepath.Dir(other.From) != filepath.Dir(f.Name) ||
			other.From == f.Name {
			continue
		}
		p := diag.New(f.Name, f.Text).
			Place(lineOf(f.Text, e.ID), diag.Problem{Subject: fmt.Sprintf("part %s", diag.Quote(e.ID)),
				Message: "the part is also in " + other.From, Limit: "a folder has a part once",
				Fix: "delete one of the two"})
		problems = append(problems, &Problem{Problem: p, Part: e.ID})
	}
	return problems
}

// noDrivers refuses entries of drivers: a file next to one fabric must not change what all NICs can do.
func noDrivers(f File, read *file) Problems {
	if len(read.Drivers) == 0 {
		return nil
	}
	p := diag.New(f.Name, f.Text).
		Place(lineOf(f.Text, "drivers:"), diag.Problem{Subject: "the file", Message: "a file of parts has no drivers",
			Limit: "drivers are in the catalogue", Fix: "write rdma, pfc, sriov, mtu and notes into the drivers of your parts"})
	return Problems{{Problem: p}}
}

// lineOf returns the line that begins with a text, or the place of the part with that id.
func lineOf(text []byte, id string) diag.At {
	for i, line := range diag.New("", text).Lines {
		before, after, ok := strings.Cut(line, "id:")
		if strings.HasPrefix(line, id) || ok && strings.HasPrefix(strings.Trim(strings.TrimSpace(after), `"'`), id) {
			if !ok {
				before = ""
			}
			return diag.At{Line: i + 1, Col: len([]rune(before)) + 1}
		}
	}
	return diag.At{Line: 1, Col: 1}
}
