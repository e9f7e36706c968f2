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

const losslessStar = `fabric: star
addressing: {pool: 10.0.0.0/16, prefix: 24}
hosts:
  "n[1-3]":
    nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}
switches: {sw: {part: {kind: switch, speed: 10G, ports: 8, cage: sfp+}}}
links:
  - {ends: ["n[1-3].c", "sw.[1-3]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
classes: {roce: {priority: 3, dscp: 26, lossless: true}}
experiments:
  line: {method: throughput, from: n1, to: n2}
goals: {line: goodput >= 1G}
`

// A lab of namespaces has no PFC, and the proof reports it: its traffic was in the class, its counters were read, and
// PFC is not in effect.
func TestProofInLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := p.path("star.yaml")
	writeProof(t, fabric, losslessStar)
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--lossless", "--json", "-o",
		filepath.Join(t.TempDir(), "run"))
	r := a.run(t)
	if a.code != cli.ExitMissed || len(r.Experiments) != 1 || r.Experiments[0].Proof == nil {
		t.Fatal(a)
	}
	x := r.Experiments[0]
	if x.Proof.State != record.NotInEffect || !strings.Contains(x.Proof.Sentence, "a veth has no PFC") ||
		!strings.HasPrefix(r.Sentence, x.Proof.Sentence) {
		t.Errorf("%s: %s", x.Proof.State, r.Sentence)
	}
	if x.InEffect["class_mark"] != "DSCP 26, priority 3" || x.Proof.Sent == nil || *x.Proof.Sent == 0 ||
		x.Proof.BestEffort == nil || *x.Proof.BestEffort == 0 || len(x.Flows) != 4 {
		t.Errorf("%v %+v", x.InEffect, x.Proof)
	}
	var bytes *record.ProofTest
	for i := range x.Proof.Tests {
		if x.Proof.Tests[i].Test == record.ProofBytes {
			bytes = &x.Proof.Tests[i]
		}
	}
	if bytes == nil || bytes.Passed != nil || len(bytes.NotKnown) == 0 ||
		!strings.Contains(strings.Join(bytes.NotKnown, " "), "are not counted") {
		t.Errorf("a veth counts no classes: %+v", bytes)
	}
}

func TestWrongProofs(t *testing.T) {
	p := newPlace(t)
	fabric := p.path("star.yaml")
	writeProof(t, fabric, losslessStar)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--lossless", "--experiments", "line"}, "omit one"},
	} {
		if a := call(t, nil, append([]string{"run", fabric}, c.args...)...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, c.says) {
			t.Errorf("%v: %s", c.args, a)
		}
	}
	writeProof(t, fabric, strings.Replace(losslessStar, "lossless: true", "ecn: true", 1))
	if a := call(t, nil, "run", fabric, "--lossless"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "no lossless class") {
		t.Error(a)
	}
}

func writeProof(t *testing.T, path, text string) {
	t.Helper()
	testenv.WriteFile(t, path, []byte(text), 0o644)
}

// Deliberate losses, at the switch's port and in a firewall, are counted where they occur, and the cross-check of
// retransmissions has both as parts. Snapshots of every host and switch are taken before, during and after. Recorded
// runs (package explain) and internal/lab/exam/live test whether the cross-check matches.
func TestAccountsLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/through.yaml", p.path("through.yaml"), "streams: 1}", "streams: 1, time: 2s}")
	s := p.labUp(t, fabric, "0.02")
	s.on(t, "sw1", "tc", "qdisc", "replace", "dev", "sw1.2", "root", "tbf", "rate", "150mbit", "burst", "16kb", "limit",
		"30kb")
	s.on(t, "host2", "nft", "add table inet f")
	s.on(t, "host2", "nft", "add chain inet f i { type filter hook input priority 0; }")
	s.on(t, "host2", "nft", "add rule inet f i tcp dport != 1 numgen random mod 1000 < 3 counter drop")
	dir := p.path("run")
	a := s.linerate(t, "run", s.fabric, "--in-lab="+s.id, "--repeats", "1", "-o", dir, "--json").ends(t, cli.ExitDone)
	r := a.run(t)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
	e := r.Experiments[0]
	for _, name := range []string{"sent", "received", "resent"} {
		x := accountNamed(e.Accounts, name)
		if x == nil || x.Sentence == "" || x.Left.Value == nil {
			t.Errorf("the cross-check %s: %+v", name, x)
		}
	}
	counted := map[string]bool{}
	if x := accountNamed(e.Accounts, "resent"); x != nil {
		for _, part := range x.Right.Parts {
			counted[part.Host] = true
		}
		if !counted["sw1"] || !counted["host2"] {
			t.Errorf("the retransmissions have no part of the switch or of the firewall: %+v", x.Right)
		}
	}
	looked := false
	for _, h := range []string{"host1", "host2", "sw1"} {
		for _, when := range []string{record.Idle, record.At(record.Before, e.ID), record.At(record.After, e.ID)} {
			if _, err := os.Stat(filepath.Join(dir, runfolder.SnapshotName(h, when))); err != nil {
				t.Error(err)
			}
		}
		during, _ := filepath.Glob(filepath.Join(dir, runfolder.SnapshotsName, h+"."+record.During+"*"))
		if len(during) == 0 {
			t.Logf("%s: no snapshot was taken during the interval; a busy machine comes too late for it", h)
		} else {
			looked = true
		}
	}
	if r.Evidence == nil || looked && r.Evidence.Share == nil {
		t.Errorf("what looking cost is not known: %+v", r.Evidence)
	}
}

func accountNamed(all []record.Account, name string) *record.Account {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}
