package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/record"
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
  line: {method: stream, from: n1, to: n2}
goals: {line: goodput >= 1G}
`

// A lab of namespaces has no PFC, and the proof says so: its traffic went in the class, its counters were asked for, and it is not in effect.
func TestProofInLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := p.path("star.yaml")
	writeProof(t, fabric, losslessStar)
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--proof", "lossless", "--json", "-o", filepath.Join(t.TempDir(), "run"))
	r := a.run(t)
	if a.code != exitMissed || len(r.Experiments) != 1 || r.Experiments[0].Proof == nil {
		t.Fatal(a)
	}
	x := r.Experiments[0]
	if x.Proof.State != record.NotInEffect || !strings.Contains(x.Proof.Sentence, "a veth has no PFC") || !strings.HasPrefix(r.Sentence, x.Proof.Sentence) {
		t.Errorf("%s: %s", x.Proof.State, r.Sentence)
	}
	if x.InEffect["class_mark"] != "DSCP 26, priority 3" || x.Proof.Sent == nil || *x.Proof.Sent == 0 || x.Proof.Beside == nil || *x.Proof.Beside == 0 || len(x.Flows) != 4 {
		t.Errorf("%v %+v", x.InEffect, x.Proof)
	}
	var bytes *record.ProofTest
	for i := range x.Proof.Tests {
		if x.Proof.Tests[i].Test == record.ProofBytes {
			bytes = &x.Proof.Tests[i]
		}
	}
	if bytes == nil || bytes.Passed != nil || len(bytes.NotKnown) == 0 || !strings.Contains(strings.Join(bytes.NotKnown, " "), "are not counted") {
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
		{[]string{"--proof", "bulk"}, "write --proof lossless"},
		{[]string{"--proof", ""}, "write --proof lossless"},
		{[]string{"--proof", "lossless", "--only", "line"}, "leave one of the two out"},
	} {
		if a := call(t, nil, append([]string{"run", fabric}, c.args...)...); a.code != exitInput || !strings.Contains(a.err, c.says) {
			t.Errorf("%v: %s", c.args, a)
		}
	}
	writeProof(t, fabric, strings.Replace(losslessStar, "lossless: true", "ecn: true", 1))
	if a := call(t, nil, "run", fabric, "--proof", "lossless"); a.code != exitInput || !strings.Contains(a.err, "no lossless class") {
		t.Error(a)
	}
}

func writeProof(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
