// Package configtest is what the tests of the families of devices share: plans out of fabric files and golden folders.
package configtest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"linerate/internal/config/device"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// Plan plans a fabric file; path is from the root of the project.
func Plan(t testing.TB, path string) *plan.Plan {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return named(t, filepath.Base(path), string(text))
}

// catalogue is read once for all tests of a package: it is large.
var catalogue = sync.OnceValues(catalog.Load)

// Text plans a fabric file's text.
func Text(t testing.TB, text string) *plan.Plan {
	t.Helper()
	return named(t, "fabric.yaml", text)
}

func named(t testing.TB, name, text string) *plan.Plan {
	t.Helper()
	catalog, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Parse(name, []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// Golden holds a device's files against those of testdata/FOLDER; UPDATE_GOLDEN=1 writes them. A file too many or too few is a difference.
func Golden(t *testing.T, folder string, d *device.Device) {
	t.Helper()
	dir := filepath.Join("testdata", folder)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for i := range d.Files {
			path := filepath.Join(dir, filepath.FromSlash(d.Files[i].Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(d.Files[i].Text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		want[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatalf("%v; UPDATE_GOLDEN=1 go test writes it", err)
	}
	for i := range d.Files {
		f := &d.Files[i]
		old, ok := want[f.Name]
		delete(want, f.Name)
		if !ok {
			t.Errorf("%s: %s is new", folder, f.Name)
		} else if got := f.Text(); got != old {
			line, a, b := firstDifference(got, old)
			t.Errorf("%s/%s:%d\n got  %s\n want %s", folder, f.Name, line, a, b)
		}
	}
	for name := range want {
		t.Errorf("%s: %s is no longer there", folder, name)
	}
}

func firstDifference(a, b string) (line int, x, y string) {
	l, m := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(l), len(m)) {
		x, y = "(end)", "(end)"
		if i < len(l) {
			x = l[i]
		}
		if i < len(m) {
			y = m[i]
		}
		if x != y {
			return i + 1, x, y
		}
	}
	return 0, "", ""
}

// Hostile are texts that try to get out of what they are written into.
var Hostile = []string{
	`plain`, `two words`, `o'clock`, `say "no"`, "new\nline", "carriage\rreturn", "nul\x00byte", "\x1b[31mred", "tab\there",
	`$(reboot)`, "`reboot`", `; reboot`, `| reboot`, `& reboot`, `&& reboot`, `# comment`, `%COMPUTERNAME%`, `${HOME}`, `$env:PATH`, `\`, `\\`, `\"`, `\n`, `"; reboot; "`,
	`'; reboot; '`, `{`, `}`, `[/system reboot]`, `<!--`, `*`, `?`, `~`, `-rf`, `--help`, ` leading`, `trailing `, ``,
	"\u2018; Restart-Computer; \u2019", "\u201a", "\u201b", "\u201cx\u201d", "\u201e", "right\u202eto left", "zero\u200bwidth", "line\u2028separator", "next\u0085line", "\xff\xfe", "größe", "東京", "🙂",
}
