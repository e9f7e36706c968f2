package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
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
		t.Helper()
		t.Chdir(p.path(folder))
		return call(t, env, args...)
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

// Doctor looks at the hosts of that file, and at those that are named in their place.
func TestDoctorFindsFabric(t *testing.T) {
	t.Parallel()
	testenv.Need(t, testenv.Live)
	p := newPlace(t)
	copyFile(t, "testdata/three.yaml", p.path(fabricName))
	from := func(args ...string) answer {
		t.Helper()
		cmd := p.command(t, args...)
		cmd.Dir = p.path("deep")
		return finish(t, cmd)
	}
	if err := os.Mkdir(p.path("deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if a := from("doctor"); !strings.Contains(a.err, "fabric  "+filepath.Join("..", fabricName)+"\n") || !strings.Contains(a.out, "host1") {
		t.Errorf("doctor: %s", a)
	}
	if a := from("doctor", "netns nosuchnamespace"); strings.Contains(a.err, "fabric  ") || strings.Contains(a.out, "host1") {
		t.Errorf("doctor with a HOST: %s", a)
	}
}
