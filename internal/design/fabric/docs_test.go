package fabric

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every key that the decoder knows stands in docs/fabric.md, in the table of its
// entry, and every key of those tables is known.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../../docs/fabric.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		sections[strings.ToLower(title)] = body
	}
	titles := map[string]string{"fabric": "the file", "addressing": "addressing", "subnet": "subnets", "host": "hosts", "nic": "nics", "bond": "bonds", "drive": "drives",
		"volume": "volumes", "profile": "profiles", "switch": "switches", "link": "links", "item": "cables and spares", "part": "parts", "class": "classes", "experiment": "experiments",
		"figure": "figure", "goal": "goals"}
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")
	for _, e := range Entries() {
		body, ok := sections[titles[e.Name]]
		if !ok {
			t.Errorf("docs/fabric.md has no section %q", titles[e.Name])
			continue
		}
		documented := map[string]bool{}
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			documented[m[1]] = true
		}
		for _, k := range e.Keys {
			if !documented[k] {
				t.Errorf("key %s of %s is missing in its table", k, e.Name)
			}
			delete(documented, k)
		}
		for k := range documented {
			t.Errorf("the table of %s has the key %s, which the decoder does not know", e.Name, k)
		}
	}
}

// The examples in docs/fabric.md load: each block that begins with fabric:.
func TestDocsExamples(t *testing.T) {
	text, err := os.ReadFile("../../../docs/fabric.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(fabric:.*?)```").FindAllStringSubmatch(string(text), -1) {
		n++
		if _, problems := loadText(t, m[1]); len(problems) > 0 {
			t.Errorf("%s\n%v", m[1], problems)
		}
	}
	if n == 0 {
		t.Error("there is no whole example")
	}
}
