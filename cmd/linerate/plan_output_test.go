package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// filesIn reads the files of a folder by their names.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := testenv.Must(os.ReadDir(dir))(t)
	out := map[string]string{}
	for _, e := range entries {
		text := testenv.Must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		out[e.Name()] = string(text)
	}
	return out
}

func TestPlanFolder(t *testing.T) {
	const mesh, nas = "../../examples/mesh-10g.yaml", "../../examples/nas-40g.yaml"
	dir := filepath.Join(t.TempDir(), "new", "plan")
	if a := call(t, nil, "plan", mesh, "-o", dir); a.code != cli.ExitDone ||
		!strings.Contains(a.err, "written: "+filepath.Join(dir, "plan.html")) {
		t.Fatal(a)
	}
	first := filesIn(t, dir)
	if len(first) != 6 {
		t.Fatalf("%d files", len(first))
	}
	for name, has := range map[string]string{"plan.html": "<svg", "labels.html": "<b>nas.t3.2</b>",
		"bom.csv": "unit_price", "cables.csv": "C3,nas.t3.2", "addresses.csv": "10.0.3.2",
		"plan.json": `"schema": "linerate/plan/1"`} {
		if !strings.Contains(strings.ReplaceAll(first[name], `":"`, `": "`), has) {
			t.Errorf("%s is missing %q", name, has)
		}
	}
	// Written again it is the same; a different plan replaces it.
	call(t, nil, "plan", mesh, "-o", dir)
	for name, text := range filesIn(t, dir) {
		if text != first[name] {
			t.Errorf("%s differs when it is written again", name)
		}
	}
	testenv.WriteFile(t, filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644)
	call(t, nil, "plan", nas, "-o", dir).ends(t, cli.ExitDone)
	second := filesIn(t, dir)
	if second["notes.txt"] != "mine" || second["cables.csv"] == first["cables.csv"] {
		t.Error("a second plan did not replace the first, or a file of the user's was touched")
	}
	// A changed or foreign file stays, and nothing else is written.
	for name, make := range map[string]func(name string) error{
		"bom.csv":   func(name string) error { return os.WriteFile(name, []byte("my prices"), 0o644) },
		"plan.json": func(name string) error { return os.WriteFile(name, []byte(`{"schema":"other/1"}`), 0o644) },
		"plan.html": func(name string) error { return os.Symlink("/etc/passwd", name) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			call(t, nil, "plan", mesh, "-o", dir).ends(t, cli.ExitDone)
			file := filepath.Join(dir, name)
			testenv.Check(t, os.Remove(file))
			if err := make(file); err != nil {
				t.Skip(err)
			}
			before := filesIn(t, dir)
			a := call(t, nil, "plan", nas, "-o", dir)
			if a.code != cli.ExitRefused || !strings.Contains(a.err, file) ||
				!strings.Contains(a.err, "choose another folder with -o") || a.out != "" {
				t.Errorf("want a refusal: %s", a)
			}
			for name, text := range filesIn(t, dir) {
				if text != before[name] {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
	// A process ended between two files: some are new, some old.
	dir, other := t.TempDir(), t.TempDir()
	call(t, nil, "plan", mesh, "-o", dir)
	call(t, nil, "plan", nas, "-o", other)
	old, next := planMarks(t, dir), planMarks(t, other)
	for name := range next.files {
		next.files[name] = append(next.files[name], old.files[name]...)
	}
	next.write(t, dir)
	testenv.Check(t, os.Rename(filepath.Join(other, "plan.html"), filepath.Join(dir, "plan.html")))
	if a := call(t, nil, "plan", nas, "-o", dir); a.code != cli.ExitDone ||
		filesIn(t, dir)["plan.json"] != second["plan.json"] {
		t.Errorf("a folder that was half written cannot be written again: %s", a)
	}
	file := filepath.Join(t.TempDir(), "file")
	testenv.WriteFile(t, file, "", 0o644)
	if a := call(t, nil, "plan", mesh, "-o", file); a.code != cli.ExitRefused || !strings.Contains(a.err, "is a file") {
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
	if err := errors.Join(json.Unmarshal(text, &m.all), json.Unmarshal(text, &known)); err != nil ||
		len(known.Files) != 5 {
		t.Fatalf("%v, %d files", err, len(known.Files))
	}
	m.files = known.Files
	return m
}

func (m marks) write(t *testing.T, dir string) {
	t.Helper()
	m.all["files"] = m.files
	text := testenv.Must(json.Marshal(m.all))(t)
	testenv.WriteFile(t, filepath.Join(dir, "plan.json"), text, 0o644)
}

func TestPlanTable(t *testing.T) {
	const mesh = "../../examples/mesh-10g.yaml"
	if a := call(t, nil, "plan", mesh, "--csv", "cables"); a.code != cli.ExitDone ||
		!strings.HasPrefix(a.out, "label,end,") || strings.Count(a.out, "\r\n") != 4 || a.err != "" {
		t.Error(a)
	}
	for _, wrong := range [][]string{{"--csv", "links"}, {"--csv", "bom", "--json"}} {
		if a := call(t, nil, append([]string{"plan", mesh}, wrong...)...); a.code != cli.ExitInput || a.out != "" ||
			!strings.Contains(a.err, "--csv") {
			t.Errorf("%v: %s", wrong, a)
		}
	}
}

func TestPlanCompare(t *testing.T) {
	if a := call(t, nil, "plan", mesh, example("roce-100g")); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "mesh-10g against roce-100g") || !strings.Contains(a.out, "4000.00 CNY") || a.err != "" {
		t.Errorf("two files: %s", a)
	}
	if a := call(t, nil, "plan", example("eval-25g"), "--compare-with", "ten"); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "eval-25g against eval-25g [ten]") || !strings.Contains(a.out, "x 0.400") {
		t.Errorf("a variant: %s", a)
	}
	o := call(t, nil, "plan", mesh, mesh, "--json").object(t, "linerate/plan-compare/1")
	for _, key := range []string{"items", "only_a", "only_b", "problems_only_a", "problems_only_b"} {
		if v, ok := o[key].([]any); !ok || len(v) != 0 {
			t.Errorf("%s of a file against itself: %v", key, o[key])
		}
	}
}

func TestPlanCompareWrong(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	testenv.WriteFile(t, bad, []byte("fabric: x\n"), 0o644)
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{mesh, bad}, "--> " + bad + ":1:1\n"},
		{[]string{bad, filepath.Join(root, "nothere.yaml")}, "nothere.yaml: no such file"},
		{[]string{bad, filepath.Join(root, "nothere.yaml")}, "--> " + bad + ":1:1\n"},
		{[]string{mesh, "--compare-with", ""}, "that is the design itself"},
		{[]string{mesh, "--compare-with", "nothing"}, "no variant is called"},
		{[]string{mesh, mesh, "--csv", "bom"}, "--csv is of one design"},
		{[]string{mesh, mesh, "-o", "x"}, "--output is of one design"},
		{[]string{mesh, mesh, mesh}, "unexpected argument " + mesh},
		{[]string{}, "missing FABRIC.yaml"},
	} {
		if a := call(t, nil, append([]string{"plan"}, x.args...)...); a.code != cli.ExitInput || a.out != "" ||
			!strings.Contains(a.err, x.want) {
			t.Errorf("%v: want %s in\n%s", x.args, x.want, a)
		}
	}
}

func TestSuggest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.yaml")
	requirements := []string{"suggest", "--hosts", "3", "--speed", "10G", "--distance", "3m", "--os",
		"windows,truenas-core,linux"}
	a := call(t, nil, append(requirements, "-o", file)...)
	if a.code != cli.ExitDone || !strings.Contains(a.out, "total 120.00 USD") ||
		!strings.Contains(a.err, "linerate plan "+file) {
		t.Fatalf("%s", a)
	}
	if p := call(t, nil, "plan", file); p.code != cli.ExitDone ||
		!strings.Contains(p.out, "3 hosts, 3 links, 120.00 USD") {
		t.Errorf("the file that it wrote: %s", p)
	}
	before := testenv.Must(os.ReadFile(file))(t)
	if a := call(t, nil, append(requirements, "-o", file, "--design", "2")...); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "new.yaml exists") {
		t.Errorf("over a file: %s", a)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
	o := call(t, nil, append(requirements, "--json")...).object(t, "linerate/suggest/1")
	if n := len(list(t, o, "designs")); n < 20 {
		t.Errorf("%d designs", n)
	}
	if again := call(t, nil, append(requirements, "--all")...); again.out != call(t, nil,
		append(requirements, "--all")...).out {
		t.Error("the same requirements have two answers")
	}
}

func TestSuggestWrong(t *testing.T) {
	for _, x := range []struct {
		args []string
		want []string
		code int
	}{
		{[]string{}, []string{"missing --hosts", "missing --speed", "missing --distance"}, cli.ExitInput},
		{[]string{"--hosts", "1", "--speed", "10g", "--distance", "8 miles", "--rdma", "roce", "--os", "beos",
			"--max-price", "lots", "--max-watts", "-1", "--design", "0", "--slots", "0"},
			[]string{"--hosts 1", "--speed: ", "--distance: ", `--rdma "roce"`, `"beos" is not a system`,
				"--max-price: ", "--max-watts -1", "--design 0", "--slots 0"}, cli.ExitInput},
		{[]string{"x.yaml", "--hosts", "3", "--speed", "10G", "--distance", "3m"}, []string{"unexpected argument x.yaml"},
			cli.ExitInput},
		{[]string{"--hosts", "3", "--speed", "10G", "--distance", "3m", "--design", "999"},
			[]string{"--design 999: "}, cli.ExitInput},
		{[]string{"--hosts", "64", "--speed", "400G", "--distance", "80km"}, []string{"--distance"}, cli.ExitInput},
		{[]string{"--hosts", "64", "--speed", "400G", "--distance", "80000m"}, nil, cli.ExitMissed},
	} {
		a := call(t, nil, append([]string{"suggest"}, x.args...)...).ends(t, x.code)
		testenv.Contains(t, x.args, a.err, x.want...)
	}
}
