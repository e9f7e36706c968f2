package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// Errors of snapshots are reported with the file and the reason, and the valid ones are still read.
func TestSnapshotsThatAreWrong(t *testing.T) {
	sound := testenv.Must(os.ReadFile("testdata/machines/nas.txtar"))(t)
	written := string(snapshot.FromOutputs("cut", "linux", time.Unix(1700000000, 0),
		[]snapshot.Output{{Command: "uname -a", Text: []byte(strings.Repeat("Linux cut 6.12\n", 50))}}))
	if !strings.Contains(written, "\nbytes ") {
		t.Fatalf("%.300s", written)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		testenv.Check(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testenv.WriteFile(t, name, []byte(text), 0o600)
	}
	write("nas.txtar", string(sound))
	write("cut.txtar", written[:len(written)*2/3])
	write("empty.txtar", "")
	write("binary.txtar", "\x00\x01\x02\xff\xfe\x00")
	write("lspci.txt", "01:00.0 Ethernet controller: Intel\n")
	write(".hidden", "x")
	write("README.md", "x")
	write("pasted/empty.txt", "")
	write("pasted/picture.txt", "\x89PNG\x0d\x0a\x1a\x0a\x00\x00")
	write("pasted/holiday.txt", "It was sunny.\n")
	write("pasted/ethtool-e1.txt", "Settings for e1:\n\tSpeed: 10000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n")
	write("pasted/ethtool-e1-2.txt", "Settings for e1:\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n")
	a := call(t, nil, "facts", "--snapshots", dir)
	testenv.Contains(t, a, a.err, "cut.txtar: it is cut off, or was made shorter by hand",
		"empty.txtar: snapshot: there is no source in it",
		"binary.txtar: snapshot: ",
		"lspci.txt: it was not read: a snapshot is named HOST.txtar",
		"pasted/empty.txt: it is empty",
		"pasted/picture.txt: it is binary",
		"pasted/holiday.txt: neither its name nor its content",
		"pasted/ethtool-e1.txt: ethtool e1 is also in ethtool-e1-2.txt, of another time or machine: e1: speed 1.00 Gb/s, "+
			"then 10.0 Gb/s")
	if a.code != cli.ExitIncomplete || strings.Contains(a.err, "README") || strings.Contains(a.err, ".hidden") ||
		!strings.Contains(a.out, "nas: 2 ports with a link") {
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "check", "--snapshots", dir, "--json"); a.code != cli.ExitIncomplete &&
		a.code != cli.ExitMissed || !strings.Contains(a.out, "it is cut off") {
		t.Errorf("check: %.500s", a)
	}
}

// Two snapshots under one name that contradict each other: the newer counts, and what differs is reported; a renamed
// one is noticed.
func TestSnapshotsThatContradict(t *testing.T) {
	sound := testenv.Must(os.ReadFile("testdata/machines/nas.txtar"))(t)
	for _, c := range []struct {
		name     string
		change   []string
		want     []string
		unwanted string
	}{
		{"only the time", nil, nil, "differs"},
		{"the MTU", []string{`"ifname": "ens3f0np0", "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"], "mtu": 9000`,
			`"ifname": "ens3f0np0", "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"], "mtu": 1500`},
			[]string{"nas.after.txtar: it differs from ",
				"nas.before.txtar, which is older and does not count: ens3f0np0: MTU 9000, then 1500"}, "another machine"},
		{"another machine", []string{"b8:59:9f:00:00:10", "b8:59:9f:00:00:99"},
			[]string{"ens3f0np0: MAC address b8:59:9f:00:00:10, then b8:59:9f:00:00:99; that may be another machine"}, ""},
	} {
		dir := t.TempDir()
		later := strings.NewReplacer(append([]string{"when 2026-11-22T14:06:00Z", "when 2026-11-22T14:07:00Z"},
			c.change...)...).Replace(string(sound))
		for name, text := range map[string]string{"nas.before.txtar": string(sound), "nas.after.txtar": later} {
			testenv.WriteFile(t, filepath.Join(dir, name), []byte(text), 0o600)
		}
		a := call(t, nil, "facts", "--snapshots", dir)
		testenv.Contains(t, c.name, a.err, c.want...)
		if a.code != cli.ExitDone || c.unwanted != "" && strings.Contains(a.err, c.unwanted) {
			t.Errorf("%s: %s", c.name, a)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"nas.txtar", "pc.txtar"} {
		testenv.WriteFile(t, filepath.Join(dir, name), sound, 0o600)
	}
	if a := call(t, nil, "facts", "--snapshots", dir); !strings.Contains(a.err, "pc.txtar: it says that it is of nas") ||
		a.code != cli.ExitDone {
		t.Errorf("%s", a)
	}
}
