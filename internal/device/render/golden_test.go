package render

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// ofSwitches are the families whose golden files are in testdata: whole switches, as text.
var ofSwitches = []string{"onyx", "cumulus", "sonic", "eos", "nxos", "infiniband"}

// refusedSwitches are the switches of the examples that are not rendered, and why.
var refusedSwitches = map[string]string{
	"eval-25g": "switch sw: neither the file nor the catalogue says its system; write os: routeros, onyx, mlnx-os, " +
		"cumulus, sonic, eos or nxos",
}

// TestGoldenSwitches: every switch of every fabric that comes with the program, and of testdata/switches, is rendered
// as before.
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
			file := filepath.Join("testdata", "golden", fabric, d.Name+".txt")
			want[file] = true
			golden.Compare(t, file, b.String())
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
	there := testenv.Must(filepath.Glob("testdata/golden/*/*.txt"))(t)
	for _, path := range there {
		if !want[path] {
			t.Errorf("%s: no switch of that name is rendered any more", path)
		}
	}
}
