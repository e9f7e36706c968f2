package fabric

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
	"linerate/internal/device/families"
)

// Schema returns the JSON Schema (draft 2020-12) of fabric files, for editors: the keys, their possible values, and
// their meaning. It accepts whatever the decoder accepts, except texts in place of numbers. It does not check names,
// units, and limits that depend on other values. id is its $id; about returns the meaning of a key of an entry, or "".
func Schema(id string, about func(entry, key string) string) map[string]any {
	s := schemaMaker{about: about, shapes: shapes(), defs: object{}}
	for _, e := range Entries() {
		s.defs[e.Name] = s.entry(e, false)
		s.defs["change of "+e.Name] = s.entry(e, true)
	}
	root := s.defs["fabric"].(object)
	root["required"] = []any{"fabric", "hosts", "links"}
	s.defs["values"] = values()
	out := object{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": id,
		"title": "A fabric of linerate", "$defs": s.defs}
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

// entry returns the schema of a mapping with fixed keys. change is for variants, where null removes a key.
func (s *schemaMaker) entry(e Entry, change bool) object {
	properties := object{"note": object{"type": "string", "description": "any text; it changes nothing"}}
	for _, key := range e.Keys {
		var v object
		switch set := settingNamed(key); {
		case e.Name == "profile" && key == "loads":
			v = oneOrMore(settingNamed("load").schema(method.Storage))
		case e.Name == "profile" && key != "repeats":
			v = oneOrMore(set.schema(method.Storage))
		case e.Name == "experiment" && key == "method":
			v = wordsSchema(Methods())
		case e.Name == "experiment" && key == "files": // a number for copy, names for app
			v = object{"$ref": "#/$defs/values"}
		case e.Name == "experiment" && slices.Contains(method.Keys(), key):
			v = oneOrMore(set.schema(""))
		default:
			v = s.shape(s.shapes[e.Name+"."+key], change)
		}
		if change && !strings.Contains(s.shapes[e.Name+"."+key], "entry ") &&
			!strings.Contains(s.shapes[e.Name+"."+key], "map ") {
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
	kinds := []any{"object", "null"} // "nas:" alone is a host without properties
	if e.Name == "fabric" {
		kinds = kinds[:1]
	}
	return object{"type": kinds, "properties": properties, "additionalProperties": false}
}

// shape returns the schema of one of shapes().
func (s *schemaMaker) shape(text string, change bool) object {
	if parts := strings.Split(text, " | "); len(parts) > 1 {
		all := xslices.Map(parts, func(p string) any { return s.shape(p, change) })
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
		return object{"type": "object", "properties": object{"note": object{"type": "string"}},
			"additionalProperties": object{"anyOf": of}}
	case "list":
		return object{"anyOf": []any{entry, object{"type": "array", "items": entry}}}
	case "variants":
		return object{"type": "object", "properties": object{"note": object{"type": "string"}},
			"additionalProperties": object{"$ref": "#/$defs/change%20of%20fabric"}}
	}
	return value()
}

// schema returns the schema of one value of a setting of a method; "": of any method.
func (s setting) schema(of string) object {
	switch s.Kind {
	case method.Word:
		all := s.Words
		for _, m := range Methods() {
			if s.Words == nil && (of == "" || m == of) && s.Of(m) {
				known := s.WordsFor(m)
				if known == nil { // this method accepts any
					return value()
				}
				for _, w := range known {
					all = xslices.AppendNew(all, w)
				}
			}
		}
		return wordsSchema(all)
	case method.Count:
		o := object{"type": []any{"integer", "string"}, "minimum": s.Low, "pattern": `^[0-9]+( *\.\. *[0-9]+)?$`}
		high := s.High
		for _, h := range s.HighOf {
			high = max(high, h)
		}
		if high > 0 {
			o["maximum"] = high
		}
		return o
	}
	return value()
}

// value returns the schema of one value of any kind: the decoder accepts texts as they are.
func value() object { return object{"type": []any{"string", "number", "boolean"}} }

func values() object { return oneOrMore(value()) }

func oneOrMore(v object) object {
	return object{"anyOf": []any{v, object{"type": "array", "items": v}}}
}

func orNull(v object) object { return object{"anyOf": []any{v, object{"type": "null"}}} }

// wordsSchema returns the schema of one of some words. true and false among them may be booleans of YAML.
func wordsSchema(words []string) object {
	all := xslices.Map(words, func(w string) any { return w })
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

// shapes describes the values of each key, for the JSON Schema of fabric files: "text" one value, "texts" one or a
// list, "table" names with one value each, "flag" true or false, "int LOW HIGH", "word A B ..", "entry E" a mapping
// with E's keys, "map E" names with such mappings, "list E" one or a list of them; several with " | ". Settings of
// experiments are in the table of internal/base/method. Tests compare all of it with the decoder.
func shapes() map[string]string {
	const exports, behind = "word iscsi nvme-tcp nbd nfs smb http", "word cpu chipset switch | like cpu[0-9]{1,2}"
	return map[string]string{"fabric.fabric": "text", "fabric.mtu": "int 576 65520",
		"fabric.addressing": "entry addressing", "fabric.subnets": "map subnet", "fabric.hosts": "map host",
		"fabric.volumes": "map volume", "fabric.profiles": "map profile", "fabric.switches": "map switch",
		"fabric.links": "list link", "fabric.spares": "list item | texts", "fabric.classes": "map class",
		"fabric.trust": "word dscp pcp port", "fabric.dcbx": "word none switch", "fabric.experiments": "map experiment",
		"fabric.goals": "map goal", "fabric.variants": "variants", "addressing.pool": "text",
		"addressing.prefix": "int 0 127", "addressing.avoid": "texts", "addressing.names": "word hosts-file",
		"subnet.range": "text", "subnet.vlan": "int 1 4094", "host.os": "word " + strings.Join(families.Hosts(), " "),
		"host.version": "text", "host.system": "text", "host.cpu": "text", "host.memory": "text", "host.connect": "text",
		"host.slots": "texts", "host.on": "text", "host.guest": "flag | word systemd", "host.price": "text",
		"host.settings": "table", "host.nics": "map nic", "host.bonds": "map bond", "host.drives": "map drive",
		"nic.part": "text | entry part", "nic.slot": "text", "nic.behind": behind, "nic.mode": "word eth ib",
		"nic.speed": "text", "nic.rdma": "word rocev1 rocev2 iwarp ib none", "nic.vfs": "int 0 4096", "nic.vf": "text",
		"nic.firmware": "text", "nic.settings": "table", "nic.ports": "texts", "nic.price": "text", "bond.of": "texts",
		"bond.mode": "word lacp backup set", "bond.subnet": "text", "drive.part": "text | entry part", "drive.bus": "text",
		"drive.behind": behind, "drive.count": "int 1 10000", "drive.layout": "text", "drive.read": "text",
		"drive.write": "text", "drive.capacity": "text", "drive.path": "text", "drive.mounts": "table",
		"drive.export": exports, "drive.size": "text", "drive.shares": "table", "drive.login": "text", "drive.price": "text",
		"volume.of": "texts", "volume.layout": "text", "volume.tiers": "texts", "volume.at": "text", "volume.path": "text",
		"volume.export": exports, "volume.shares": "table", "volume.login": "text", "profile.repeats": "int 1 1000",
		"switch.part": "text | entry part", "switch.os": "word " + strings.Join(families.Switches(), " "),
		"switch.version": "text", "switch.system": "text", "switch.connect": "text", "switch.price": "text",
		"link.ends": "texts", "link.mesh": "texts", "link.name": "text", "link.subnet": "text", "link.addresses": "texts",
		"link.cable": "text | entry item", "link.adapter": "text | entry item", "link.length": "text",
		"link.mtu": "int 576 65520", "item.part": "text | entry part", "item.price": "text", "item.label": "text",
		"item.count": "int 1 100000", "part.kind": "text", "part.name": "text", "part.speed": "text",
		"part.ports": "int 1 1024", "part.cage": "text", "part.bus": "text", "part.rdma": "texts", "part.media": "text",
		"part.ends": "texts", "part.length": "text", "part.capacity": "text", "class.priority": "int 0 7",
		"class.dscp": "int 0 63", "class.lossless": "flag", "class.ecn": "flag", "class.share": "text", "class.match": "text",
		"experiment.from": "texts", "experiment.to": "texts", "experiment.on": "texts", "experiment.via": "texts",
		"experiment.repeats": "int 1 1000", "experiment.extract": "entry extract", "extract.match": "text",
		"extract.unit": "text", "goal.of": "text", "goal.where": "lists", "goal.want": "text"}
}
