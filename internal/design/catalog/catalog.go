package catalog

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

//go:embed parts/*.yaml
var files embed.FS

// Catalog is the parts of all files under parts/ and the sources of their properties.
type Catalog struct {
	Parts   []*Part // in the order of the files and their entries
	Sources map[SourceID]Source
	Files   []File // the user's own files, which override the catalogue

	drivers []driverEntry
	byName  map[string]*Part // by id, name and alias, in lower case
}

// Source is where a property comes from.
type Source struct {
	Kind string `yaml:"kind" json:"kind"` // document, manual, community or recall
	Ref  string `yaml:"ref"  json:"ref"`
}

// Words describes the source for a reader without the catalogue.
func (s Source) Words() string {
	switch s.Kind {
	case "document":
		if _, what, ok := strings.Cut(s.Ref, ": "); ok {
			return "a published report (" + what + ")"
		}
		return "a published report (" + s.Ref + ")"
	case "manual":
		return s.Ref
	case "community":
		return "a web page (" + s.Ref + ")"
	}
	return "general knowledge that was not checked"
}

// file is one file of the catalogue: parts, the abilities of drivers, or the list of sources.
type file struct {
	Sources map[SourceID]Source `yaml:"sources"`
	Parts   []*entry            `yaml:"parts"`
	Drivers []driverEntry       `yaml:"drivers"`
}

// Load reads the embedded catalogue. It takes some milliseconds: call it once and pass the catalogue on. An error is in
// the embedded files; the tests of this package find it.
func Load() (*Catalog, error) { return load(files, "parts") }

func load(fsys fs.FS, dir string) (*Catalog, error) {
	names, err := fs.Glob(fsys, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("the parts catalogue cannot be listed: %w", err)
	}
	c := &Catalog{Sources: map[SourceID]Source{}, byName: map[string]*Part{}}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("the parts catalogue cannot be read: %w", err)
		}
		var f file
		if err := yaml.Load(text, &f, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for id, s := range f.Sources {
			c.Sources[id] = s
		}
		c.drivers = append(c.drivers, f.Drivers...)
		for _, e := range f.Parts {
			p, err := e.part()
			if err != nil {
				return nil, fmt.Errorf("%s: part %q: %w", name, e.ID, err)
			}
			if err := c.add(p); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	c.abilities(c.Parts)
	return c, c.checkSources()
}

// add adds a part. It fails if another part has one of its names.
func (c *Catalog) add(p *Part) error {
	for _, name := range append([]string{p.ID, p.Name}, p.Aliases...) {
		key := fold(name)
		if other := c.byName[key]; other != nil && other != p {
			return fmt.Errorf("part %q: the name %q is already that of %q", p.ID, name, other.ID)
		}
		c.byName[key] = p
	}
	c.Parts = append(c.Parts, p)
	return nil
}

// checkSources checks that every source of a part exists.
func (c *Catalog) checkSources() error {
	var errs []error
	for _, p := range c.Parts {
		for field, ids := range p.Sources {
			for _, id := range ids {
				if _, ok := c.Sources[id]; !ok {
					errs = append(errs, fmt.Errorf("part %q: %s comes from %q, which is not a source of the "+
						"catalogue", p.ID, field, id))
				}
			}
		}
	}
	return errors.Join(errs...)
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// portName inserts a port's number into a group's pattern of names.
func portName(pattern string, n int) string {
	return strings.Replace(pattern, "N", strconv.Itoa(n), 1)
}
