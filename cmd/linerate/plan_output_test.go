package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesIn reads the files of a folder by their names.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

func TestPlanFolder(t *testing.T) {
	const mesh, nas = "../../examples/mesh-10g.yaml", "../../examples/nas-40g.yaml"
	dir := filepath.Join(t.TempDir(), "new", "plan")
	if a := call(t, nil, "plan", mesh, "-o", dir); a.code != exitDone || !strings.Contains(a.err, "written: "+filepath.Join(dir, "plan.html")) {
		t.Fatal(a)
	}
	first := filesIn(t, dir)
	if len(first) != 6 {
		t.Fatalf("%d files", len(first))
	}
	for name, has := range map[string]string{"plan.html": "<svg", "labels.html": "<b>nas.t3.2</b>", "bom.csv": "unit_price", "cables.csv": "C3,nas.t3.2", "addresses.csv": "10.0.3.2", "plan.json": `"schema": "linerate/plan/1"`} {
		if !strings.Contains(strings.ReplaceAll(first[name], `":"`, `": "`), has) {
			t.Errorf("%s lacks %q", name, has)
		}
	}
	// Written again it is the same; another plan takes its place.
	call(t, nil, "plan", mesh, "-o", dir)
	for name, text := range filesIn(t, dir) {
		if text != first[name] {
			t.Errorf("%s differs when it is written again", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := call(t, nil, "plan", nas, "-o", dir); a.code != exitDone {
		t.Fatal(a)
	}
	second := filesIn(t, dir)
	if second["notes.txt"] != "mine" || second["cables.csv"] == first["cables.csv"] {
		t.Error("a second plan did not replace the first, or a file of the user's was touched")
	}
	// What was changed, or is not linerate's, stays, and nothing else is written.
	for name, make := range map[string]func(name string) error{
		"bom.csv":   func(name string) error { return os.WriteFile(name, []byte("my prices"), 0o644) },
		"plan.json": func(name string) error { return os.WriteFile(name, []byte(`{"schema":"other/1"}`), 0o644) },
		"plan.html": func(name string) error { return os.Symlink("/etc/passwd", name) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if a := call(t, nil, "plan", mesh, "-o", dir); a.code != exitDone {
				t.Fatal(a)
			}
			file := filepath.Join(dir, name)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := make(file); err != nil {
				t.Skip(err)
			}
			before := filesIn(t, dir)
			a := call(t, nil, "plan", nas, "-o", dir)
			if a.code != exitRefused || !strings.Contains(a.err, file) || !strings.Contains(a.err, "choose another folder with -o") || a.out != "" {
				t.Errorf("want a refusal: %s", a)
			}
			for name, text := range filesIn(t, dir) {
				if text != before[name] {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
	// A process that was ended between two files: some are new, some old.
	dir, other := t.TempDir(), t.TempDir()
	call(t, nil, "plan", mesh, "-o", dir)
	call(t, nil, "plan", nas, "-o", other)
	old, next := planMarks(t, dir), planMarks(t, other)
	for name := range next.files {
		next.files[name] = append(next.files[name], old.files[name]...)
	}
	next.write(t, dir)
	if err := os.Rename(filepath.Join(other, "plan.html"), filepath.Join(dir, "plan.html")); err != nil {
		t.Fatal(err)
	}
	if a := call(t, nil, "plan", nas, "-o", dir); a.code != exitDone || filesIn(t, dir)["plan.json"] != second["plan.json"] {
		t.Errorf("a folder that was half written cannot be written again: %s", a)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if a := call(t, nil, "plan", mesh, "-o", file); a.code != exitRefused || !strings.Contains(a.err, "is a file") {
		t.Errorf("want a refusal: %s", a)
	}
}

// marks are a plan.json and the hashes in it.
type marks struct {
	all   map[string]any
	files map[string][]string
}

func planMarks(t *testing.T, dir string) marks {
	t.Helper()
	var m marks
	var known struct{ Files map[string][]string }
	text := []byte(filesIn(t, dir)["plan.json"])
	if err := errors.Join(json.Unmarshal(text, &m.all), json.Unmarshal(text, &known)); err != nil || len(known.Files) != 5 {
		t.Fatalf("%v, %d files", err, len(known.Files))
	}
	m.files = known.Files
	return m
}

func (m marks) write(t *testing.T, dir string) {
	t.Helper()
	m.all["files"] = m.files
	text, err := json.Marshal(m.all)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPlanTable(t *testing.T) {
	const mesh = "../../examples/mesh-10g.yaml"
	if a := call(t, nil, "plan", mesh, "--csv", "cables"); a.code != exitDone || !strings.HasPrefix(a.out, "label,end,") || strings.Count(a.out, "\r\n") != 4 || a.err != "" {
		t.Error(a)
	}
	for _, wrong := range [][]string{{"--csv", "links"}, {"--csv", "bom", "--json"}} {
		if a := call(t, nil, append([]string{"plan", mesh}, wrong...)...); a.code != exitInput || a.out != "" || !strings.Contains(a.err, "--csv") {
			t.Errorf("%v: %s", wrong, a)
		}
	}
}
