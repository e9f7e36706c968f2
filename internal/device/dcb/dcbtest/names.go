// Package dcbtest tests what all families of switches have in common: names that try to escape from the rendered text,
// and switch output against the expected one.
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

	"github.com/google/go-cmp/cmp"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
)

// Hostile are names with special characters of a switch's language or of JSON.
var Hostile = []string{"'", `"`, "`id`", "$(reboot)", "a;b", "a\nreload", "a\r\nconfigure", "!x", "#x", "## x", "-o",
	"a|b", "a\\", "{{x}}", "</script>", "\x00", "\x1b[2J",
	"é", "日本", "\u202e", "\u2028", "\xff", strings.Repeat("x", 5000), "", " "}

// named plans a fabric in which everything that a user can name has the same name.
func (x Family) named(t testing.TB, name string) *plan.Plan {
	f := &fabric.Fabric{Name: name, MTU: 9000, Trust: "dscp", DCBX: "switch",
		Classes:  []fabric.Class{{Name: name, Priority: 3, DSCP: 26, Lossless: true, ECN: true, Share: 0.6, Match: name}},
		Subnets:  []fabric.Subnet{{Name: name, VLAN: 7}},
		Switches: []*fabric.Switch{{Name: name + "-s", OS: x.OS, Version: x.Version, Part: x.part(t)}}}
	for i := 1; i <= 2; i++ {
		host := name + fmt.Sprint(i)
		f.Hosts = append(f.Hosts, &fabric.Host{Name: host, NICs: []*fabric.NIC{{Name: name, Ports: []string{name}}}})
		f.Links = append(f.Links, &fabric.Link{Name: name + fmt.Sprint(i), Subnet: name, Cable: fabric.Item{Label: name},
			Ends: [2]fabric.Port{{Host: host, NIC: name, Index: 1}, {Switch: name + "-s", Index: i}}})
	}
	return plan.Build(f)
}

// Name expects that a user's name changes no command: the commands are those with a harmless name, and each line stays
// one line.
func (x Family) Name(t *testing.T, name string) {
	t.Helper()
	want, err := x.commands(x.named(t, "n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Fatal("no command was rendered")
	}
	got, err := x.commands(x.named(t, name))
	if err != nil {
		if text := err.Error(); strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%q: the refusal has control characters: %q", name, text)
		}
		return // refused
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("name %q: the commands differ from those of a harmless name (-want +got):\n%s", name, diff)
	}
}

// commands returns the lines of a switch's files that are not comments, and its typed expectations without their
// reasons.
func (x Family) commands(p *plan.Plan) ([]string, error) {
	d, err := x.Switch(p, p.Switches[0])
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

// expectations reads the verify.json of a device.
func expectations(t testing.TB, d *config.Device) []dcb.Expect {
	t.Helper()
	var v struct {
		Expect []dcb.Expect `json:"expect"`
	}
	if err := json.Unmarshal([]byte(d.File("verify.json").Text()), &v); err != nil {
		t.Fatal(err)
	}
	return v.Expect
}

// JSON follows keys and indices in a switch's output. ok reports whether they lead to a text or number.
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

// Line reports whether one line of an output contains a text. Any number of spaces counts as one.
func Line(answer, want string) bool {
	want = strings.Join(strings.Fields(want), " ")
	return slices.ContainsFunc(strings.Split(answer, "\n"), func(line string) bool {
		return strings.Contains(strings.Join(strings.Fields(line), " "), want)
	})
}

// Tree finds a value in NVUE's output: lines are indented below their group, and the value is in the column
// operational.
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

// Table finds a value in a table of SONiC: in the line that begins with where[0], below the title where[1]. A rule of
// dashes below the titles marks the columns.
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
