package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

// fields reads the keys of one mapping.
type fields struct {
	d       *decoder
	n       *node
	at      At     // the place of missing keys: the entry's name
	subject string // "host nas"
	Note    string
}

// fields compares a mapping's keys with those of the entry. ok is false if it is not a mapping.
func (d *decoder) fields(n *node, entry, subject string, at At) (f *fields, ok bool) {
	f = &fields{d: d, n: n, at: at, subject: subject}
	if n.kind == null {
		f.n = &node{kind: mapping, at: n.at}
		return f, true
	}
	if n.kind != mapping {
		d.bad(diag.ValueKind, n.at, subject, fmt.Sprintf("%s takes keys, not %s", article(entry), n.describe()), "",
			"write "+example(entry))
		return f, false
	}
	keys := d.keysOf(entry)
	for i, p := range n.pairs {
		switch {
		case d.src.stopped:
			return f, false
		case p.key.text == "note":
			f.Note = f.text("note")
		case !slices.Contains(keys, p.key.text):
			if meant := d.unknownKey(p.key, entry, subject, keys); meant != "" && !hasKey(n, meant) {
				// Missing keys would cause further errors in correct lines: from here on the key counts as the one that was meant.
				key := *p.key
				key.text = meant
				n.pairs[i].key = &key
			}
		case p.value.kind == null:
			d.bad(diag.ValueMissing, p.key.at, subject, fmt.Sprintf("%s has no value", quote(p.key.text)), "",
				"write a value, or delete the key")
		}
	}
	return f, true
}

// longList is how many keys a message lists if one key is likely meant.
const longList = 12

// unknownKey reports a key that the entry does not have, and returns the key that was likely meant; "": not known.
func (d *decoder) unknownKey(key *node, entry, subject string, keys []string) (near string) {
	fix, limit := "", article(entry)+" has "+strings.Join(keys, ", ")
	first, rest, words := strings.Cut(key.text, " ")
	if near = nearest(key.text, keys); near != "" {
		fix = "did you mean " + near + "?"
		if len(keys) > longList {
			limit = ""
		}
	} else if words && slices.Contains(keys, first) {
		fix = fmt.Sprintf("write %s: %s, with a colon", first, visible(rest))
	} else if meant := sameThing()[key.text]; slices.Contains(keys, meant) {
		fix = "write " + meant
	} else {
		var elsewhere []string
		for _, e := range Entries() {
			if slices.Contains(e.Keys, key.text) {
				elsewhere = append(elsewhere, article(e.Name))
			}
		}
		if len(elsewhere) > 0 {
			fix = fmt.Sprintf("write it in %s", orList(elsewhere))
		} else {
			fix = "write a remark as note: TEXT, or after #"
		}
	}
	d.bad(diag.KeyUnknown, key.at, subject, fmt.Sprintf("%s has no key %s", article(entry), quote(key.text)), limit, fix)
	return near
}

// sameThing lists common other names of keys.
func sameThing() map[string]string {
	return map[string]string{"rate": "speed", "bandwidth": "speed", "gbps": "speed", "type": "kind",
		"model": "part", "ip": "addresses", "address": "addresses"}
}

func article(entry string) string {
	switch entry {
	case "item":
		return "a cable or spare"
	case "fabric":
		return "a fabric file"
	case "part":
		return "a part written out"
	case "addressing":
		return "addressing"
	case "experiment", "extract":
		return "an " + entry
	}
	return "a " + entry
}

// example shows the shortest form of an entry.
func example(entry string) string {
	return map[string]string{"fabric": "fabric: NAME, hosts: and links: in lines of their own",
		"addressing": "{pool: 10.20.0.0/16, prefix: 24}", "subnet": "{range: 10.0.1.0/24}", "host": "{os: linux}",
		"nic": "{part: MCX354A-FCCT}", "bond": "{of: [cx3.1, cx3.2], mode: lacp}",
		"drive": "{bus: pcie3x4, path: /mnt/bench}", "volume": "{of: [nas.tank]}", "switch": "{part: SN2010}",
		"profile": "{loads: [RND4K-Q32T1], read: [100%, 70%]}", "link": "{ends: [nas.cx3.1, pc.cx3.1]}",
		"item": "{part: AOC-Q-Q-40G-10M, price: 31.88 USD}", "part": "{kind: nic, speed: 40G, ports: 2}",
		"class": "{priority: 3, dscp: 26}", "experiment": "{method: throughput, from: nas, to: pc}",
		"extract": "{match: 'time (\\S+)', unit: s}", "goal": "{of: EXPERIMENT, want: goodput >= 95% of ceiling}"}[entry]
}

// get returns a key's value; nil if it is missing.
func (f *fields) get(key string) *node {
	if p, ok := f.n.pair(key); ok && p.value.kind != null {
		return p.value
	}
	return nil
}

func (f *fields) has(key string) bool { return f.get(key) != nil }

// bad reports the value of a key; a missing key is reported at the entry.
func (f *fields) bad(id diag.ID, key, message, limit, fix string) {
	at := f.at
	if n := f.get(key); n != nil {
		at = n.at
	}
	f.d.bad(id, at, f.subject, message, limit, fix)
}

// scalar returns a key's value if it is a single text.
func (f *fields) scalar(key string) *node {
	n := f.get(key)
	if n == nil || n.kind == scalar {
		return n
	}
	fix := "write one value"
	if n.kind == list && len(n.items) == 1 && n.items[0].kind == scalar {
		fix = fmt.Sprintf("write %s: %s", key, visible(n.items[0].text))
	}
	f.bad(diag.ValueKind, key, fmt.Sprintf("%s takes one value, not %s", key, n.describe()), "", fix)
	return nil
}

const maxText = 4096

// text returns a key's text, without control characters.
func (f *fields) text(key string) string {
	n := f.scalar(key)
	if n == nil {
		return ""
	}
	return f.plain(key, n)
}

// plain checks a text's characters and length.
func (f *fields) plain(key string, n *node) string {
	if len(n.text) > maxText {
		f.d.bad(diag.ValueText, n.at, f.subject, fmt.Sprintf("the text has %d bytes", len(n.text)),
			fmt.Sprintf("%s takes up to %d", key, maxText), "shorten it")
		return ""
	}
	if c := strings.IndexFunc(n.text,
		func(r rune) bool { return (r < 0x20 || r == 0x7f) && !(key == "note" && (r == '\n' || r == '\t')) }); c >= 0 {
		f.d.bad(diag.ValueText, n.at, f.subject, fmt.Sprintf("the text has a control character or line end (U+%04X)",
			n.text[c]),
			"values go into files as one line", "write it as one plain line")
		return ""
	}
	return n.text
}

// number returns a key's whole number within limits; def if it is missing.
func (f *fields) number(key string, low, high, def int, whose string) int {
	n := f.scalar(key)
	if n == nil {
		return def
	}
	v, err := strconv.Atoi(n.text)
	if err != nil {
		f.bad(diag.ValueNumber, key, fmt.Sprintf("%s is not a whole number", quote(n.text)),
			fmt.Sprintf("%s is from %d to %d", whose, low, high), meantNumber(n.text, low, high))
		return def
	}
	if v < low || v > high {
		f.bad(diag.ValueNumber, key, fmt.Sprintf("%s %d is out of range", key, v), fmt.Sprintf("%s is from %d to %d", whose,
			low, high),
			fmt.Sprintf("write a number from %d to %d", low, high))
		return def
	}
	return v
}

// choice returns a key's value if it is one of the allowed ones.
func (f *fields) choice(key string, allowed ...string) string {
	n := f.scalar(key)
	if n == nil || slices.Contains(allowed, n.text) {
		return f.text(key)
	}
	f.bad(diag.ValueUnknown, key, fmt.Sprintf("unknown %s %s", key, quote(n.text)),
		fmt.Sprintf("%s is %s", key, orList(allowed)), meantChoice(key, n.text, allowed))
	return ""
}

func (f *fields) flag(key string) bool {
	n := f.scalar(key)
	if n == nil {
		return false
	}
	switch strings.ToLower(n.text) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
	default:
		f.bad(diag.ValueUnknown, key, fmt.Sprintf("%s is neither true nor false", quote(n.text)), "", "write true or false")
	}
	return false
}

// parsed reads a key with a parser of package unit, whose errors include what to write.
func parsed[T any](f *fields, key string, parse func(string) (T, error)) T {
	var zero T
	n := f.scalar(key)
	if n == nil {
		return zero
	}
	v, err := parse(n.text)
	if err != nil {
		f.d.badUnit(n.at, f.subject, key, n.text, err)
		return zero
	}
	return v
}

// badUnit reports an error of package unit.
func (d *decoder) badUnit(at At, subject, key, text string, err error) {
	c := unitComplaint(key, text, err)
	d.bad(c.id, at, subject, c.message, c.limit, c.fix)
}

func (f *fields) rate(key string) unit.BitRate { return parsed(f, key, unit.ParseBitRate) }

// items returns the entries of a key that takes a list, or a single entry.
func (f *fields) items(key string) []*node {
	n := f.get(key)
	if n == nil {
		return nil
	}
	if n.kind == list {
		return n.items
	}
	return []*node{n}
}

// words returns the entries of a list of texts.
func (f *fields) words(key string) []*node {
	var words []*node
	for _, n := range f.items(key) {
		if f.d.src.stopped {
			return nil
		}
		if n.kind != scalar {
			f.d.bad(diag.ValueKind, n.at, f.subject, fmt.Sprintf("%s takes names, not %s", key, n.describe()), "", fmt.Sprintf(
				"write %s: [NAME, NAME], and a range in quotes", key))
			continue
		}
		words = append(words, n)
	}
	return words
}

// table returns a key's mapping of text to text.
func (f *fields) table(key string) map[string]string {
	n := f.get(key)
	if n == nil {
		return nil
	}
	if n.kind != mapping {
		f.bad(diag.ValueKind,
			key,
			fmt.Sprintf("%s takes names with values, not %s", key, n.describe()),
			"",
			fmt.Sprintf("write %s: {%s}", key,
				map[bool]string{true: "smb: //HOST/SHARE", false: "NAME: value"}[key == "shares"]),
		)
		return nil
	}
	t := map[string]string{}
	for _, p := range n.pairs {
		f.d.checkText(p.key, f.subject)
		switch {
		case p.value.kind == null:
			t[p.key.text] = ""
		case p.value.kind != scalar:
			f.d.bad(diag.ValueKind, p.value.at, f.subject,
				fmt.Sprintf("%s takes one value, not %s", quoteName(p.key.text), p.value.describe()), "", "write one value")
		case p.key.text != "note":
			t[p.key.text] = f.plain(p.key.text, p.value)
		}
	}
	return t
}
