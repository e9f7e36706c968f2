package fabric

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
)

type nodeKind int

const (
	scalar nodeKind = iota
	list
	mapping
	null
)

// node is a value of the file with anchors and merge keys resolved. Scalars are texts: the reader decides whether 7.10
// is a version or a number. Nodes are shared and never changed.
type node struct {
	kind  nodeKind
	text  string // of a scalar
	items []*node
	pairs []pair
	at    At
	size  int   // values in it, shared ones counted each time
	of    *node // the anchored node of an alias
}

// pair is a key with its value.
type pair struct {
	key   *node
	value *node
	// from is set if a variant changes one of the names that a key with a range expands to: the key as written and the
	// name's step in it.
	from *origin
}

type origin struct {
	group string
	step  step
}

func (n *node) pair(key string) (pair, bool) {
	return xslices.Find(n.pairs, func(p pair) bool { return p.key.text == key })
}

// describe names a node's kind in the user's words.
func (n *node) describe() string {
	switch n.kind {
	case list:
		return "a list"
	case mapping:
		return "a mapping of keys and values"
	case null:
		return "empty"
	}
	return quote(n.text)
}

// converter makes nodes of the YAML library's nodes.
type converter struct {
	s      *source
	done   map[*yaml.Node]*node // anchored nodes
	open   map[*yaml.Node]bool  // those being converted
	tooBig bool
}

// tree converts a document. It returns nil if the file has too many values.
func (s *source) tree(document *yaml.Node) *node {
	c := &converter{s: s, done: map[*yaml.Node]*node{}, open: map[*yaml.Node]bool{}}
	n := c.node(document)
	if c.tooBig {
		return nil
	}
	return n
}

func (c *converter) bad(id diag.ID, y *yaml.Node, message, limit, fix string) {
	c.s.add(At{y.Line, y.Column}, Problem{ID: id, Subject: diag.WholeFile, Message: message, Limit: limit, Fix: fix})
}

func (c *converter) node(y *yaml.Node) *node {
	n := &node{kind: null, at: At{y.Line, y.Column}, size: 1}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 1 {
			return c.node(y.Content[0])
		}
		return n
	case yaml.AliasNode:
		return c.alias(y)
	}
	if y.Anchor != "" {
		c.open[y] = true
		defer delete(c.open, y)
	}
	if y.Style&yaml.TaggedStyle != 0 {
		c.bad(diag.YAMLSyntax, y, fmt.Sprintf("fabric files have no tags such as %s", quote(y.Tag)), "", "delete the tag")
	}
	switch y.Kind {
	case yaml.ScalarNode:
		if y.ShortTag() != "!!null" {
			n.kind, n.text = scalar, y.Value
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			n.items = append(n.items, c.node(item))
			c.count(n, n.items[len(n.items)-1], item)
		}
	case yaml.MappingNode:
		n.kind = mapping
		c.mapping(n, y)
	}
	if y.Anchor != "" {
		c.done[y] = n
	}
	return n
}

// alias returns the anchored node itself at the place of the alias: errors inside it are reported where they are
// written.
func (c *converter) alias(y *yaml.Node) *node {
	if y.Alias == nil || c.open[y.Alias] {
		c.bad(diag.YAMLSyntax, y, fmt.Sprintf("*%s is inside its own value", visible(y.Value)),
			"a value cannot contain itself",
			"write the inner value out")
		return &node{kind: null, at: At{y.Line, y.Column}, size: 1}
	}
	n := c.done[y.Alias]
	if n == nil {
		n = c.node(y.Alias)
	}
	here := *n
	here.at, here.of = At{y.Line, y.Column}, n
	return &here
}

// count adds the size of a child. Aliases of aliases grow exponentially; the limit stops this before anything walks
// through them.
func (c *converter) count(n, child *node, y *yaml.Node) {
	n.size = min(n.size+child.size, maxNodes+1)
	if n.size > maxNodes && !c.tooBig {
		c.tooBig = true
		c.bad(diag.TooLarge, y,
			fmt.Sprintf("the file has more than %d values", maxNodes),
			"values of anchors count each time", "write ranges such as \"n[1-64]\" for equal entries")
	}
}

func (c *converter) mapping(n *node, y *yaml.Node) {
	lines := map[string]int{}
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		yk, yv := y.Content[i], y.Content[i+1]
		if yk.Kind == yaml.ScalarNode && yk.ShortTag() == "!!merge" {
			merged = append(merged, c.merge(yv)...)
			continue
		}
		key, value := c.node(yk), c.node(yv)
		c.count(n, value, yv)
		n.size++
		if key.kind != scalar {
			c.bad(diag.YAMLSyntax, yk, "a key is a name, not "+key.describe(), "",
				"write NAME: VALUE\nput a name that starts with [ or { into quotes")
			continue
		}
		if first, ok := lines[key.text]; ok {
			c.bad(diag.KeyTwice, yk, fmt.Sprintf("the key %s is written twice, first in line %d", quote(key.text), first),
				"YAML allows a key once", "join both, or rename one")
			continue
		}
		lines[key.text] = yk.Line
		n.pairs = append(n.pairs, pair{key: key, value: value})
	}
	// the mapping's own keys take precedence, then the first of several merged ones
	for _, m := range merged {
		for _, p := range m.pairs {
			if _, ok := lines[p.key.text]; !ok {
				lines[p.key.text] = p.key.at.Line
				n.pairs = append(n.pairs, p)
				n.size = min(n.size+1+p.value.size, maxNodes+1)
			}
		}
	}
	if n.size > maxNodes {
		c.count(n, &node{}, y)
	}
}

// merge returns the mappings of a merge key.
func (c *converter) merge(y *yaml.Node) []*node {
	v := c.node(y)
	if v.kind == mapping {
		return []*node{v}
	}
	for _, m := range v.items {
		if m.kind != mapping {
			c.bad(diag.YAMLSyntax, y, "<<: takes a mapping, not "+m.describe(), "",
				"write <<: *NAME of a mapping, or a list of them")
			return nil
		}
	}
	if v.kind != list {
		c.bad(diag.YAMLSyntax, y, "<<: takes a mapping, not "+v.describe(), "",
			"write <<: *NAME of a mapping, or a list of them")
		return nil
	}
	return v.items
}
