package config

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files of switches instead of comparing with them")

// ofSwitches are the families whose golden files stand here: whole switches, as text.
var ofSwitches = []string{"onyx", "cumulus", "sonic", "eos", "infiniband"}

// refusedSwitches are the switches of the examples that nothing is rendered for, and why.
var refusedSwitches = map[string]string{
	"eval-25g": "switch sw: neither the file nor the catalogue says its system; write os: routeros, onyx, mlnx-os, cumulus, sonic or eos",
}

// Every switch of every fabric that comes with the program, and of testdata/switches, is rendered as it was.
func TestGoldenSwitches(t *testing.T) {
	own, err := filepath.Glob("testdata/switches/*.yaml")
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	want := map[string]bool{}
	for _, path := range append(fabrics(t), own...) {
		s := Render(planned(t, path))
		fabric := strings.TrimSuffix(filepath.Base(path), ".yaml")
		for _, d := range s.Devices {
			if !slices.Contains(ofSwitches, d.Family) {
				continue
			}
			var b strings.Builder
			for i := range d.Files {
				b.WriteString("==== " + d.Files[i].Name + "\n" + d.Files[i].Text())
			}
			compare(t, want, filepath.Join("testdata", "golden", fabric, d.Name+".txt"), b.String())
		}
		if want := refusedSwitches[fabric]; want != "" && !slices.Contains(s.Refused, want) {
			t.Errorf("%s: not refused: %s; got %q", path, want, s.Refused)
		}
		for _, r := range s.Refused {
			if strings.HasPrefix(r, "switch ") && r != refusedSwitches[fabric] {
				t.Errorf("%s: refused: %s", path, r)
			}
		}
	}
	there, err := filepath.Glob("testdata/golden/*/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if !want[path] {
			t.Errorf("%s: no switch of that name is rendered any more", path)
		}
	}
}

func compare(t *testing.T, seen map[string]bool, path, got string) {
	t.Helper()
	seen[path] = true
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v; go test ./config -run Golden -update writes it", err)
		return
	}
	lines := strings.Split(string(b), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(lines) || lines[i] != line {
			was := "(nothing)"
			if i < len(lines) {
				was = lines[i]
			}
			t.Errorf("%s:%d:\n got  %s\n want %s", path, i+1, line, was)
			return
		}
	}
	if string(b) != got {
		t.Errorf("%s: %d lines, want %d", path, strings.Count(got, "\n"), strings.Count(string(b), "\n"))
	}
}
