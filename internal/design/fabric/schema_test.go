package fabric

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/design/catalog"
	"linerate/internal/testenv"
)

// TestShapes expects a shape for every key of every entry, and no others.
func TestShapes(t *testing.T) {
	have := shapes()
	for _, e := range Entries() {
		for _, k := range e.Keys {
			name := e.Name + "." + k
			setting := slices.Contains(method.Keys(), k)
			switch {
			case e.Name == "profile" && k != "repeats", name == "experiment.method", e.Name == "experiment" && setting:
				if have[name] != "" {
					t.Errorf("%s has a shape, and settings() says what it is", name)
				}
			case have[name] == "":
				t.Errorf("%s has no shape in shapes()", name)
			}
			delete(have, name)
		}
	}
	for name := range have {
		t.Errorf("%s has a shape, and the decoder has no such key", name)
	}
}

// around has files with one key of an entry missing, at {}.
var around = map[string]string{
	"fabric": "%s\nhosts: {a: {os: linux, nics: {c: {part: MCX354A-FCCT}}}, b: {os: linux, nics: {c: {part: " +
		"MCX354A-FCCT}}}}\n",
	"addressing": "addressing: {%s}\n",
	"subnet":     "subnets: {s: {%s}}\n",
	"host":       "hosts: {a: {nics: {c: {part: MCX354A-FCCT}}, %s}, b: {nics: {c: {part: MCX354A-FCCT}}}}\n",
	"nic":        "hosts: {a: {nics: {c: {part: MCX354A-FCCT, %s}}}, b: {nics: {c: {part: MCX354A-FCCT}}}}\n",
	"bond": "hosts: {a: {nics: {c: {part: MCX354A-FCCT}}, bonds: {t: {of: [c.1, c.2], %s}}}, b: {nics: {c: " +
		"{part: MCX354A-FCCT}}}}\n",
	"drive": "hosts: {a: {nics: {c: {part: MCX354A-FCCT}}, drives: {d: {path: /mnt, %s}}}, b: {nics: {c: {part: " +
		"MCX354A-FCCT}}}}\n",
	"volume": "hosts: {a: {nics: {c: {part: MCX354A-FCCT}}, drives: {d: {path: /mnt}}}, b: {nics: {c: {part: " +
		"MCX354A-FCCT}}}}\nvolumes: {v: {of: a.d, %s}}\n",
	"profile":    "profiles: {p: {loads: [RND4K-Q32T1], %s}}\n",
	"switch":     "switches: {s: {%s}}\n",
	"link":       "links: [{ends: [a.c.1, b.c.1], %s}]\n",
	"item":       "spares: [{part: AOC-Q-Q-40G-10M, %s}]\n",
	"part":       "spares: [{part: {kind: nic, name: x, speed: 40G, %s}}]\n",
	"class":      "classes: {k: {priority: 3, %s}}\n",
	"experiment": "experiments: {x: {method: throughput, from: a, to: b, %s}}\n",
}

// file is a whole fabric with one key of an entry.
func file(entry, key, value string) string {
	text := fmt.Sprintf(around[entry], key+": "+value)
	if entry == "item" && key == "part" || strings.Contains(text, "priority: 3, priority:") {
		text = strings.Replace(strings.Replace(text, "part: AOC-Q-Q-40G-10M, ", "", 1), "priority: 3, priority:",
			"priority:", 1)
	}
	all := "fabric: f\n" + text
	if !strings.Contains(all, "\nhosts:") {
		all += "hosts: {a: {os: linux, nics: {c: {part: MCX354A-FCCT}}}, b: {os: linux, nics: {c: {part: MCX354A-FCCT}}}}\n"
	}
	if !strings.Contains(all, "\nlinks:") {
		all += "links: [{ends: [a.c.1, b.c.1]}]\n"
	}
	return all
}

// refused returns the problem about a key's value, found by its id.
func refused(c *catalog.Catalog, entry, key, value string) string {
	_, problems := Parse("f.yaml", []byte(file(entry, key, value)), Options{Catalog: c})
	for _, p := range problems {
		if p.ID == diag.ValueUnknown || p.ID == diag.ValueNumber {
			return p.Message + "; " + p.Limit
		}
	}
	return ""
}

// TestShapesAreTheDecoders compares the words, numbers and flags of the schema with the decoder: it accepts each word
// and both ends of each range, and refuses other words and the numbers next to the ends.
func TestShapesAreTheDecoders(t *testing.T) {
	testCatalog := testenv.Must(catalog.Load())(t)
	tried := 0
	for name, shape := range shapes() {
		entry, key, _ := strings.Cut(name, ".")
		for _, one := range strings.Split(shape, " | ") {
			kind, rest, _ := strings.Cut(one, " ")
			words := strings.Fields(rest)
			var good, bad []string
			switch kind {
			case "word":
				good, bad = words, []string{"xyzzy"}
			case "flag":
				good, bad = []string{"true", "off"}, []string{"xyzzy"}
			case "int":
				good, bad = words, []string{fmt.Sprint(atoi(words[0]) - 1), fmt.Sprint(atoi(words[1]) + 1), "xyzzy"}
			default:
				continue
			}
			if name == "addressing.prefix" { // its range is the pool's
				good = []string{"24"}
			}
			for _, v := range good {
				if why := refused(testCatalog, entry, key, v); why != "" {
					t.Errorf("the schema has %s: %s, and the decoder says: %s", name, v, why)
				}
			}
			for _, v := range bad {
				if refused(testCatalog, entry, key, v) == "" {
					t.Errorf("the decoder takes %s: %s, and the schema does not:\n%s", name, v, file(entry, key, v))
				}
			}
			if kind == "word" && !strings.Contains(shape, " | ") { // the decoder's own list
				if why := refused(testCatalog, entry, key, "xyzzy"); !strings.HasSuffix(why, orList(words)) {
					t.Errorf("%s is %s in the schema, and the decoder says: %s", name, orList(words), why)
				}
			}
			tried++
		}
	}
	if tried < 25 {
		t.Errorf("only %d keys were tried", tried)
	}
}
