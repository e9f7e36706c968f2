package fabric

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Schema is the JSON Schema (draft 2020-12) of fabric files, for editors: which keys there are, what may stand behind them, and what they
// mean. It takes whatever the decoder takes but texts in place of numbers that are none, and leaves to the decoder what only that can know, such as names,
// units and limits that hang on others. id is its $id; about says what a key of an entry means, and may give nothing.
func Schema(id string, about func(entry, key string) string) map[string]any {
	s := schemaMaker{about: about, shapes: shapes(), defs: object{}}
	for _, e := range Entries() {
		s.defs[e.Name] = s.entry(e, false)
		s.defs["change of "+e.Name] = s.entry(e, true)
	}
	root := s.defs["fabric"].(object)
	root["required"] = []any{"fabric", "hosts", "links"}
	s.defs["values"] = values()
	out := object{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": id, "title": "A fabric of linerate", "$defs": s.defs}
	delete(s.defs, "fabric")
	maps.Copy(out, root)
	return out
}

type object = map[string]any

type schemaMaker struct {
	about  func(entry, key string) string
	shapes map[string]string
	defs   object
}

// entry is a mapping with fixed keys. A change of one is what a variant has in its place: there null takes a key out.
func (s *schemaMaker) entry(e Entry, change bool) object {
	properties := object{"note": object{"type": "string", "description": "any text; it changes nothing"}}
	for _, key := range e.Keys {
		var v object
		switch set := settingNamed(key); {
		case e.Name == "profile" && key == "loads":
			v = oneOrMore(settingNamed("load").schema("block"))
		case e.Name == "profile" && key != "repeats":
			v = oneOrMore(set.schema("block"))
		case e.Name == "experiment" && key == "method":
			v = wordsSchema(methods())
		case e.Name == "experiment" && key == "files": // of copy a number, of app names
			v = object{"$ref": "#/$defs/values"}
		case e.Name == "experiment" && slices.Contains(settingNames(), key):
			v = oneOrMore(set.schema(""))
		default:
			v = s.shape(s.shapes[e.Name+"."+key], change)
		}
		if change && !strings.Contains(s.shapes[e.Name+"."+key], "entry ") && !strings.Contains(s.shapes[e.Name+"."+key], "map ") {
			at := "#/$defs/" + e.Name
			if e.Name == "fabric" {
				at = "#"
			}
			v = object{"$ref": at + "/properties/" + key} // with its description
		} else if text := s.about(e.Name, key); text != "" {
			v["description"] = text
		}
		if change {
			v = object{"anyOf": []any{v, object{"type": "null"}}}
		}
		properties[key] = v
	}
	kinds := []any{"object", "null"} // "nas:" alone is a host of which nothing is known
	if e.Name == "fabric" {
		kinds = kinds[:1]
	}
	return object{"type": kinds, "properties": properties, "additionalProperties": false}
}

// shape is one of shapes() as a schema.
func (s *schemaMaker) shape(text string, change bool) object {
	if parts := strings.Split(text, " | "); len(parts) > 1 {
		var all []any
		for _, p := range parts {
			all = append(all, s.shape(p, change))
		}
		return object{"anyOf": all}
	}
	kind, rest, _ := strings.Cut(text, " ")
	entry := object{"$ref": "#/$defs/" + rest}
	if change {
		entry = object{"$ref": "#/$defs/change%20of%20" + rest}
	}
	switch kind {
	case "texts":
		return oneOrMore(value())
	case "table":
		return object{"type": "object", "additionalProperties": orNull(value())}
	case "lists":
		return object{"type": "object", "additionalProperties": oneOrMore(value())}
	case "flag":
		return object{"enum": []any{true, false, "true", "false", "yes", "no", "on", "off"}}
	case "int":
		low, high, _ := strings.Cut(rest, " ")
		return object{"type": []any{"integer", "string"}, "minimum": atoi(low), "maximum": atoi(high), "pattern": "^[0-9]+$"}
	case "word":
		return wordsSchema(strings.Fields(rest))
	case "like":
		return object{"type": "string", "pattern": "^" + rest + "$"}
	case "entry":
		return entry
	case "map":
		of := []any{entry, object{"type": "null"}}
		if rest == "goal" {
			of = append(of, value())
		}
		return object{"type": "object", "properties": object{"note": object{"type": "string"}}, "additionalProperties": object{"anyOf": of}}
	case "list":
		return object{"anyOf": []any{entry, object{"type": "array", "items": entry}}}
	case "variants":
		return object{"type": "object", "properties": object{"note": object{"type": "string"}}, "additionalProperties": object{"$ref": "#/$defs/change%20of%20fabric"}}
	}
	return value()
}

// schema is one value of a setting; method "": of any.
func (s setting) schema(method string) object {
	switch s.kind {
	case isWord:
		all := s.words
		for _, m := range methods() {
			if s.words == nil && (method == "" || m == method) && (s.methods == nil || slices.Contains(s.methods, m)) {
				of := wordsOf(s, m)
				if of == nil { // this method takes any
					return value()
				}
				for _, w := range of {
					if !slices.Contains(all, w) {
						all = append(all, w)
					}
				}
			}
		}
		return wordsSchema(all)
	case isCount:
		o := object{"type": []any{"integer", "string"}, "minimum": s.low, "pattern": `^[0-9]+( *\.\. *[0-9]+)?$`}
		high := s.high
		for _, h := range s.highs {
			high = max(high, h)
		}
		if high > 0 {
			o["maximum"] = high
		}
		return o
	}
	return value()
}

// value is one value of any kind: the decoder takes texts as they stand.
func value() object { return object{"type": []any{"string", "number", "boolean"}} }

func values() object { return oneOrMore(value()) }

func oneOrMore(v object) object {
	return object{"anyOf": []any{v, object{"type": "array", "items": v}}}
}

func orNull(v object) object { return object{"anyOf": []any{v, object{"type": "null"}}} }

// wordsSchema is one of some words. true and false among them may be written as YAML has them.
func wordsSchema(words []string) object {
	var all []any
	for _, w := range words {
		all = append(all, w)
	}
	if slices.Contains(words, "true") {
		all = append(all, true, false)
	}
	return object{"enum": all}
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // shapes() is wrong
	}
	return n
}
