package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// withSSH puts a shell script on the PATH of the program's commands as ssh.
func (p *place) withSSH(t *testing.T, script string) []string {
	t.Helper()
	dir := p.path("bin")
	testenv.Check(t, os.MkdirAll(dir, 0o700))
	testenv.WriteFile(t, filepath.Join(dir, "ssh"), []byte("#!/bin/sh\n"+script), 0o700)
	return []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
}

// Many hosts hang and one works: those are cancelled in parallel, each is reported with its reason, and the snapshot of
// the good one is saved.
func TestFactsOfHostsThatHang(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	// All hang at the same time: each waits until all have begun, and reports it.
	env := p.withSSH(t, `if [ "$1" = -G ]; then exit 0; fi; trap '' TERM
echo >>`+p.path("begun")+`
until [ $(wc -l <`+p.path("begun")+`) -ge 40 ]; do sleep 0.5; done
echo >>`+p.path("together")+`
sleep 300; echo never`)
	var file strings.Builder
	file.WriteString("fabric: many\nlinks: [{ends: [here.x.1, h0.x.1]}]\nhosts:\n  here: {os: linux, connect: local, " +
		"nics: {x: {part: MCX354A-FCCT}}}\n")
	for i := range 40 {
		fmt.Fprintf(&file, "  h%d: {os: linux, connect: ssh root@h%d, nics: {x: {part: MCX354A-FCCT}}}\n", i, i)
	}
	fabric := p.path("many.yaml")
	testenv.WriteFile(t, fabric, []byte(file.String()), 0o600)
	c := p.command(t, "facts", fabric, "-o", p.path("kept"), "--timeout", "20s")
	c.Env = append(c.Env, env...)
	a := finish(t, c)
	if a.code != cli.ExitIncomplete || strings.TrimSpace(a.out) != p.path("kept", "here.txtar") {
		t.Errorf("%s", a)
	}
	if n := strings.Count(a.err, "it was not reached within 20s and was cut off; raise --timeout"); n != 40 {
		t.Errorf("%d hosts are reported as cut off: %s", n, a)
	}
	if lines, err := os.ReadFile(p.path("together")); err != nil || len(lines) < 40 {
		t.Errorf("%d of 40 were asked side by side: %v", len(lines), err)
	}
	if left, err := os.ReadDir(p.path("kept")); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	c = p.command(t, "check", fabric, "--timeout", "1s", "--json")
	c.Env = append(c.Env, env...)
	if a := finish(t, c); a.code != cli.ExitIncomplete && a.code != cli.ExitMissed ||
		strings.Count(a.out, "was cut off") < 40 {
		t.Errorf("check: %s", a)
	}
}

// Hosts on the command line are queried like those of a file: those that do not answer are reported, the others are
// shown.
func TestFactsOfHostsByName(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	c := p.command(t, "facts", "local", "nas.invalid", "-o", p.path("kept"))
	c.Env = append(c.Env, p.withSSH(t, `if [ "$1" = -G ]; then exit 0; fi; echo "ssh: Could not resolve hostname nas.invalid: Name or service not known" >&2; exit 255`)...)
	a := finish(t, c)
	if a.code != cli.ExitIncomplete || strings.TrimSpace(a.out) != p.path("kept", "local.txtar") ||
		!strings.Contains(a.err, "nas: ssh nas.invalid: ") || !strings.Contains(a.err, "Could not resolve hostname") {
		t.Errorf("%s", a)
	}
	q := p.command(t, "quick", "nas.invalid") // its message has the cause first, and each next step in a line of its own
	q.Env = c.Env
	lines := strings.Split(strings.TrimSpace(finish(t, q).err), "\n")
	if !strings.HasPrefix(lines[0], "error: ssh nas.invalid: ssh: Could not resolve") ||
		!slices.Contains(lines, "help: getent hosts nas.invalid") {
		t.Errorf("%q", lines)
	}
	if a := finish(t, p.command(t, "facts", "local")); a.code != cli.ExitDone || !strings.HasPrefix(a.out, "local: ") {
		t.Errorf("%s", a)
	}
	if a := finish(t, p.command(t, "facts", "root@nas", "--dry-run")); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "nas (ssh root@nas)") {
		t.Errorf("%s", a)
	}
}
