package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/facts"
)

// JSONNode is a value of a JSON text with its position, for the line that proves it. A nil node is empty.
type JSONNode struct {
	Key  string
	Kind byte   // { [ or v
	text string // of a value: a text without its quotes, a number, true, null
	Kids []*JSONNode
	at   int // offset of its key, or of itself
	all  []byte
}

// deepest is the deepest nesting of a JSON text; those of switches are below 12.
const deepest = 64

// JSONTree reads the first JSON value of a text, which may follow a prompt.
func JSONTree(text []byte) (*JSONNode, error) {
	start := bytes.IndexAny(text, "{[")
	if start < 0 {
		return nil, ToolError(text)
	}
	text = text[start:]
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := jsonValue(d, text, 0)
	if err != nil {
		return nil, fmt.Errorf("it is not a JSON: %s", facts.OneLine(err.Error()))
	}
	return n, nil
}

func jsonValue(d *json.Decoder, all []byte, depth int) (*JSONNode, error) {
	if depth > deepest {
		return nil, fmt.Errorf("it is nested more than %d deep", deepest)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &JSONNode{Kind: 'v', at: max(int(d.InputOffset())-1, 0), all: all}
	switch v := t.(type) {
	case json.Delim:
		n.Kind = byte(v)
		if v != '{' && v != '[' {
			return nil, errors.New("a bracket closes what was not open")
		}
		for d.More() {
			key, at := "", 0
			if v == '{' {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				key, _ = k.(string)
				at = max(int(d.InputOffset())-1, 0)
			}
			kid, err := jsonValue(d, all, depth+1)
			if err != nil {
				return nil, err
			}
			if v == '{' {
				kid.Key, kid.at = key, at
			}
			n.Kids = append(n.Kids, kid)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	case string:
		n.text = v
	case json.Number:
		n.text = v.String()
	case bool:
		n.text = fmt.Sprint(v)
	}
	return n, nil
}

// Get follows keys; at a list, into its first element that has the key.
func (n *JSONNode) Get(keys ...string) *JSONNode {
	for _, k := range keys {
		n = n.Kid(k)
		if n == nil {
			return nil
		}
	}
	return n
}

func (n *JSONNode) Kid(key string) *JSONNode {
	if n == nil {
		return nil
	}
	for _, c := range n.Kids {
		switch {
		case n.Kind == '{' && c.Key == key:
			return c
		case n.Kind == '[' && c.Kind != 'v':
			if found := c.Kid(key); found != nil {
				return found
			}
		}
	}
	return nil
}

// First returns the first of several keys that exists, because releases differ in names.
func (n *JSONNode) First(keys ...string) *JSONNode {
	for _, k := range keys {
		if c := n.Kid(k); c != nil {
			return c
		}
	}
	return nil
}

// Members returns the named values of an object, or of the objects of a list.
func (n *JSONNode) Members() (out []*JSONNode) {
	switch {
	case n == nil:
	case n.Kind == '{':
		return n.Kids
	case n.Kind == '[':
		for _, c := range n.Kids {
			if c.Kind == '{' {
				out = append(out, c.Kids...)
			}
		}
	}
	return out
}

// Str returns a value's text; empty if there is none.
func (n *JSONNode) Str() string {
	if n == nil || n.Kind != 'v' {
		return ""
	}
	return strings.TrimSpace(n.text)
}

// longestLine is how much of a line of a JSON text without line breaks is shown.
const longestLine = 160

// Line returns the line of the node; of a long one the part around it.
func (n *JSONNode) Line() string {
	if n == nil {
		return ""
	}
	from := bytes.LastIndexByte(n.all[:n.at], '\n') + 1
	to := len(n.all)
	if i := bytes.IndexByte(n.all[n.at:], '\n'); i >= 0 {
		to = n.at + i
	}
	if to-from > longestLine {
		from = max(bytes.LastIndexAny(n.all[:n.at], "{[,")+1, from)
		from = max(from, n.at-longestLine)
		if i := bytes.IndexAny(n.all[n.at:to], ",}]"); i >= 0 {
			to = n.at + i
		}
		to = min(to, n.at+longestLine)
	}
	return strings.ToValidUTF8(facts.OneLine(string(n.all[from:to])), "")
}
