package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// Without a fabric file on the command line that of the folder or the nearest one above is used, and printed.
func TestFabricIsFound(t *testing.T) {
	p := newPlace(t)
	text := testenv.Must(os.ReadFile("testdata/three.yaml"))(t)
	testenv.Check(t, os.MkdirAll(p.path("deep", "er"), 0o700))
	from := func(folder string, env []string, args ...string) answer {
		t.Helper()
		t.Chdir(p.path(folder))
		return call(t, env, args...)
	}
	if a := from("deep/er", nil, "plan"); a.code != cli.ExitInput || !strings.Contains(a.err, "plan") {
		t.Errorf("no file anywhere: %s", a)
	}
	if a := from("deep/er", nil, "run"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "error: missing FABRIC.yaml") {
		t.Errorf("no file anywhere: %s", a)
	}
	testenv.WriteFile(t, p.path(cli.FabricName), text, 0o600)
	up := filepath.Join("..", "..", cli.FabricName)
	for _, args := range [][]string{{"plan"}, {"config", "--json"}, {"plan", "--json"}} {
		if a := from("deep/er", nil, args...); a.code != 0 || !strings.Contains(a.out, "host1") ||
			!strings.Contains(a.err, "fabric  "+up+"\n") {
			t.Errorf("%q: %s", args, a)
		}
	}
	if a := from(".", []string{cli.FabricVariable + "=none.yaml"}, "doctor"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "none.yaml") {
		t.Errorf("doctor and the variable: %s", a)
	}
	if a := from("deep/er", []string{cli.FabricVariable + "=none.yaml"}, "plan"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "none.yaml") {
		t.Errorf("the variable comes first: %s", a)
	}
	if a := from(".", nil, "suggest", "--hosts", "3", "--speed", "10G", "--distance", "3m"); a.code != 0 ||
		strings.Contains(a.err, "fabric  ") {
		t.Errorf("requirements need no file: %s", a)
	}
	if a := from(".", nil, "plan", "other.yaml"); a.code != cli.ExitInput || !strings.Contains(a.err, "other.yaml") {
		t.Errorf("a file that is named is the one: %s", a)
	}
}

// Doctor examines the hosts of that file, or those that are named instead.
func TestDoctorFindsFabric(t *testing.T) {
	t.Parallel()
	testenv.Need(t, testenv.Live)
	p := newPlace(t)
	copyFile(t, "testdata/three.yaml", p.path(cli.FabricName))
	from := func(args ...string) answer {
		t.Helper()
		cmd := p.command(t, args...)
		cmd.Dir = p.path("deep")
		return finish(t, cmd)
	}
	testenv.Check(t, os.Mkdir(p.path("deep"), 0o700))
	if a := from("doctor"); !strings.Contains(a.err, "fabric  "+filepath.Join("..", cli.FabricName)+"\n") ||
		!strings.Contains(a.out, "host1") {
		t.Errorf("doctor: %s", a)
	}
	if a := from("doctor", "netns nosuchnamespace"); strings.Contains(a.err, "fabric  ") ||
		strings.Contains(a.out, "host1") {
		t.Errorf("doctor with a HOST: %s", a)
	}
}
