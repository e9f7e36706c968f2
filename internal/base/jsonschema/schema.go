// Package jsonschema makes JSON Schemas of the Go types that are written as JSON.
// Form: JSON Schema, draft 2020-12, https://json-schema.org/draft/2020-12/json-schema-core
package jsonschema

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Draft is the version of JSON Schema that every schema names.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Object is a schema, or a part of one.
type Object = map[string]any

// Maker makes the schema of one kind of output.
type Maker struct {
	// Own are schemas of types that marshal themselves.
	Own  map[reflect.Type]Object
	defs Object
	busy map[reflect.Type]string
}

// Of returns the schema of what encoding/json writes for a value of type t: every field has its name, fields without
// omitempty are required, and no other keys are allowed. A value that can be nil may be null. id is its $id. Of fails
// on types that marshal themselves and are not in Own, and on types that JSON cannot hold.
func (m *Maker) Of(t reflect.Type, id, title string) (Object, error) {
	m.defs, m.busy = Object{}, map[reflect.Type]string{}
	root, err := m.value(t)
	if err != nil {
		return nil, err
	}
	out := Object{"$schema": Draft, "$id": id, "title": title}
	for k, v := range root {
		out[k] = v
	}
	if len(m.defs) > 0 {
		out["$defs"] = m.defs
	}
	return out, nil
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	number        = reflect.TypeFor[json.Number]()
)

func (m *Maker) value(t reflect.Type) (Object, error) {
	if own, ok := m.Own[t]; ok {
		return own, nil
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Object{"type": "string", "format": "date-time"}, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return Object{}, nil
	case t == number:
		return Object{"type": "number"}, nil
	case t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(),
		"Opt["): // unit.Opt: the value, or null where it is not known
		return m.nullable(t.Field(0).Type)
	case t.Kind() == reflect.Pointer:
		return m.nullable(t.Elem())
	case t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler):
		return nil, fmt.Errorf("schema: %v writes its JSON itself, and nothing is said of its form", t)
	case t.Implements(textMarshaler):
		return Object{"type": "string"}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return Object{"type": "boolean"}, nil
	case reflect.String:
		return Object{"type": "string"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Object{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Object{"type": "integer", "minimum": 0}, nil
	case reflect.Float32, reflect.Float64:
		return Object{"type": "number"}, nil
	case reflect.Interface:
		return Object{}, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Object{"type": []any{"string", "null"}, "contentEncoding": "base64"}, nil
		}
		items, err := m.value(t.Elem())
		return Object{"type": []any{"array", "null"}, "items": items}, err
	case reflect.Array:
		items, err := m.value(t.Elem())
		return Object{"type": "array", "items": items, "minItems": t.Len(), "maxItems": t.Len()}, err
	case reflect.Map:
		values, err := m.value(t.Elem())
		return Object{"type": []any{"object", "null"}, "additionalProperties": values}, err
	case reflect.Struct:
		return m.ref(t)
	}
	return nil, fmt.Errorf("schema: JSON has no %v", t)
}

// nullable returns a type's schema that also allows null.
func (m *Maker) nullable(t reflect.Type) (Object, error) {
	v, err := m.value(t)
	if err != nil {
		return nil, err
	}
	return Nullable(v), nil
}

// Nullable returns a schema that also allows null.
func Nullable(v Object) Object {
	if kind, ok := v["type"].(string); ok && v["enum"] == nil {
		out := Object{}
		for k, x := range v {
			out[k] = x
		}
		out["type"] = []any{kind, "null"}
		return out
	}
	if kinds, ok := v["type"].([]any); ok && kinds[len(kinds)-1] == "null" {
		return v
	}
	return Object{"anyOf": []any{v, Object{"type": "null"}}}
}

// ref puts a struct under $defs, once, and returns a reference to it: types may contain themselves.
func (m *Maker) ref(t reflect.Type) (Object, error) {
	if t.Name() == "" {
		return m.object(t)
	}
	name, have := m.busy[t]
	if !have {
		name = t.Name()
		for n := 2; m.defs[name] != nil; n++ {
			name = fmt.Sprintf("%s%d", t.Name(), n)
		}
		m.busy[t], m.defs[name] = name, Object{}
		o, err := m.object(t)
		if err != nil {
			return nil, err
		}
		m.defs[name] = o
	}
	return Object{"$ref": "#/$defs/" + name}, nil
}

func (m *Maker) object(t reflect.Type) (Object, error) {
	properties, required := Object{}, []any{}
	if err := m.fields(t, properties, &required); err != nil {
		return nil, err
	}
	o := Object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o, nil
}

// fields adds the fields that encoding/json writes, those of embedded structs too.
func (m *Maker) fields(t reflect.Type, properties Object, required *[]any) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				var have []any
				if err := m.fields(inner, properties, &have); err != nil {
					return err
				}
				if f.Type.Kind() != reflect.Pointer {
					*required = append(*required, have...)
				}
				continue
			}
		}
		name = cmp.Or(name, f.Name)
		v, err := m.value(f.Type)
		if err != nil {
			return fmt.Errorf("%v.%s: %w", t, f.Name, err)
		}
		properties[name] = v
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
	return nil
}
