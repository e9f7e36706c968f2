package render

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/testenv"
)

// fabrics returns all fabric files that come with the program.
func fabrics(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../../../examples/*.yaml", "../../../examples/designs/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		out = append(out, found...)
	}
	return out
}

func planned(t *testing.T, path string) *plan.Plan {
	t.Helper()
	catalog := testenv.Must(catalog.Load())(t)
	f, problems := fabric.Load(path, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

func asJSON(t *testing.T, s *Set) string {
	t.Helper()
	var b bytes.Buffer
	testenv.Check(t, s.JSON(&b))
	return b.String()
}

// TestLines: every line of every device of every fabric has its reason and the document of its form, and no line break.
// Two renderings are equal, byte for byte.
func TestLines(t *testing.T) {
	for _, path := range fabrics(t) {
		s := Render(planned(t, path))
		if one, two := asJSON(t, s), asJSON(t, Render(planned(t, path))); one != two {
			t.Errorf("%s: two renderings differ", path)
		}
		for _, d := range s.Devices {
			if d.What == "" || len(d.Steps) == 0 {
				t.Errorf("%s %s: what it is %q, %d steps", path, d.Name, d.What, len(d.Steps))
			}
			lines := slices.Clone(d.Manual)
			for _, f := range d.Files {
				lines = append(lines, f.Lines...)
			}
			for _, l := range lines {
				if strings.ContainsAny(l.Text, "\n\r\x00\x1b") {
					t.Errorf("%s %s: %q is not one line", path, d.Name, l.Text)
				}
				if _, ok := document(l.Source); l.Source != "" && (!ok || l.Why == "") {
					t.Errorf("%s %s: %q: source %q (known: %v), why %q", path, d.Name, l.Text, l.Source, ok, l.Why)
				}
			}
			names := map[string]bool{}
			for _, f := range d.Files {
				if names[f.Name] || strings.HasPrefix(f.Name, "/") || strings.Contains(f.Name, "..") {
					t.Errorf("%s %s: file name %q", path, d.Name, f.Name)
				}
				names[f.Name] = true
			}
			if !slices.ContainsFunc(d.Files, func(f config.File) bool { return strings.HasPrefix(f.Name, "verify.") }) {
				t.Errorf("%s %s: nothing verifies it: %v", path, d.Name, names)
			}
		}
	}
}

func TestWriteReplacesOnlyItsOwn(t *testing.T) {
	s := &Set{Plan: &plan.Plan{Name: "f"},
		Devices: []config.Device{
			{Name: "a", Files: []config.File{{Name: "apply.sh", Exec: true, Lines: []config.Line{{Text: "true"}}},
				{Name: "files/x.conf"}}},
		}}
	dir := filepath.Join(t.TempDir(), "below", "out")
	for range 2 {
		testenv.Check(t, s.Write(dir))
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a", "apply.sh")); err != nil || string(b) != "true\n" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || string(b) != textOf(s.Readme()) {
		t.Errorf("the page of the whole: %q, %v", b, err)
	}
	if st, err := os.Stat(filepath.Join(dir, "a", "apply.sh")); err != nil || st.Mode().Perm()&0o100 == 0 {
		t.Errorf("the script cannot be run: %v, %v", st, err)
	}
	s.Devices[0].Name = "b"
	testenv.Check(t, s.Write(dir))
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("a device of an earlier plan is still there")
	}
	if rest, _ := filepath.Glob(filepath.Dir(dir) + "/.linerate-*"); len(rest) > 0 {
		t.Errorf("left: %v", rest)
	}

	other := t.TempDir()
	testenv.WriteFile(t, filepath.Join(other, "thesis.txt"), "x", 0o644)
	if err := s.Write(other); err == nil || !strings.Contains(err.Error(), "did not write") {
		t.Errorf("a folder of somebody else's: %v", err)
	}
	if _, err := os.Stat(filepath.Join(other, "thesis.txt")); err != nil {
		t.Error(err)
	}
	if err := (&Set{Plan: s.Plan, Devices: []config.Device{{Name: "a", Files: []config.File{{Name: "../x"}}}}}).Write(
		filepath.Join(t.TempDir(), "o"),
	); err == nil {
		t.Error("a file name that leads out of the folder is taken")
	}
}

func textOf(f config.File) string { return f.Text() }

// TestSources: an id names one document, in every family.
func TestSources(t *testing.T) {
	of := map[config.Source]string{}
	for _, f := range append(renderers, infiniBand, config.Renderer{Family: "all families", Sources: config.Sources}) {
		if len(f.Sources) == 0 {
			t.Errorf("%s has no documents", f.Family)
		}
		for id, text := range f.Sources {
			if other, ok := of[id]; ok && other != text {
				t.Errorf("%s: %q is %q, and %q elsewhere", f.Family, id, text, other)
			}
			of[id] = text
		}
	}
}
