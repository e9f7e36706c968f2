package fabric

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// TestDocs expects every key of the decoder in docs/fabric.md, in the table of its entry, and no other keys.
func TestDocs(t *testing.T) {
	text := testenv.Must(os.ReadFile("../../../docs/fabric.md"))(t)
	sections := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		sections[strings.ToLower(title)] = body
	}
	titles := map[string]string{"fabric": "the file", "addressing": "addressing", "subnet": "subnets", "host": "hosts",
		"nic": "nics", "bond": "bonds", "drive": "drives", "volume": "volumes", "profile": "profiles", "switch": "switches",
		"link": "links", "item": "cables and spares", "part": "parts", "class": "classes", "experiment": "experiments",
		"extract": "extract", "goal": "goals"}
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

// TestDocsExamples loads the examples in docs/fabric.md: each block that begins with fabric:.
func TestDocsExamples(t *testing.T) {
	text := testenv.Must(os.ReadFile("../../../docs/fabric.md"))(t)
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

// TestExamples loads each example of the project as written and with each of its variants.
func TestExamples(t *testing.T) {
	paths := testenv.Must(filepath.Glob("../../../examples/*.yaml"))(t)
	designs := testenv.Must(filepath.Glob("../../../examples/designs/*.yaml"))(t)
	paths = append(paths, designs...)
	if len(paths) == 0 {
		testenv.Missing(t, "the folder ../examples with *.yaml")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, problems := Load(path, Options{Catalog: testCatalog(t)})
			if len(problems) > 0 {
				t.Fatalf("\n%v", problems)
			}
			for _, v := range f.Variants {
				if _, problems := Load(path, Options{Variant: v, Catalog: testCatalog(t)}); len(problems) > 0 {
					t.Errorf("variant %s:\n%v", v, problems)
				}
			}
		})
	}
}
