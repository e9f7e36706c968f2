package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where no fabric file is named, that of the folder or the nearest one above is taken, and it is said which.
func TestFabricIsFound(t *testing.T) {
	p := newPlace(t)
	text, err := os.ReadFile("testdata/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.path("deep", "er"), 0o700); err != nil {
		t.Fatal(err)
	}
	from := func(folder string, env []string, args ...string) answer {
		cmd := p.command(t, args...)
		cmd.Dir = p.path(folder)
		cmd.Env = append(cmd.Environ(), env...)
		return finish(t, cmd)
	}
	if a := from("deep/er", nil, "plan"); a.code != exitInput || !strings.Contains(a.err, "plan") {
		t.Errorf("no file anywhere: %s", a)
	}
	if a := from("deep/er", nil, "run"); a.code != exitInput || !strings.Contains(a.err, "name a fabric file: linerate run FABRIC.yaml") {
		t.Errorf("no file anywhere: %s", a)
	}
	if err := os.WriteFile(p.path(fabricName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	up := filepath.Join("..", "..", fabricName)
	for _, args := range [][]string{{"plan"}, {"config", "--json"}, {"plan", "--json"}} {
		if a := from("deep/er", nil, args...); a.code != 0 || !strings.Contains(a.out, "host1") || !strings.Contains(a.err, "fabric  "+up+"\n") {
			t.Errorf("%q: %s", args, a)
		}
	}
	// Doctor looks at its hosts, and at those that are named in their place.
	if a := from("deep/er", nil, "doctor"); !strings.Contains(a.err, "fabric  "+up+"\n") || !strings.Contains(a.out, "host1") {
		t.Errorf("doctor: %s", a)
	}
	if a := from("deep/er", nil, "doctor", "netns nosuchnamespace"); strings.Contains(a.err, "fabric  ") || strings.Contains(a.out, "host1") {
		t.Errorf("doctor with a HOST: %s", a)
	}
	if a := from(".", []string{fabricVariable + "=none.yaml"}, "doctor"); a.code != exitInput || !strings.Contains(a.err, "none.yaml") {
		t.Errorf("doctor and the variable: %s", a)
	}
	if a := from("deep/er", []string{fabricVariable + "=none.yaml"}, "plan"); a.code != exitInput || !strings.Contains(a.err, "none.yaml") {
		t.Errorf("the variable comes first: %s", a)
	}
	if a := from(".", nil, "plan", "--suggest", "--hosts", "3", "--rate", "10G", "--reach", "3m"); a.code != 0 || strings.Contains(a.err, "fabric  ") {
		t.Errorf("a wish needs no file: %s", a)
	}
	if a := from(".", nil, "plan", "other.yaml"); a.code != exitInput || !strings.Contains(a.err, "other.yaml") {
		t.Errorf("a file that is named is the one: %s", a)
	}
}
