package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

var updateGolden = flag.Bool("update", false, "write what is drawn or printed into testdata and docs/ceilings.md")

// Machines as they are drawn for a person, word for word, and no line wider than the terminal.
func TestMachines(t *testing.T) {
	captures, err := filepath.Glob("testdata/machines/*.txtar")
	if err != nil || len(captures) < 6 {
		t.Fatal(captures, err)
	}
	for _, capture := range captures {
		name := strings.TrimSuffix(filepath.Base(capture), ".txtar")
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text, err := os.ReadFile(capture)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name+".txtar"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			a := call(t, nil, "facts", "--captures", dir)
			if a.code != exitDone || a.err != "" {
				t.Fatal(a)
			}
			for _, line := range strings.Split(a.out, "\n") {
				if len([]rune(line)) > 80 {
					t.Errorf("a line of %d characters: %s", len([]rune(line)), line)
				}
			}
			noEscape(t, a)
			golden := strings.TrimSuffix(capture, ".txtar") + ".txt"
			if *updateGolden {
				if err := os.WriteFile(golden, []byte(a.out), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != a.out {
				t.Errorf("%v; it is drawn as\n%s", err, a.out)
			}
		})
	}
}

// What does not go together on the command line is said before anything is asked.
func TestFactsWrong(t *testing.T) {
	for _, c := range []struct {
		args []string
		said string
	}{
		{nil, "name a fabric file"},
		{[]string{mesh, "--local"}, "one of them"},
		{[]string{"--local", "--captures", "x"}, "one of them"},
		{[]string{"--local", "--lab", "a1b2"}, "--lab is of a fabric file's hosts"},
		{[]string{mesh, "--raw"}, "--raw is of --local"},
		{[]string{"--local", "--raw", "--json"}, "give one of them"},
		{[]string{"--captures", "x", "-o", "y"}, "--captures asks none"},
		{[]string{"--local", "--timeout", "0s"}, "above 0"},
	} {
		a := call(t, nil, append([]string{"facts"}, c.args...)...)
		if a.code != exitInput || a.out != "" || !strings.Contains(a.err, c.said) {
			t.Errorf("%v: want %q: %s", c.args, c.said, a)
		}
	}
}

// A virtual card that linerate itself has looked at has no bus that root would see more of; of outputs that somebody kept that is not known.
func TestVirtualCardsBus(t *testing.T) {
	const device = "-- grep -r . /sys/bus/pci/devices/0000:00:03.0 --\n/sys/bus/pci/devices/0000:00:03.0/vendor:0x1af4\n/sys/bus/pci/devices/0000:00:03.0/device:0x1041\n" +
		"/sys/bus/pci/devices/0000:00:03.0/class:0x020000\n-- ethtool -i eth0 --\ndriver: virtio_net\nversion: 1.0.0\nfirmware-version:\nbus-info: 0000:00:03.0\n"
	for head, want := range map[string]string{
		"schema linerate/capture/1\nhost vm\nwhen 2026-11-22T01:58:49Z\nos linux\nlevel full\n": "no link of PCI Express is to be seen: a virtual device",
		"": "not known: the capture has its cards without their links",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "vm.txtar"), []byte(head+device), 0o600); err != nil {
			t.Fatal(err)
		}
		if a := call(t, nil, "facts", "--captures", dir); a.code != exitDone || !strings.Contains(unwrapped(a.out), want) {
			t.Errorf("want %q: %s", want, a)
		}
	}
}

// This machine, drawn, raw, parsed, and into a file and a folder.
func TestFactsLocal(t *testing.T) {
	testenv.Need(t, testenv.Live)
	a := call(t, nil, "facts", "--local")
	for _, want := range []string{"processor  ", "memory     ", "system     "} {
		if a.code != exitDone || !strings.Contains(a.out, want) {
			t.Errorf("want %q: %s", want, a)
		}
	}
	if a := call(t, nil, "facts", "--local", "--raw"); a.code != exitDone || !strings.HasPrefix(a.out, "schema linerate/capture/1\n") {
		t.Errorf("%.300s", a)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "here.txtar")
	if a := call(t, nil, "facts", "--local", "-o", file); a.code != exitDone || a.out != file+"\n" {
		t.Error(a)
	}
	if a := call(t, nil, "facts", "--captures", dir); a.code != exitDone || !strings.HasPrefix(a.out, "here: ") {
		t.Error(a)
	}
	a = call(t, nil, "facts", "--local", "-o", dir)
	if name := strings.TrimSpace(a.out); a.code != exitDone || filepath.Dir(name) != dir {
		t.Error(a)
	} else if text, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(text), "schema linerate/capture/1\n") {
		t.Error(err)
	}
	if a := call(t, nil, "facts", "--local", "-o", filepath.Join(dir, "none", "x.txtar")); a.code == exitDone {
		t.Error(a)
	}
	// What is found, and what this user may not read, hangs on the machine.
	checked := func(a answer) bool {
		return a.code == exitDone || a.code == exitMissed || a.code == exitIncomplete
	}
	folder := filepath.Join(dir, "of", "this") // as of a fabric's hosts: a folder, that check reads
	a = call(t, nil, "facts", "--local", "-o", folder)
	name := strings.TrimSpace(a.out)
	if a.code != exitDone || filepath.Dir(name) != folder {
		t.Error(a)
	}
	for _, kept := range []string{folder, name} {
		if a := call(t, nil, "check", "--captures", kept, "--only", "duplex"); !checked(a) {
			t.Error(a)
		}
	}
	diary := filepath.Join(dir, "diary.txt")
	if err := os.WriteFile(diary, []byte("dear diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := call(t, nil, "facts", "--local", "-o", diary); a.code != exitRefused || !strings.Contains(a.err, "that file is no capture") {
		t.Error(a)
	}
	if text, err := os.ReadFile(diary); err != nil || string(text) != "dear diary" {
		t.Errorf("%q %v", text, err)
	}
	if a := call(t, nil, "check", "--local", "--only", "duplex"); !checked(a) {
		t.Error(a)
	}
	if a := call(t, nil, "check", "--local", "--only", "duplex", "--json"); !checked(a) || !strings.Contains(a.out, `"unknown": [`) {
		t.Error(a)
	}
	if a := call(t, nil, "check", "--local", mesh); a.code != exitInput {
		t.Error(a)
	}
}
