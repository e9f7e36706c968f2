package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/device/families"
	"linerate/internal/facts/read"
	"linerate/internal/host/collect"
	"linerate/internal/testenv"
)

// switchFabric is a file with a host on this machine and a switch of a system behind ssh.
func (p *place) switchFabric(t *testing.T, system string) string {
	t.Helper()
	file := p.path(system + ".yaml")
	text := fmt.Sprintf("fabric: sw\nlinks: [{ends: [here.x.1, sw1.1]}]\nhosts:\n  here: {os: linux, connect: local, "+
		"nics: {x: {part: MCX354A-FCCT}}}\nswitches:\n  sw1: {part: SN2010, os: %s, connect: ssh admin@sw1}\n", system)
	testenv.WriteFile(t, file, []byte(text), 0o600)
	return file
}

// A switch is asked its system's commands and no others, word for word; an answer is kept under its command, an empty
// one, a refused one and one that hangs are unknown with the reason, and the rest goes on.
func TestFactsOfASwitch(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	env := p.withSSH(t, `if [ "$1" = -G ]; then exit 0; fi
for last; do :; done
printf '%s\n' "$last" >>`+p.path("asked")+`
case "$last" in
"show version") printf 'Arista DCS-7050SX3-48YC8-F\r\nHardware version: 11.02\r\nSerial number: JPE19012345\r\n\r\nSoftware image version: 4.28.3M\r\n';;
"show interfaces status") echo 'Port       Name   Status       Vlan     Duplex Speed  Type            Flags Encapsulation
Et1               connected    1        full   25G    25GBASE-CR                   ';;
"show mlag") ;;
"show interfaces transceiver") echo 'denied by the device' >&2; exit 1;;
"show running-config") sleep 300;;
*) echo "% Invalid input (at token 1: 'x')";;
esac`)
	kept := p.path("kept")
	c := p.command(t, "facts", p.switchFabric(t, "eos"), "-o", kept)
	c.Env = append(slices.Clone(c.Env), env...)
	a := finish(t, c)
	if a.code != cli.ExitDone || !strings.Contains(a.out, p.path("kept", "sw1.txtar")) ||
		!strings.Contains(a.out, p.path("kept", "here.txtar")) {
		t.Fatalf("%s", a)
	}
	text := testenv.Must(os.ReadFile(p.path("asked")))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if want := append([]string{"echo linerate $SHELL %OS%"}, families.Commands("eos")...); !slices.Equal(lines, want) {
		t.Errorf("the switch was asked\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	snapshot := testenv.Must(os.ReadFile(filepath.Join(kept, "sw1.txtar")))(t)
	testenv.Contains(t, "the snapshot", string(snapshot),
		"os eos\n", "-- show version (quoted) --\n", "-- show interfaces status --\n",
		"unknown show mlag: it answered nothing\n",
		"unknown show interfaces transceiver: exit code 1: denied by the device\n",
		"unknown show running-config: no answer within 5s, so it was cut off\n")
	if strings.Contains(string(snapshot), "JPE19012345") {
		t.Errorf("the serial number is not masked:\n%s", snapshot)
	}
	f, err := read.Parse(snapshot)
	if err != nil || f.OS != "eos" || len(f.NICs) == 0 {
		t.Errorf("%v: %d ports", err, len(f.NICs))
	}

	// The same words before anything is asked.
	testenv.Check(t, os.Remove(p.path("asked")))
	c = p.command(t, "facts", p.switchFabric(t, "eos"), "--dry-run")
	c.Env = append(slices.Clone(c.Env), env...)
	a = finish(t, c)
	for _, r := range slices.Concat(collect.Readings("linux"), collect.Probings("linux")) {
		if !strings.Contains(a.out, " "+r.What+"\n") {
			t.Errorf("of a host, %q is not shown", r.What)
		}
	}
	if a.code != cli.ExitDone || !strings.Contains(a.out, "switches with eos: sw1 (ssh admin@sw1)\n") ||
		!strings.Contains(a.out, "\n  show running-config\n") {
		t.Errorf("%s", a)
	}
	if _, err := os.Stat(p.path("asked")); err == nil {
		t.Error("the switch was asked")
	}
}

// A switch that answers nothing at all, one that cannot be reached, and one of a system without commands: reported,
// with exit code 4.
func TestFactsOfASilentSwitch(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	hangs := p.withSSH(t, `if [ "$1" = -G ]; then exit 0; fi; for last; do :; done; case "$last" in "echo linerate"*) echo '$SHELL' ;; *) sleep 300;; esac`)
	c := p.command(t, "facts", p.switchFabric(t, "onyx"), "-o", p.path("kept"))
	c.Env = append(slices.Clone(c.Env), hangs...)
	finish(t, c).ends(t, cli.ExitDone)
	snapshot, err := os.ReadFile(p.path("kept", "sw1.txtar"))
	if n := strings.Count(string(snapshot), "it was not asked: 2 commands before it"); err != nil ||
		n != len(families.Commands("onyx"))-2 {
		t.Errorf("%v, %d not asked:\n%s", err, n, snapshot)
	}
	away := p.withSSH(t,
		`if [ "$1" = -G ]; then exit 0; fi; echo 'ssh: connect to host sw1 port 22: Connection refused' >&2; exit 255`)
	c = p.command(t, "facts", p.switchFabric(t, "onyx"), "-o", p.path("kept"))
	c.Env = append(slices.Clone(c.Env), away...)
	if a := finish(t, c); a.code != cli.ExitIncomplete || !strings.Contains(a.err, "sw1: ssh admin@sw1") ||
		!strings.Contains(a.err, "Connection refused") {
		t.Errorf("refused: %s", a)
	}
}

// The dry run of hosts is the table of what is read, whole.
func TestFactsDryRun(t *testing.T) {
	a := call(t, nil, "facts", "--local", "--dry-run")
	for _, r := range collect.Readings("linux") {
		if !strings.Contains(a.out, " "+r.What+"\n") {
			t.Errorf("%q is not shown", r.What)
		}
	}
	if a.code != cli.ExitDone || strings.Count(a.out,
		"\n") != len(collect.Readings("linux"))+1 { // without a plan there are no peers to try
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "facts", mesh, "--dry-run"); a.code != cli.ExitDone || strings.Count(a.out, "not asked: ") != 3 {
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "facts", mesh, "--dry-run", "--json"); a.code != cli.ExitDone ||
		!strings.Contains(a.out, `"linerate/facts-dry-run/1"`) {
		t.Errorf("%.300s", a)
	}
	call(t, nil, "facts", "--local", "--dry-run", "--raw").ends(t, cli.ExitInput)
}
