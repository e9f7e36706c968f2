package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"linerate/internal/facts"
)

// parsePSJSON reads objects of ConvertTo-Json: one, or a list. It keeps their order and that of their properties, and
// ignores objects nested deeper than two levels, such as CimClass.
func parsePSJSON(text []byte) ([]psObject, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out []psObject
	for {
		t, err := d.Token()
		switch {
		case err == io.EOF && len(out) > 0:
			return out, nil
		case err == io.EOF:
			return nil, errEmpty
		case err != nil:
			return nil, jsonError(err)
		case t == json.Delim('{'):
			o := psObject{}
			if err := o.read(d, "", 0); err != nil {
				return nil, jsonError(err)
			}
			out = append(out, o)
		case t == json.Delim('['), t == json.Delim(']'), t == nil:
		default:
			return nil, fmt.Errorf("it is JSON, and %.40q is not an object", fmt.Sprint(t))
		}
	}
}

// errEmpty is JSON without an object.
var errEmpty = errors.New("the output is empty")

func jsonError(err error) error {
	return fmt.Errorf("it is not a whole JSON: %s", facts.OneLine(err.Error()))
}

// read reads the properties of an object after its brace; those of an inner object have its name and a dot before
// theirs.
func (o *psObject) read(d *json.Decoder, before string, depth int) error {
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		value, err := o.value(d, before+name, depth)
		if err != nil {
			return err
		}
		if value == nil || depth > 2 || len(o.props) > 1000 {
			continue
		}
		p := psProp{key: psKey(before + name), name: before + name, value: *value}
		if strings.HasSuffix(p.value, "...") || strings.HasSuffix(p.value, "…") {
			p.cut = true
		}
		o.props = append(o.props, p)
	}
	_, err := d.Token() // its brace
	return err
}

// value reads a value; nil: it is an object, whose properties were added.
func (o *psObject) value(d *json.Decoder, name string, depth int) (*string, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	text := ""
	switch v := t.(type) {
	case json.Delim:
		if v == '{' {
			if depth > 20 {
				return nil, errors.New("it is nested too deep")
			}
			return nil, o.read(d, name+".", depth+1)
		}
		var items []string
		for d.More() {
			item, err := o.value(d, name, depth+1)
			if err != nil {
				return nil, err
			}
			if item != nil {
				items = append(items, *item)
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		text = strings.Join(items, ", ")
	case bool:
		text = map[bool]string{true: "True", false: "False"}[v]
	case nil:
	default:
		text = fmt.Sprint(v)
	}
	return &text, nil
}
