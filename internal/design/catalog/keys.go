package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"linerate/internal/base/diag"
)

var fileShape = reflect.TypeFor[file]()

// keys compares a value of the file with its Go type. It reports unknown and duplicate keys, and texts in place of
// numbers.
func (k *checker) keys(n *yaml.Node, t reflect.Type, what, part string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return // an empty value is an unknown one
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		k.mapping(n, t, what, part)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			k.bad(n, part, fmt.Sprintf("%s takes a list, not %s", what, describe1(n)), "", listFix(n))
			return
		}
		for _, item := range n.Content {
			name := part
			if t.Elem() == reflect.TypeFor[*entry]() {
				name = value(item, "id").Value
			}
			k.keys(item, t.Elem(), singular(what), name)
		}
	default:
		k.scalar(n, t, what, part)
	}
}

func (k *checker) mapping(n *yaml.Node, t reflect.Type, what, part string) {
	if n.Kind != yaml.MappingNode {
		k.bad(n, part, fmt.Sprintf("%s takes keys and values, and this is %s", what, describe1(n)), "", keysAre)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			k.bad(key, part, "a key is a name", "", "write NAME: value")
			continue
		}
		if line, ok := seen[key.Value]; ok {
			k.bad(key, part, fmt.Sprintf("the key %s is written twice, first in line %d", diag.Quote(key.Value), line),
				"YAML allows a key once", "join both, or delete one")
			continue
		}
		seen[key.Value] = key.Line
		of, ok := t, true
		name := key.Value
		if t.Kind() == reflect.Map {
			of, name = t.Elem(), entryOf(what, key.Value)
		} else if of, ok = fieldOf(t, key.Value); !ok {
			k.unknown(key, t, what, part)
			continue
		}
		k.keys(val, of, name, part)
	}
}

// unknown reports a key that does not exist, with the nearest one.
func (k *checker) unknown(key *yaml.Node, t reflect.Type, what, part string) {
	var names []string
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("yaml"); tag != "" {
			names = append(names, tag)
		}
	}
	slices.Sort(names)
	fix := keysAre
	if near := diag.Nearest(key.Value, names); near != "" {
		fix = "write " + near
	} else if len(names) <= 12 {
		fix = "its keys are " + strings.Join(names, ", ")
	}
	k.bad(key, part, fmt.Sprintf("%s is not a key of %s", diag.Quote(key.Value), article(what)), "", fix)
}

func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == key {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

func (k *checker) scalar(n *yaml.Node, t reflect.Type, what, part string) {
	if n.Kind != yaml.ScalarNode {
		k.bad(n, part, fmt.Sprintf("%s takes one value, not %s", what, describe1(n)), "", "write "+what+": VALUE")
		return
	}
	var err error
	wants, fix := "", ""
	switch t.Kind() {
	case reflect.Int:
		_, err = strconv.Atoi(n.Value)
		wants, fix = "a whole number", "write 2"
	case reflect.Float64:
		_, err = strconv.ParseFloat(n.Value, 64)
		wants, fix = "a number without a unit", "write 8.6"
	case reflect.Bool:
		wants, fix = "true or false", "write one of these, or omit the key if it is not known"
		if n.ShortTag() != "!!bool" {
			err = strconv.ErrSyntax
		}
	}
	if err != nil {
		k.bad(n, part, fmt.Sprintf("%s: %s is not %s", what, diag.Quote(n.Value), wants), "", fix)
	}
}

// only lists the kinds that have a key; all kinds may have the other keys.
var only = map[string][]Kind{
	"infiniband":    {NIC, Switch, Cable, Transceiver, Adapter},
	"ports":         {NIC, Switch},
	"pcie":          {NIC},
	"rdma":          {NIC},
	"sriov":         {NIC},
	"vfs":           {NIC},
	"l2mtu":         {Switch},
	"iscsi_offload": {NIC},
	"drivers":       {NIC},
	"pci_ids":       {NIC, Drive},
	"os":            {Switch},
	"chip":          {Switch},
	"pfc":           {Switch},
	"ecn":           {Switch},
	"buffer":        {Switch},
	"qos":           {Switch},
	"media":         {Cable, Transceiver, Adapter},
	"ends":          {Cable, Transceiver, Adapter},
	"length":        {Cable},
	"distance":      {Cable, Transceiver},
	"fiber":         {Cable, Transceiver},
	"bus":           {Drive},
	"medium":        {Drive},
	"capacity":      {Drive},
	"read":          {Drive},
	"write":         {Drive},
}

// kindKeys reports keys that the part's kind does not have, because they would be ignored.
func (k *checker) kindKeys(at *yaml.Node, e *entry, p *Part) {
	if !slices.Contains(kinds, p.Kind) {
		return // already reported
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		key := at.Content[i]
		if has, ok := only[key.Value]; ok && !slices.Contains(has, p.Kind) {
			k.bad(key, e.ID, fmt.Sprintf("%s is not a key of a %s", key.Value, p.Kind), keysAre, "delete it")
		}
	}
}

// entryOf returns what messages call the entries of a mapping whose keys are names.
func entryOf(what, key string) string {
	switch what {
	case "drivers":
		return "a driver"
	case "sources":
		return "a source"
	}
	return key
}

func describe1(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys and values"
	case yaml.AliasNode:
		return "*" + diag.Visible(n.Value) + ", and files of parts have no anchors"
	}
	return diag.Quote(n.Value)
}

func listFix(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("write [%s]", diag.Visible(n.Value))
	}
	return "write [A, B], or a line with a dash for each"
}

func singular(what string) string {
	switch what {
	case "parts":
		return "a part"
	case "drivers":
		return "a driver"
	case "ports":
		return "a group of ports"
	}
	return what
}

func article(what string) string {
	if strings.HasPrefix(what, "a ") {
		return what
	}
	return "\"" + what + "\""
}
