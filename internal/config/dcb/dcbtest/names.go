// Package dcbtest holds what the families of switches are all tested by: names that try to break out of the rendered text, and
// answers of switches against what is expected of them.
package dcbtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// Hostile are names that mean something in one of the languages of switches or of JSON.
var Hostile = []string{"'", `"`, "`id`", "$(reboot)", "a;b", "a\nreload", "a\r\nconfigure", "!x", "#x", "## x", "-o", "a|b", "a\\", "{{x}}", "</script>", "\x00", "\x1b[2J",
	"é", "日本", "\u202e", "\u2028", "\xff", strings.Repeat("x", 5000), "", " "}

// render is a family's renderer of a switch.
type render = func(*plan.Plan, *plan.Switch) (device.Device, error)

// fabricOf is a fabric in which everything that a user can name has the same name.
func fabricOf(os, version string, part *catalog.Part, name string) *plan.Plan {
	f := &fabric.Fabric{Name: name, MTU: 9000, Trust: "dscp", DCBX: "switch",
		Classes:  []fabric.Class{{Name: name, Priority: 3, DSCP: 26, Lossless: true, ECN: true, Share: 0.6, Match: name}},
		Subnets:  []fabric.Subnet{{Name: name, VLAN: 7}},
		Switches: []*fabric.Switch{{Name: name + "-s", OS: os, Version: version, Part: part}}}
	for i := 1; i <= 2; i++ {
		host := name + fmt.Sprint(i)
		f.Hosts = append(f.Hosts, &fabric.Host{Name: host, NICs: []*fabric.NIC{{Name: name, Ports: []string{name}}}})
		f.Links = append(f.Links, &fabric.Link{Name: name + fmt.Sprint(i), Subnet: name, Cable: fabric.Item{Label: name},
			Ends: [2]fabric.Port{{Host: host, Card: name, Index: 1}, {Switch: name + "-s", Index: i}}})
	}
	return plan.Build(f)
}

// Names checks that a name of the user's changes nothing of what a switch is told: the commands are those of a fabric with a
// harmless name, and each line stays one line.
func Names(t *testing.T, os, version string, part *catalog.Part, by render, name string) {
	t.Helper()
	want, err := commands(fabricOf(os, version, part, "n"), by)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Fatal("no command was rendered")
	}
	got, err := commands(fabricOf(os, version, part, name), by)
	if err != nil {
		if text := err.Error(); strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%q: the refusal has control characters: %q", name, text)
		}
		return // refused
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("name %q: the commands differ from those of a harmless name, from line %d on: %q, want %q", name, i+1, at(got, i), at(want, i))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// commands are the lines of a switch's files that are not comments, and of its typed expectations what is no reason.
func commands(p *plan.Plan, by render) ([]string, error) {
	d, err := by(p, p.Switches[0])
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range d.Files {
		f := &d.Files[i]
		text := f.Text()
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
			return r != '\n' && unicode.IsControl(r) || r == '\u2028' || unicode.Is(unicode.Cf, r)
		}) {
			return nil, fmt.Errorf("%s has characters that hide or break", f.Name)
		}
		if strings.HasSuffix(f.Name, ".json") {
			var v any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			b, err := json.Marshal(without(v, "why"))
			if err != nil {
				return nil, err
			}
			out = append(out, string(b))
			continue
		}
		for _, line := range strings.Split(text, "\n") {
			if f.Comment == "" || !strings.HasPrefix(strings.TrimSpace(line), f.Comment) {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

// without removes a key everywhere.
func without(v any, key string) any {
	switch x := v.(type) {
	case map[string]any:
		delete(x, key)
		for k := range x {
			x[k] = without(x[k], key)
		}
	case []any:
		for i := range x {
			x[i] = without(x[i], key)
		}
	}
	return v
}

// Expectations reads the verify.json of a device.
func Expectations(t *testing.T, d *device.Device) []dcb.Expect {
	t.Helper()
	var v struct {
		Expect []dcb.Expect `json:"expect"`
	}
	if err := json.Unmarshal([]byte(d.File("verify.json").Text()), &v); err != nil {
		t.Fatal(err)
	}
	return v.Expect
}

// JSON follows keys and indices into a switch's answer; ok is whether there is a text or number at their end.
func JSON(answer string, where []string) (value string, ok bool) {
	var v any
	if json.Unmarshal([]byte(answer), &v) != nil {
		return "", false
	}
	for _, w := range where {
		switch x := v.(type) {
		case map[string]any:
			v = x[w]
		case []any:
			i, err := strconv.Atoi(w)
			if err != nil || i < 0 || i >= len(x) {
				return "", false
			}
			v = x[i]
		default:
			return "", false
		}
	}
	switch x := v.(type) {
	case string:
		return x, true
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64), true
	}
	return "", false
}

// Line says whether one line of an answer contains a text, any number of spaces counting as one.
func Line(answer, want string) bool {
	for _, line := range strings.Split(answer, "\n") {
		if strings.Contains(strings.Join(strings.Fields(line), " "), strings.Join(strings.Fields(want), " ")) {
			return true
		}
	}
	return false
}

// Tree finds a value in an answer of NVUE: lines indented under their group, the value in the column operational.
func Tree(answer string, where []string) (value string, ok bool) {
	column := -1
	var path []string
	for _, line := range strings.Split(answer, "\n") {
		if column < 0 {
			column = strings.Index(line, "operational")
			continue
		}
		word := strings.Fields(line)
		if len(word) == 0 || strings.HasPrefix(word[0], "--") {
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		path = append(path[:min(depth, len(path))], word[0])
		if slices.Equal(path, where) && len(line) > column {
			rest := line[column:]
			if end := strings.Index(rest, "  "); end >= 0 {
				rest = rest[:end]
			}
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// Table finds a cell in a table as SONiC prints them: the line that begins with row, the column whose head is above it. Columns are
// where the rule of dashes below the heads says.
func Table(answer string, where []string) (value string, ok bool) {
	if len(where) != 2 {
		return "", false
	}
	lines := strings.Split(answer, "\n")
	for i, rule := range lines {
		if i == 0 || strings.Trim(rule, "- ") != "" || !strings.Contains(rule, "--") {
			continue
		}
		for start := 0; start < len(rule); {
			for start < len(rule) && rule[start] == ' ' {
				start++
			}
			end := start
			for end < len(rule) && rule[end] == '-' {
				end++
			}
			if end == start || strings.TrimSpace(cut(lines[i-1], start, end)) != where[1] {
				start = end
				continue
			}
			for _, line := range lines[i+1:] {
				if f := strings.Fields(line); len(f) > 0 && f[0] == where[0] {
					return strings.TrimSpace(cut(line, start, end)), true
				}
			}
			return "", false
		}
	}
	return "", false
}

func cut(line string, start, end int) string {
	if start >= len(line) {
		return ""
	}
	return line[start:min(end, len(line))]
}
