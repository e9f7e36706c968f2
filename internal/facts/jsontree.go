package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// jsonNode is a value of a JSON text with where it stands, so that the line which proves it can be shown. A nil node has nothing.
type jsonNode struct {
	key  string
	kind byte   // { [ or v
	text string // of a value: a text without its quotes, a number, true, null
	kids []*jsonNode
	at   int // offset of its key, or of itself
	all  []byte
}

// deepest is how deep a JSON text may be nested; those of switches are below 12.
const deepest = 64

// jsonTree reads the first JSON value of a text, which may stand behind a prompt.
func jsonTree(text []byte) (*jsonNode, error) {
	start := bytes.IndexAny(text, "{[")
	if start < 0 {
		return nil, toolError(text)
	}
	text = text[start:]
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := jsonValue(d, text, 0)
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %s", oneLine(err.Error()))
	}
	return n, nil
}

func jsonValue(d *json.Decoder, all []byte, depth int) (*jsonNode, error) {
	if depth > deepest {
		return nil, fmt.Errorf("it is nested more than %d deep", deepest)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &jsonNode{kind: 'v', at: max(int(d.InputOffset())-1, 0), all: all}
	switch v := t.(type) {
	case json.Delim:
		n.kind = byte(v)
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
				kid.key, kid.at = key, at
			}
			n.kids = append(n.kids, kid)
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

// get follows keys; where a list stands between, into the first of its elements that has the key.
func (n *jsonNode) get(keys ...string) *jsonNode {
	for _, k := range keys {
		n = n.kid(k)
		if n == nil {
			return nil
		}
	}
	return n
}

func (n *jsonNode) kid(key string) *jsonNode {
	if n == nil {
		return nil
	}
	for _, c := range n.kids {
		switch {
		case n.kind == '{' && c.key == key:
			return c
		case n.kind == '[' && c.kind != 'v':
			if found := c.kid(key); found != nil {
				return found
			}
		}
	}
	return nil
}

// first is the first of several keys that is there: releases name one thing differently.
func (n *jsonNode) first(keys ...string) *jsonNode {
	for _, k := range keys {
		if c := n.kid(k); c != nil {
			return c
		}
	}
	return nil
}

// members are the named values of an object, or of the objects of a list.
func (n *jsonNode) members() (out []*jsonNode) {
	switch {
	case n == nil:
	case n.kind == '{':
		return n.kids
	case n.kind == '[':
		for _, c := range n.kids {
			if c.kind == '{' {
				out = append(out, c.kids...)
			}
		}
	}
	return out
}

// str is a value's text; empty where there is none.
func (n *jsonNode) str() string {
	if n == nil || n.kind != 'v' {
		return ""
	}
	return strings.TrimSpace(n.text)
}

// longestLine is how much of a line is shown of a JSON text without line breaks.
const longestLine = 160

// line is the line that the node stands in; of a long one what stands around it.
func (n *jsonNode) line() string {
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
	return strings.ToValidUTF8(oneLine(string(n.all[from:to])), "")
}
