package render_test

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
)

// balanced returns where a line of a RouterOS script is incomplete: strings have to end, and brackets to close in order
// (MikroTik's manual, Scripting).
func balanced(line string) string {
	if strings.HasPrefix(line, "#") {
		return ""
	}
	if !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "/") {
		return "it begins with neither : nor /"
	}
	closing := map[byte]byte{'(': ')', '[': ']', '{': '}'}
	var open []byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '"':
			end := i + 1
			for ; end < len(line) && line[end] != '"'; end++ {
				if line[end] == '\\' {
					end++
				}
			}
			if end >= len(line) {
				return fmt.Sprintf("the string at %d has no end", i)
			}
			i = end
		case '(', '[', '{':
			open = append(open, closing[c])
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return fmt.Sprintf("%c at %d closes nothing", c, i)
			}
			open = open[:len(open)-1]
		case '#':
			return fmt.Sprintf("a comment at %d within the line", i)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("%c is missing", open[len(open)-1])
	}
	return ""
}

func TestBalanced(t *testing.T) {
	seen := 0
	for _, text := range []string{fabricWith(`{part: CRS309, os: routeros, version: "7.19"}`, roce),
		fabricWith(`{part: CRS309, os: routeros, version: "7.23"}`, roce),
		fabricWith(`{part: CRS326-24S+2Q+RM, os: routeros}`, "subnets: {s: {vlan: 7}}\ntrust: pcp\n"+roce),
		fabricWith(`{part: CRS305, os: routeros}`, "")} {
		text = strings.Replace(text, "{ends: [a.n, sw.1]}", "{ends: [a.n, sw.1], subnet: 10.9.0.0/24}", 1)
		if strings.Contains(text, "vlan: 7") {
			text = strings.ReplaceAll(strings.Replace(text, "subnet: 10.9.0.0/24", "subnet: s", 1), "{ends: [b.n, sw.2]}",
				"{ends: [b.n, sw.2], subnet: s}")
		}
		s := render.Render(configtest.Text(t, text))
		d := s.Device("sw")
		if d == nil {
			t.Fatal(s.Refused)
		}
		for _, f := range d.Files {
			if !strings.HasSuffix(f.Name, ".rsc") {
				continue
			}
			for _, l := range f.Lines {
				seen++
				if why := balanced(l.Text); why != "" {
					t.Errorf("%s: %s: %s", f.Name, why, l.Text)
				}
			}
		}
	}
	if seen < 80 {
		t.Errorf("only %d lines", seen)
	}
	for _, broken := range []string{`:put "a`, `:if ([:len 1] = 1 do={ }`, `:if (1) do={ :put 1 `, `set a`, `:put )`,
		`:put "\"`} {
		if balanced(broken) == "" {
			t.Errorf("%s is taken", broken)
		}
	}
}
