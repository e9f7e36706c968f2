package fabric

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
)

// Options are the options for loading a fabric file.
type Options struct {
	Variant string           // names joined by +, merged in this order; empty: the file as written
	Catalog *catalog.Catalog // nil: the embedded one
}

// Load reads and decodes a fabric file. Either the fabric or the problems are nil.
func Load(path string, opt Options) (*Fabric, Problems) {
	text, err := readFile(path)
	if err != nil {
		p := diag.Unreadable(path, err)
		if p.Fix == "" {
			p.Fix = "linerate init HOST writes a fabric file"
		}
		return nil, Problems{p}
	}
	return Parse(path, text, opt)
}

// readFile reads at most one byte more than a fabric may have, which shows that a file is too large.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return nil, diag.ErrFolder
	}
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// Parse decodes a fabric's text; name is the file's name in problems. Either the fabric or the problems are nil.
// Without a variant in the options, it also decodes each of the file's variants, so that all errors are found at once.
func Parse(name string, text []byte, opt Options) (*Fabric, Problems) {
	s := newSource(name, text)
	f := s.parseAll(opt)
	if len(s.problems) == 0 {
		return f, nil
	}
	slices.SortStableFunc(s.problems, func(a, b *Problem) int {
		return cmp.Or(a.Line-b.Line, a.Col-b.Col)
	})
	return nil, s.problems
}

const maxVariants = 64

func (s *source) parseAll(opt Options) *Fabric {
	if !s.checkText() {
		return nil
	}
	var root *node
	document := s.parse()
	if document != nil {
		root = s.tree(document)
	}
	if (root == nil || root.kind != null) && s.isNotFabric(root) {
		s.notFabric()
		return nil
	}
	if root == nil {
		return nil
	}
	entries := opt.Catalog
	if entries == nil {
		c, err := catalog.Load()
		if err != nil {
			s.add(At{1, 1}, Problem{Subject: "linerate", Message: err.Error(), Fix: "report this: it is an error of " +
				"the program, not of the file"})
			return nil
		}
		entries = c
	}
	variants := s.variants(root)
	merged := root
	for _, v := range splitVariants(opt.Variant) {
		patch, ok := variants.find(v)
		if !ok {
			s.noVariant(root, v, variants)
			return nil
		}
		merged = s.merge(merged, patch)
	}
	d := &decoder{src: s, catalog: entries, variants: variants.names()}
	f := d.fabric(merged)
	f.Path, f.Text, f.Variant, f.Variants, f.Parts = s.Name, s.Bytes, opt.Variant, variants.names(), entries.Files
	if opt.Variant == "" && root.kind == mapping {
		for _, v := range variants {
			if s.stopped {
				break
			}
			d := &decoder{src: s, catalog: entries, variants: variants.names(), prefix: "variant " + v.key.text + ": "}
			d.fabric(s.merge(root, v.value))
		}
	}
	return f
}

func splitVariants(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "+")
}

type variants []pair

func (v variants) names() []string {
	return xslices.Map(v, func(p pair) string { return p.key.text })
}

func (v variants) find(name string) (*node, bool) {
	for _, p := range v {
		if p.key.text == name {
			return p.value, true
		}
	}
	return nil, false
}

// variants returns the file's variants that can be merged.
func (s *source) variants(root *node) variants {
	d := &decoder{src: s}
	if root.kind != mapping {
		return nil // reported by fabric
	}
	p, ok := root.pair("variants")
	if !ok || p.value.kind == null {
		return nil
	}
	if p.value.kind != mapping {
		d.bad(diag.ValueKind, p.value.at, "variants", "variants takes names and what they change, not "+p.value.describe(),
			"",
			"write variants: {ten: {mtu: 1500}}")
		return nil
	}
	var list variants
	for _, v := range p.value.pairs {
		subject := "variant " + v.key.text
		switch {
		case v.key.text == "note" && v.value.kind == scalar:
		case !d.checkName(v.key, "variant"):
		case v.value.kind != mapping:
			d.bad(diag.ValueKind, v.value.at, subject, "a variant takes the keys that it changes, not "+v.value.describe(), "",
				"write {mtu: 1500}, or {hosts: {nas: {mtu: 1500}}}")
		case hasKey(v.value, "variants") || hasKey(v.value, "fabric"):
			d.bad(diag.KeysConflict, v.key.at, subject, "a variant changes neither fabric nor variants", "",
				"delete that key (--variant a+b joins variants)")
		case len(list) == maxVariants:
			d.bad(diag.TooLarge, v.key.at, subject, fmt.Sprintf("the file has more than %d variants", maxVariants),
				"linerate stops at this limit",
				"put some into a file of their own")
			return list
		default:
			list = append(list, v)
		}
	}
	return list
}

func hasKey(n *node, key string) bool { _, ok := n.pair(key); return ok }

func (s *source) noVariant(root *node, name string, have variants) {
	at := root.at
	p := Problem{ID: diag.VariantUnknown, Subject: "--variant", Message: fmt.Sprintf("no variant is called %s",
		quote(name)),
		Limit: "the file has no variants", Fix: "omit --variant, or define the variant under variants:"}
	if pair, ok := root.pair("variants"); ok {
		at = pair.key.at
	}
	if names := have.names(); len(names) > 0 {
		p.Limit, p.Fix = "variants of the file: "+some(names, 12), "write one of these, or several joined by +"
		if near := nearest(name, names); near != "" {
			p.Fix = "write --variant " + near
		}
	}
	s.add(at, p)
}
