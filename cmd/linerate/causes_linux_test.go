package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// Faults injected into a lab by hand are visible in the snapshots of a run, each in its section. Recorded runs (package
// explain) and the exam (internal/lab/exam/live) test the verdicts.
func TestSpoiledLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/three.yaml", p.path("three.yaml"), "streams: 1", "streams: 1, time: 1s"), "0.02")
	const nic, peer = "cardp1", "10.0.1.2"
	self := testenv.Must(os.Executable())(t)
	s.on(t, "host2", "sysctl", "-w", "net.ipv4.tcp_rmem=4096 61440 61440")
	s.on(t, "host1", "sysctl", "-w", "net.ipv4.tcp_wmem=4096 81920 81920")
	s.on(t, "host2", "sysctl", "-w", "net.ipv4.tcp_window_scaling=0")
	s.on(t, "host1", "tc", "qdisc", "replace", "dev", nic, "root", "tbf", "rate", "80mbit", "burst", "128kb", "limit",
		"500kb")
	s.on(t, "host1", self, spoilArgument, nic)
	s.on(t, "host1", "ip", "route", "replace", peer+"/32", "dev", nic)
	s.on(t, "host1", "ip", "address", "add", "10.0.1.9/24", "dev", "cardp2")
	s.manyRules(t, "host2")
	dir := p.path("run")
	a := s.linerate(t, "run", s.fabric, "--in-lab="+s.id, "--repeats", "1", "-o", dir, "--json").ends(t, cli.ExitDone)
	e := a.run(t).Experiments[0]
	if e.Verdict == nil || e.Goodput == nil || len(e.Repeats) != 1 {
		t.Errorf("verdict %+v, goodput %+v", e.Verdict, e.Goodput)
	}
	for host, sections := range map[string]map[string]string{
		"host1": {"proc/sys/net/ipv4/tcp_wmem": "81920", "tc -j": `"tbf"`, "ethtool -k " + nic: "tx-tcp-segmentation: off",
			"ip -j address": "10.0.1.9", "ip -j route": peer},
		"host2": {"proc/sys/net/ipv4/tcp_rmem": "61440", "proc/sys/net/ipv4/tcp_window_scaling": "0", "nft": "10.9.8.7"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, runfolder.SnapshotName(host, record.At(record.Before, e.ID))))
		if err != nil {
			t.Error(err)
			continue
		}
		for name, want := range sections {
			if !inSection(string(text), name, want) {
				t.Errorf("the snapshot of %s has no %q in a section %q", host, want, name)
			}
		}
	}
}

// inSection reports whether a section whose name begins with name contains want.
func inSection(snapshot, name, want string) bool {
	in := false
	for line := range strings.Lines(snapshot) {
		if section, ok := strings.CutPrefix(line, "-- "); ok {
			in = strings.HasPrefix(section, name)
		} else if in && strings.Contains(line, want) {
			return true
		}
	}
	return false
}

// hold reports whether lines begin with all of want, in order.
func hold(have, want []string) bool {
	for _, h := range have {
		if len(want) > 0 && strings.HasPrefix(h, want[0]) {
			want = want[1:]
		}
	}
	return len(want) == 0
}
