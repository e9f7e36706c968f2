package main

import (
	"bytes"
	endian "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/cli"
	"linerate/internal/device/families"
	"linerate/internal/golden"
	"linerate/internal/host/collect"
	"linerate/internal/testenv"
)

// keptBy makes a folder of snapshots from files saved by hand, each named HOST/FILE.
func keptBy(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		testenv.Check(t, os.MkdirAll(filepath.Dir(at), 0o700))
		testenv.WriteFile(t, at, []byte(text), 0o600)
	}
	return dir
}

// Facts that a few saved outputs do not contain are reported as not contained: no port without a link, no adapter
// without a bus, nothing disabled.
func TestFactsKeptByHand(t *testing.T) {
	dir := keptBy(t, map[string]string{
		"nas/lspci.txt": "01:00.0 Ethernet controller: Intel Corporation Ethernet Controller X710 for 10GbE SFP+ " +
			"(rev 01)\n00:1f.6 Ethernet controller: Intel Corporation Ethernet Connection (2) I219-V (rev 31)\n",
		"nas/ethtool-i-eth0.txt": "driver: i40e\nversion: 2.8.20-k\nfirmware-version: 5.04 0x80002530 0.0.0\nbus-info: " +
			"0000:01:00.0\n",
		"nas/ethtool-i-eth1.txt": "driver: e1000e\nversion: 3.2.6-k\nfirmware-version: 0.13-4\nbus-info: 0000:00:1f.6\n",
		"nas/proc-net-dev.txt": "Inter-|   Receive                                                |  Transmit\n face " +
			"|bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier " +
			"compressed\n" +
			"  eth0: 100 2 0 0 0 0 0 0 100 2 0 0 0 0 0 0\n  eth1: 100 2 0 0 0 0 0 0 100 2 0 0 0 0 0 0\n   br0: 100 2 0 0 0 0 " +
			"0 0 100 2 0 0 0 0 0 0\n",
		"sw/show-interfaces-status.txt": "Port       Name   Status       Vlan     Duplex Speed  Type            Flags " +
			"Encapsulation\nEt1               connected    1        full   10G    10GBASE-SRL\nEt2               notconnect  " +
			" 1        full   10G    Not Present\n",
		"x/notes.txt": "bought in 2019\n",
	})
	a := call(t, nil, "facts", "--snapshots", dir)
	testenv.Contains(t, a, a.out, "nas: whether its 2 ports have a link is not in the snapshot",
		"not known: the snapshot has its NICs without their links", "driver   i40e, firmware 5.04 0x80002530 0.0.0",
		"driver   e1000e, firmware 0.13-4", "worth    not known, as the state of its link is not in the snapshot",
		"1 of which neither state nor address is in the snapshot", "sw: 2 ports in the snapshot, 1 with a link",
		"Ethernet1  up at 10.0 Gb/s", "Ethernet2  no link")
	for _, wrong := range []string{"none of its", "no NIC", "switched off", "no link of PCI Express", "unnamed",
		"0 bit/s", "MTU 0"} {
		if strings.Contains(a.out, wrong) {
			t.Errorf("not %q", wrong)
		}
	}
	if t.Failed() {
		t.Log(a)
	}
}

// A folder without any recognised file is not a healthy host.
func TestCheckNothingRead(t *testing.T) {
	a := call(t, nil, "check", "--snapshots", keptBy(t, map[string]string{"x/notes.txt": "bought in 2019\n"}))
	if a.code != cli.ExitIncomplete || !strings.HasPrefix(a.out, "no machine was looked at; 1 could not be looked at") ||
		strings.Contains(a.out, "-- NAME --") {
		t.Error(a)
	}
}

// The script is printed unchanged, and its saved output is read, also when PowerShell's > has encoded it.
func TestFactsScript(t *testing.T) {
	if a := call(t, nil, "facts", "--script", "windows"); a.code != cli.ExitDone || a.out != collect.WindowsScript() ||
		a.err != "" {
		t.Errorf("%.300s", a)
	}
	for _, system := range []string{"onyx", "cumulus", "sonic", "eos", "routeros"} {
		want := strings.Join(families.Commands(system), "\n") + "\n"
		if a := call(t, nil, "facts", "--script", system); a.code != cli.ExitDone || a.out != want ||
			strings.Count(a.out, "\n") < 4 {
			t.Errorf("%s: %.300s", system, a)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--script", "freebsd"}, "help: run linerate facts --local -o HOST.txtar"},
		{[]string{"--script", "beos"}, "help: write windows, onyx"},
		{[]string{"--script", "windows", "--local"}, "give it alone"},
		{[]string{"--script", "windows", "home.yaml"}, "give it alone"},
	} {
		if a := call(t, nil, append([]string{"facts"}, c.args...)...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, c.want) || a.out != "" {
			t.Errorf("%v: %s", c.args, a)
		}
	}
	kept := testenv.Must(os.ReadFile("../../internal/facts/read/testdata/windows.script.txtar"))(t)
	_, answer, _ := bytes.Cut(kept, []byte("-- windows.ps1 --\n"))
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(strings.ReplaceAll(string(answer), "\n", "\r\n"))) {
		wide = endian.LittleEndian.AppendUint16(wide, u)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"one/windows.json": answer, "two/out.txt": wide} {
		name = filepath.Join(dir, name)
		testenv.Check(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testenv.WriteFile(t, name, text, 0o600)
	}
	a := call(t, nil, "facts", "--snapshots", dir)
	for _, name := range []string{"one", "two"} {
		if !strings.Contains(a.out, name+": ") {
			t.Errorf("%s is not reported: %s", name, a)
		}
	}
	if a.code != cli.ExitDone || a.err != "" || strings.Count(a.out, "ConnectX-5") != 2 {
		t.Errorf("%s", a)
	}
}

// The display of machines, word for word, with no line wider than the terminal.
func TestMachines(t *testing.T) {
	snapshots, err := filepath.Glob("testdata/machines/*.txtar")
	if err != nil || len(snapshots) < 6 {
		t.Fatal(snapshots, err)
	}
	for _, snapshot := range snapshots {
		name := strings.TrimSuffix(filepath.Base(snapshot), ".txtar")
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := testenv.Must(os.ReadFile(snapshot))(t)
			testenv.WriteFile(t, filepath.Join(dir, name+".txtar"), text, 0o600)
			a := call(t, nil, "facts", "--snapshots", dir)
			if a.code != cli.ExitDone || a.err != "" {
				t.Fatal(a)
			}
			for _, line := range strings.Split(a.out, "\n") {
				if len([]rune(line)) > 80 {
					t.Errorf("a line of %d characters: %s", len([]rune(line)), line)
				}
			}
			noEscape(t, a)
			golden.Compare(t, strings.TrimSuffix(snapshot, ".txtar")+".txt", a.out)
		})
	}
}

// Contradictory command lines are reported before any query.
func TestFactsWrong(t *testing.T) {
	for _, c := range []struct {
		args []string
		said string
	}{
		{nil, "missing FABRIC.yaml"},
		{[]string{mesh, "--local"}, "exclude each other"},
		{[]string{"--local", "--snapshots", "x"}, "exclude each other"},
		{[]string{"--local", "--in-lab", "a1b2"}, "--in-lab is of a fabric file's hosts"},
		{[]string{mesh, "--raw"}, "--raw is of --local"},
		{[]string{"--local", "--raw", "--json"}, "give one of them"},
		{[]string{"--snapshots", "x", "-o", "y"}, "--snapshots asks none"},
		{[]string{"--local", "--timeout", "0s"}, "above 0"},
	} {
		a := call(t, nil, append([]string{"facts"}, c.args...)...)
		if a.code != cli.ExitInput || a.out != "" || !strings.Contains(a.err, c.said) {
			t.Errorf("%v: want %q: %s", c.args, c.said, a)
		}
	}
}

// A virtual adapter that linerate itself has read has no bus that root could see; for saved outputs that is not known.
func TestVirtualNICsBus(t *testing.T) {
	const device = "-- grep -r . /sys/bus/pci/devices/0000:00:03.0 " +
		"--\n/sys/bus/pci/devices/0000:00:03.0/vendor:0x1af4\n/sys/bus/pci/devices/0000:00:03.0/device:0x1041\n" +
		"/sys/bus/pci/devices/0000:00:03.0/class:0x020000\n-- ethtool -i eth0 --\ndriver: virtio_net\nversion: " +
		"1.0.0\nfirmware-version:\nbus-info: 0000:00:03.0\n"
	for head, want := range map[string]string{
		"schema linerate/snapshot/1\nhost vm\nwhen 2026-11-22T01:58:49Z\nos linux\nlevel full\n": "no link of PCI Express " +
			"is to be seen: a virtual device",
		"": "not known: the snapshot has its NICs without their links",
	} {
		dir := t.TempDir()
		testenv.WriteFile(t, filepath.Join(dir, "vm.txtar"), []byte(head+device), 0o600)
		if a := call(t, nil, "facts", "--snapshots", dir); a.code != cli.ExitDone ||
			!strings.Contains(unwrapped(a.out), want) {
			t.Errorf("want %q: %s", want, a)
		}
	}
}

// This machine: displayed, raw, parsed, and into a file and a folder.
func TestFactsLocal(t *testing.T) {
	testenv.Need(t, testenv.Live)
	a := call(t, nil, "facts", "--local")
	for _, want := range []string{"CPU        ", "memory     ", "system     "} {
		if a.code != cli.ExitDone || !strings.Contains(a.out, want) {
			t.Errorf("want %q: %s", want, a)
		}
	}
	if a := call(t, nil, "facts", "--local", "--raw"); a.code != cli.ExitDone ||
		!strings.HasPrefix(a.out, "schema linerate/snapshot/1\n") {
		t.Errorf("%.300s", a)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "here.txtar")
	if a := call(t, nil, "facts", "--local", "-o", file); a.code != cli.ExitDone || a.out != file+"\n" {
		t.Error(a)
	}
	if a := call(t, nil, "facts", "--snapshots", dir); a.code != cli.ExitDone || !strings.HasPrefix(a.out, "here: ") {
		t.Error(a)
	}
	a = call(t, nil, "facts", "--local", "-o", dir)
	if name := strings.TrimSpace(a.out); a.code != cli.ExitDone || filepath.Dir(name) != dir {
		t.Error(a)
	} else if text, err := os.ReadFile(name); err != nil ||
		!strings.HasPrefix(string(text), "schema linerate/snapshot/1\n") {
		t.Error(err)
	}
	if a := call(t, nil, "facts", "--local", "-o", filepath.Join(dir, "none", "x.txtar")); a.code == cli.ExitDone {
		t.Error(a)
	}
	// Findings, and what this user may not read, depend on the machine.
	checked := func(a answer) bool {
		return a.code == cli.ExitDone || a.code == cli.ExitMissed || a.code == cli.ExitIncomplete
	}
	folder := filepath.Join(dir, "of", "this") // a folder for check, as for a fabric's hosts
	a = call(t, nil, "facts", "--local", "-o", folder)
	name := strings.TrimSpace(a.out)
	if a.code != cli.ExitDone || filepath.Dir(name) != folder {
		t.Error(a)
	}
	for _, kept := range []string{folder, name} {
		if a := call(t, nil, "check", "--snapshots", kept, "--checks", "duplex"); !checked(a) {
			t.Error(a)
		}
	}
	diary := filepath.Join(dir, "diary.txt")
	testenv.WriteFile(t, diary, []byte("dear diary"), 0o600)
	if a := call(t, nil, "facts", "--local", "-o", diary); a.code != cli.ExitRefused ||
		!strings.Contains(a.err, "that file is not a snapshot") {
		t.Error(a)
	}
	if text, err := os.ReadFile(diary); err != nil || string(text) != "dear diary" {
		t.Errorf("%q %v", text, err)
	}
	if a := call(t, nil, "check", "--local", "--checks", "duplex"); !checked(a) {
		t.Error(a)
	}
	if a := call(t, nil, "check", "--local", "--checks", "duplex", "--json"); !checked(a) ||
		!strings.Contains(a.out, `"unknown": [`) {
		t.Error(a)
	}
	if a := call(t, nil, "check", "--local", mesh); a.code != cli.ExitInput {
		t.Error(a)
	}
}
