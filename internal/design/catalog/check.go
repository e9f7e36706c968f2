package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
)

// Problem is an error in a file of parts.
type Problem struct {
	*diag.Problem
	Part string `json:"part,omitempty"`
}

// Problems are all errors of some files of parts. Check the length: an empty list in an error variable is not nil.
type Problems []*Problem

// Error prints all problems.
func (ps Problems) Error() string {
	return ps.Plain().Error()
}

// Plain returns the problems without the parts that they are about.
func (ps Problems) Plain() diag.Problems {
	return xslices.Map(ps, func(p *Problem) *diag.Problem { return p.Problem })
}

// Limits of a file of parts; the whole catalogue has 100 kB.
const (
	maxCheck    = 1 << 20
	maxDepth    = 20
	maxProblems = 1000
)

var reads = diag.Reads{Files: "files of parts", Most: maxCheck, TooMuch: "divide it into several",
	Depth: maxDepth, Needs: "a part needs five"}

const keysAre = "docs/parts.md has the keys of each kind"

// Check reads a file of parts (docs/parts.md) and returns all of its errors, by line. The file may name sources of the
// catalogue. A part with an id of the catalogue replaces that part, and may have its names.
func (c *Catalog) Check(name string, text []byte) Problems {
	_, problems := c.read(name, text)
	return problems
}

// read is Check that also returns the file; it is complete only without problems.
func (c *Catalog) read(name string, text []byte) (*file, Problems) {
	k := &checker{catalog: c, text: diag.New(name, text)}
	f := &file{}
	if root := k.load(); root != nil {
		k.root(root, f)
	}
	slices.SortStableFunc(k.problems, func(a, b *Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return f, k.problems
}

type checker struct {
	catalog  *Catalog
	text     *diag.Text
	problems Problems
}

// bad adds a problem: what is wrong, whose limit it is, what to write.
func (k *checker) bad(n *yaml.Node, part, message, limit, fix string) {
	k.add(diag.At{Line: n.Line, Col: n.Column}, part, diag.Problem{Message: message, Limit: limit, Fix: fix})
}

func (k *checker) add(at diag.At, part string, p diag.Problem) {
	if len(k.problems) >= maxProblems {
		return
	}
	if p.Subject == "" {
		p.Subject = "the file"
		if part != "" {
			p.Subject = fmt.Sprintf("part %s", diag.Quote(part))
		}
	}
	p.ID = cmp.Or(p.ID, diag.PartInvalid)
	k.problems = append(k.problems, &Problem{Problem: k.text.Place(at, p), Part: part})
}

// load parses the text; nil: it is not YAML, and a problem reports that.
func (k *checker) load() (root *yaml.Node) {
	defer func() {
		if r := recover(); r != nil { // the library is young
			k.add(diag.At{}, "", diag.Problem{Message: fmt.Sprintf("the YAML library gave up: %v", r),
				Fix: "delete halves of the file until it loads, to find the line"})
			root = nil
		}
	}()
	if p := k.text.Check(reads); p != nil {
		k.problems = append(k.problems, &Problem{Problem: p})
		return nil
	}
	var n, more yaml.Node
	limits := yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth), loaderlimits.AliasNone()))
	l, err := yaml.NewLoader(strings.NewReader(strings.Join(k.text.Lines, "\n")), limits)
	if err == nil {
		err = l.Load(&n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		at, p, _ := k.text.Syntax(err, slices.Clone(k.text.Lines), reads)
		k.add(at, "", p)
		return nil
	}
	root = &n
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		root = n.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		k.bad(root, "", "a file of parts begins with the key parts: and a list of them", "", "docs/parts.md has one to copy")
		return nil
	}
	if l.Load(&more) == nil {
		k.bad(&more, "", "the file has a second document", "a file of parts is one document",
			"put it into a file of its own")
		return nil
	}
	return root
}

func (k *checker) root(root *yaml.Node, f *file) {
	before := len(k.problems)
	k.keys(root, fileShape, "a file of parts", "")
	whole := len(k.problems) == before
	if err := root.Decode(f); err != nil && whole { // a partly decoded file is checked all the same
		at, p, _ := k.text.Syntax(err, slices.Clone(k.text.Lines), reads)
		k.add(at, "", p)
	}
	for id, s := range f.Sources {
		at := value(value(root, "sources"), string(id))
		if !slices.Contains([]string{"document", "manual", "community", "recall"}, s.Kind) ||
			s.Ref == "" && s.Kind != "recall" {
			k.bad(at, "", fmt.Sprintf("source %q needs a kind (document, manual, community or recall) and a ref, where it "+
				"can be read", id), "", `write {kind: document, ref: "an invoice of 2024"}`)
		}
	}
	if len(f.Parts) == 0 && len(f.Sources) == 0 && len(f.Drivers) == 0 && len(k.problems) == 0 {
		k.bad(root, "", "the file has no parts", "", "write parts: and an entry for each; docs/parts.md has one to copy")
	}
	k.drivers(value(root, "drivers"), f)
	list := value(root, "parts")
	if len(list.Content) != len(f.Parts) {
		return // an entry that is not a mapping was reported above
	}
	names, ids := map[string]string{}, map[string]int{}
	for i, e := range f.Parts {
		k.part(list.Content[i], e, f.Sources, names, ids)
	}
}

// drivers checks the entries of the key drivers.
func (k *checker) drivers(list *yaml.Node, f *file) {
	if len(list.Content) != len(f.Drivers) {
		return
	}
	for i, d := range f.Drivers {
		at, subject := list.Content[i], d.Driver
		r := &reader{}
		if d.Driver == "" {
			k.bad(at, subject, "a driver needs os and driver, as the parts' entries write it", "", "write {os: linux, "+
				"driver: ..}")
		}
		d.driver(r.at("os"), d.System)
		for _, err := range r.errs {
			k.field(at, subject, err)
		}
		k.sources(at, subject, d.Sources, f.Sources, abilities, true)
	}
}

// had reports whether a part already has errors, which may cause others.
func (k *checker) had(part string) bool {
	return slices.ContainsFunc(k.problems, func(p *Problem) bool { return p.Part == part })
}

// abilities are the properties of a driver that have sources.
var abilities = []string{"rdma", "pfc", "sriov", "mtu", "status"}

// part checks one entry. names are those of the parts before it, with their ids.
func (k *checker) part(at *yaml.Node, e *entry, own map[SourceID]Source, names map[string]string, ids map[string]int) {
	if e == nil {
		k.bad(at, "", "an empty entry", "", "delete the dash, or write the part after it")
		return
	}
	bad := func(field, message, fix string) {
		k.bad(under(at, field), e.ID, field+": "+message, "", fix)
	}
	p, err := e.part()
	for _, err := range each(err) {
		k.field(at, e.ID, err)
	}
	if e.ID != strings.ToLower(e.ID) {
		bad("id", fmt.Sprintf("ids are lower case: %s", strings.ToLower(e.ID)), "")
	}
	if line, ok := ids[e.ID]; ok && e.ID != "" {
		bad("id", fmt.Sprintf("the part is written twice, first in line %d", line), "put both together")
	}
	ids[e.ID] = under(at, "id").Line
	for _, name := range p.names() {
		key := fold(name)
		if other := k.catalog.byName[key]; other != nil && other.ID != e.ID {
			bad("name", fmt.Sprintf("%q is already %s %s", name, whose(other), other.ID), "a name is one part's alone: "+
				"rename yours, or give it that id to replace the part")
		} else if id, ok := names[key]; ok && key != "" && id != e.ID {
			bad("name", fmt.Sprintf("%q is already the name of %s", name, id), "rename one")
		}
		names[key] = e.ID
	}
	k.kindKeys(at, e, p)
	k.sources(at, e.ID, e.Sources, own, sourced, false)
	for _, field := range sourced {
		_, has := e.Sources[field]
		switch there := value(at, field).Line > 0; {
		case there && !has:
			bad(field, "it has no source", "write one under sources, or recall for what was not checked")
		case !there && has && !(p.Kind == Switch && field == "speeds") && !k.had(e.ID):
			bad("sources", fmt.Sprintf("%s has a source, but the part does not have it", field), "delete it, or write the "+
				"property")
		}
	}
	if p.Cable != nil && len(p.Cable.Ends) == 0 {
		bad("ends", fmt.Sprintf("a %s needs its ends", p.Kind), "write ends: [sfp+, sfp+], or one of a transceiver")
	}
}

func whose(p *Part) string {
	if p.From != "" {
		return "that of " + p.From + ":"
	}
	return "the catalogue's"
}

// sources checks that every named source exists and that each list has one.
func (k *checker) sources(at *yaml.Node, part string, named map[string][]SourceID, own map[SourceID]Source,
	fields []string, must bool) {
	at = under(at, "sources")
	for _, field := range slices.Sorted(maps.Keys(named)) {
		bad := func(message, fix string) { k.bad(under(at, field), part, "sources: "+message, "", fix) }
		switch ids := named[field]; {
		case !slices.Contains(fields, field):
			fix := "delete it; " + keysAre
			if near := diag.Nearest(field, fields); near != "" {
				fix = "write " + near
			}
			bad(fmt.Sprintf("%q is not a property that has sources", field), fix)
		case len(ids) == 0:
			bad(fmt.Sprintf("%s has an empty list", field), "write recall for what was not checked")
		default:
			for _, id := range ids {
				if _, known := own[id]; !known && !k.catalog.has(id) {
					bad(fmt.Sprintf("%s comes from %q, which neither this file nor the catalogue has under sources", field, id),
						"add it under sources, or write recall")
				}
			}
		}
	}
	for _, field := range fields {
		if _, has := named[field]; must && !has && value(at, field).Line > 0 {
			k.bad(under(at, field), part, field+": it has no source", "", "write one under sources, or recall for what "+
				"was not checked")
		}
	}
}

// field reports an error in an entry's value at its place.
func (k *checker) field(at *yaml.Node, part string, err error) {
	var f *FieldError
	if !errors.As(err, &f) {
		return
	}
	n := under(at, f.Field)
	if n != at && k.reported(n) {
		return // a consequence of that error
	}
	if v := scalarOf(n, f.Value); v != nil {
		n = v
	}
	message, fix, _ := strings.Cut(f.Problem, "; ")
	k.bad(n, part, f.Field+": "+message, "", fix)
}

// reported reports whether a value already has an error.
func (k *checker) reported(n *yaml.Node) bool {
	return slices.ContainsFunc(k.problems,
		func(p *Problem) bool { return p.Line == n.Line && p.Col == n.Column && p.Fix != "" }) ||
		slices.ContainsFunc(n.Content, k.reported)
}

// sourced are the properties of a part that have sources.
var sourced = []string{"speeds", "infiniband", "ports", "pcie", "rdma", "sriov", "vfs", "iscsi_offload", "drivers",
	"pci_ids", "os", "chip", "pfc", "ecn", "buffer", "l2mtu", "qos", "length", "distance", "bus", "medium", "capacity",
	"read", "write", "watts", "price"}

func (c *Catalog) has(id SourceID) bool {
	_, ok := c.Sources[id]
	return ok
}

// value returns the value of a key in a mapping; a node without a line if there is none.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// under returns the value of a key, or the mapping itself if the key is missing.
func under(n *yaml.Node, key string) *yaml.Node {
	if v := value(n, key); v.Line > 0 {
		return v
	}
	return n
}

// scalarOf finds a text below a node; nil: it is not there.
func scalarOf(n *yaml.Node, text string) *yaml.Node {
	if n.Kind == yaml.ScalarNode && n.Value == text && text != "" {
		return n
	}
	for _, c := range n.Content {
		if v := scalarOf(c, text); v != nil {
			return v
		}
	}
	return nil
}

// each returns the errors that were joined.
func each(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
