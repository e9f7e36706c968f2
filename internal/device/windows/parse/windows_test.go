package parse

import (
	"strings"
	"testing"
)

// TestPowerShellTable: columns follow their dashes, whatever they contain: blanks, nothing, numbers aligned right,
// characters that are two columns wide; or the table was retyped.
func TestPowerShellTable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Name   Value\n----   -----\na b c      1\n           2\nd\n", `a b c|1;d|`},
		{"N     Long label V\n-     ---------- -\nx              12 y z\n", "x|12|y z"},
		{"A    B\n---  ---\nlong value   other\n", "long value|other"},
		{"Name     Index\n----     -----\n以太网         3\n", "以太网|3"},
		{"Name\n----\nwrapped name\n", "wrapped name"},
	} {
		var rows []string
		for _, o := range parsePS(c.text) {
			var fields []string
			for _, p := range o.props {
				fields = append(fields, p.value)
			}
			rows = append(rows, strings.Join(fields, "|"))
		}
		if got := strings.Join(rows, ";"); got != c.want {
			t.Errorf("%q: %s", c.text, got)
		}
	}
	o := parsePS("Name    Value\n----    -----\nlong... 1\n")[0]
	if o.text("Name") != "" || o.text("Value") != "1" || !o.props[0].cut {
		t.Errorf("%+v", o)
	}
}
