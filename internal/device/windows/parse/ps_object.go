package parse

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// psObject is an object that PowerShell printed: a row of a table, a list of "Name : value", or JSON.
type psObject struct {
	command string // the cmdlet that printed it; empty: its form decides
	props   []psProp
	row     string // of a table: its line; else empty
}

// psProp is a property. psKey normalizes labels of tables and names of properties.
type psProp struct {
	key   string // "pcielinkspeed"
	name  string // as printed
	value string // of several lines if the list has them
	line  string // its line; empty: made of name and value
	cut   bool   // PowerShell truncated it, as "..."
}

// psKey normalizes a name to lower-case letters and digits, so that the label "Client RSS Capable" is the property
// ClientRSSCapable.
func psKey(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteRune(r + 'a' - 'A')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// prop returns the first existing property of the names.
func (o *psObject) prop(names ...string) *psProp {
	for _, name := range names {
		key := psKey(name)
		for i := range o.props {
			if o.props[i].key == key {
				return &o.props[i]
			}
		}
	}
	return nil
}

// hasKeys reports whether it has all of these properties, in the form of psKey.
func (o *psObject) hasKeys(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		return !slices.ContainsFunc(o.props, func(p psProp) bool { return p.key == key })
	})
}

// text returns the first value of these properties that is not empty; empty: there is none, or it was truncated.
func (o *psObject) text(names ...string) string {
	for _, name := range names {
		if p := o.prop(name); p != nil && p.value != "" && !p.cut {
			return p.value
		}
	}
	return ""
}

// line returns the evidence for a property: its line, its row, or both in words.
func (o *psObject) line(names ...string) string {
	if o.row != "" {
		return o.row
	}
	p := o.prop(names...)
	switch {
	case p == nil:
		return ""
	case p.line != "":
		return p.line
	}
	said := p.name + ": " + p.value
	if n := o.prop("Name", "InterfaceAlias", "ServerName"); n != nil && n != p && n.value != "" {
		said = n.name + ": " + n.value + ", " + said
	}
	return said
}

// flag returns a property that is True or False. PowerShell prints these words in some languages; its keywords are
// English everywhere.
func (o *psObject) flag(names ...string) unit.Opt[bool] {
	p := o.prop(names...)
	if p == nil {
		return unit.Unknown[bool](names[0] + " is not in the snapshot")
	}
	if v, ok := psBool(p.value); ok && !p.cut {
		return unit.Known(v)
	}
	return unit.Unknown[bool](p.name + " is " + strconv.Quote(shortened(p.value)))
}

func psBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "enabled", "$true":
		return true, true
	case "false", "disabled", "$false":
		return false, true
	}
	return false, false
}

// number returns a property that is a count. Thousands may be separated by blanks, points, commas or apostrophes.
func (o *psObject) number(names ...string) unit.Opt[int64] {
	p := o.prop(names...)
	if p == nil {
		return unit.Unknown[int64](names[0] + " is not in the snapshot")
	}
	if n, ok := psNumber(p.value); ok && !p.cut {
		return unit.Known(n)
	}
	return unit.Unknown[int64](p.name + " is " + strconv.Quote(shortened(p.value)))
}

var (
	grouped = lazyregexp.New(`^\d{1,3}([., '\x{a0}\x{202f}\x{2019}]\d{3})+$`)
	groups  = strings.NewReplacer(".", "", ",", "", " ", "", "'", "", "\u00a0", "", "\u202f", "", "\u2019", "")
)

func psNumber(s string) (int64, bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "{"), "}")
	if grouped.MatchString(s) {
		s = groups.Replace(s)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0
}

// speedText is "10 Gbps", "2,5 Gbps", "0  bps".
var speedText = lazyregexp.New(`^(\d+(?:[.,]\d+)?)\s*([KMGT]?)bps$`)

// speed returns a property that is a rate: bits per second, or with its unit.
func (o *psObject) speed(names ...string) unit.Opt[unit.BitRate] {
	p := o.prop(names...)
	if p == nil {
		return unit.Unknown[unit.BitRate](names[0] + " is not in the snapshot")
	}
	value := strings.TrimSpace(p.value)
	if n, ok := psNumber(value); ok && n > 0 {
		return unit.Known(unit.BitRate(n))
	}
	if m := speedText.FindStringSubmatch(value); m != nil {
		v, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
		v *= map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[m[2]]
		if err == nil && v > 0 {
			return unit.Known(unit.BitRate(v))
		}
	}
	return unit.Unknown[unit.BitRate](p.name + " is " + strconv.Quote(shortened(p.value)))
}

// list returns a property of several values: "{192.168.101.13, fe80::1}", "0-2,4-7".
func (o *psObject) list(names ...string) []string {
	value := strings.Trim(o.text(names...), "{}")
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}

// priorities reads "0-2,4-7" and "3"; false: it is something else, or empty.
func priorities(s string) (out []int, ok bool) {
	for _, part := range strings.FieldsFunc(strings.Trim(s, "{}"), func(r rune) bool { return r == ',' || r == ' ' }) {
		from, to, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		b := a
		if ranged && err == nil {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < 0 || b > 7 || a > b {
			return nil, false
		}
		for i := a; i <= b; i++ {
			out = append(out, i)
		}
	}
	return out, len(out) > 0
}

func shortened(s string) string {
	s = facts.OneLine(s)
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + " .."
	}
	return s
}
