package parts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Problem is a mistake in a file of parts.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // in characters, from 1
	Part    string `json:"part,omitempty"`
	Message string `json:"message"`
}

// Error prints the problem in one line: "my.yaml:7:13: part x: speeds: ..".
func (p *Problem) Error() string {
	of := ""
	if p.Part != "" {
		of = fmt.Sprintf("part %q: ", p.Part)
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", p.File, p.Line, p.Column, of, p.Message)
}

// What a file of parts may have; the whole catalogue has 100 kB.
const (
	maxCheck = 1 << 20
	maxDepth = 20
)

// Check reads a file of parts (docs/parts.md) and returns all of its mistakes, by line. Sources that it names may be those of the
// catalogue; a part whose id the catalogue has, too, is that part, and may have its names.
func (c *Catalog) Check(name string, text []byte) []*Problem {
	k := &checker{catalog: c, name: name}
	if root := k.load(text); root != nil {
		k.root(root, text)
	}
	slices.SortStableFunc(k.problems, func(a, b *Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return k.problems
}

type checker struct {
	catalog  *Catalog
	name     string
	problems []*Problem
}

func (k *checker) bad(line, column int, part, format string, args ...any) {
	k.problems = append(k.problems, &Problem{File: k.name, Line: max(line, 1), Column: max(column, 1), Part: part, Message: fmt.Sprintf(format, args...)})
}

// load parses the text; nil: it is no YAML, and a problem says so.
func (k *checker) load(text []byte) (root *yaml.Node) {
	defer func() {
		if r := recover(); r != nil { // the library is young
			k.bad(1, 1, "", "the YAML library gave up: %v; take out halves of the file until it loads, to find the line", r)
			root = nil
		}
	}()
	switch {
	case len(text) > maxCheck:
		k.bad(1, 1, "", "it has %d bytes; a file of parts has at most %d: divide it", len(text), maxCheck)
		return nil
	case !utf8.Valid(text):
		k.bad(1, 1, "", "it is not UTF-8; save it as UTF-8 in your editor")
		return nil
	}
	var n yaml.Node
	limits := yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth), loaderlimits.AliasNone()))
	l, err := yaml.NewLoader(bytes.NewReader(text), limits, yaml.WithUniqueKeys())
	if err == nil {
		err = l.Load(&n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		k.failed(err)
		return nil
	}
	root = &n
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		root = n.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		k.bad(root.Line, root.Column, "", "a file of parts begins with the key parts: and a list of them (docs/parts.md has one)")
		return nil
	}
	return root
}

// failed tells the library's errors at their places.
func (k *checker) failed(err error) {
	var many *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case errors.As(err, &many):
		for _, e := range many.Errors {
			k.bad(e.Mark.Line, e.Mark.Column, "", "%s", words(e.Message))
		}
	case errors.As(err, &one):
		at := one.Mark
		if at.Line == 0 {
			at = one.ContextMark
		}
		k.bad(at.Line, at.Column, "", "%s", words(one.Message))
	default:
		k.bad(1, 1, "", "%v", err)
	}
}

// words says the library's messages to people who do not know the program's types.
func words(message string) string {
	if key, _, ok := strings.Cut(message, " not found in type "); ok {
		return strings.Replace(key, "field ", "there is no key ", 1) + " here; docs/parts.md has the keys of each kind"
	}
	if what, _, ok := strings.Cut(message, " into "); ok && strings.HasPrefix(what, "cannot construct ") {
		return strings.NewReplacer("cannot construct !!", "a ", "`", `"`).Replace(what) + " cannot stand here; docs/parts.md has what each key takes"
	}
	return message
}

func (k *checker) root(root *yaml.Node, text []byte) {
	var f file
	if err := yaml.Load(text, &f, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
		k.failed(err) // what could be read is checked all the same
	}
	for id, s := range f.Sources {
		at := value(value(root, "sources"), string(id))
		if !slices.Contains([]string{"document", "manual", "community", "recall"}, s.Kind) || s.Ref == "" && s.Kind != "recall" {
			k.bad(at.Line, at.Column, "", "source %q needs a kind (document, manual, community or recall) and a ref, where it can be read", id)
		}
	}
	list := value(root, "parts")
	if len(f.Parts) == 0 && len(f.Sources) == 0 && len(k.problems) == 0 {
		k.bad(root.Line, root.Column, "", "it has no parts")
	}
	if len(list.Content) != len(f.Parts) {
		return // an entry that is no mapping was told above
	}
	names := map[string]string{}
	for i, e := range f.Parts {
		k.part(list.Content[i], e, f.Sources, names)
	}
}

// part checks one entry. names are those of the parts before it, with their ids.
func (k *checker) part(at *yaml.Node, e *entry, own map[SourceID]Source, names map[string]string) {
	if e == nil {
		k.bad(at.Line, at.Column, "", "an empty entry")
		return
	}
	bad := func(field, format string, args ...any) {
		n := at
		if v := value(at, field); v.Line > 0 {
			n = v
		}
		k.bad(n.Line, n.Column, e.ID, "%s: %s", field, fmt.Sprintf(format, args...))
	}
	p, err := e.part()
	for _, err := range each(err) {
		var f *FieldError
		if errors.As(err, &f) {
			bad(f.Field, "%s", f.Problem)
		}
	}
	if e.ID != strings.ToLower(e.ID) {
		bad("id", "ids are lower case: %s", strings.ToLower(e.ID))
	}
	for _, name := range p.names() {
		key := fold(name)
		if other := k.catalog.byName[key]; other != nil && other.ID != e.ID {
			bad("name", "%q is already the catalogue's %s", name, other.ID)
		} else if id, ok := names[key]; ok && key != "" && id != e.ID {
			bad("name", "%q is already the name of %s", name, id)
		}
		names[key] = e.ID
	}
	for _, field := range slices.Sorted(maps.Keys(e.Sources)) {
		switch ids := e.Sources[field]; {
		case !slices.Contains(sourced, field):
			bad("sources", "there is no property %q; those that have sources are %s", field, strings.Join(sourced, ", "))
		case len(ids) == 0:
			bad("sources", "%s has an empty list; write recall for what nobody checked", field)
		default:
			for _, id := range ids {
				if _, known := own[id]; !known && !k.catalog.has(id) {
					bad("sources", "%s comes from %q, which neither this file nor the catalogue has under sources", field, id)
				}
			}
		}
	}
	for _, field := range sourced {
		_, has := e.Sources[field]
		switch there := value(at, field).Line > 0; {
		case there && !has:
			bad(field, "it has no source; write one under sources, or recall for what nobody checked")
		case !there && has && !(p.Kind == Switch && field == "speeds"):
			bad("sources", "%s has a source, but the part does not have it", field)
		}
	}
	if p.Cable != nil && len(p.Cable.Ends) == 0 {
		bad("ends", "a %s needs its ends", p.Kind)
	}
}

// sourced are the properties that have sources.
var sourced = []string{"speeds", "infiniband", "ports", "pcie", "rdma", "sriov", "vfs", "iscsi_offload", "drivers", "pci_ids",
	"os", "chip", "pfc", "ecn", "buffer", "l2mtu", "qos", "length", "reach", "bus", "medium", "capacity", "read", "write", "watts", "price"}

func (c *Catalog) has(id SourceID) bool {
	_, ok := c.Sources[id]
	return ok
}

// value is what stands behind a key of a mapping; a node without a line if there is none.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// each are the errors that were joined.
func each(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
