package main

import (
	"os"
	"path/filepath"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// What is lost on purpose, at the switch's port and in a firewall, is counted by whoever lost it, and the account of what was sent again has both as parts.
// Snapshots of every host and switch are taken before, during and after. Whether the account closes is judged by recorded runs (package explain) and by
// internal/lab/exam/live.
func TestAccountsLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/through.yaml", p.path("through.yaml"), "streams: 1}", "streams: 1, time: 2s}")
	s := p.labUp(t, fabric, "0.02")
	s.on(t, "sw1", "tc", "qdisc", "replace", "dev", "sw1.2", "root", "tbf", "rate", "150mbit", "burst", "16kb", "limit", "30kb")
	s.on(t, "host2", "nft", "add table inet f")
	s.on(t, "host2", "nft", "add chain inet f i { type filter hook input priority 0; }")
	s.on(t, "host2", "nft", "add rule inet f i tcp dport != 1 numgen random mod 1000 < 3 counter drop")
	dir := p.path("run")
	a := s.linerate(t, "run", s.fabric, "--lab="+s.id, "--repeats", "1", "-o", dir, "--json")
	if a.code != exitDone {
		t.Fatal(a)
	}
	r := a.run(t)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
	e := r.Experiments[0]
	for _, name := range []string{"sent", "received", "resent"} {
		x := accountNamed(e.Accounts, name)
		if x == nil || x.Sentence == "" || x.Left.Value == nil {
			t.Errorf("the account %s: %+v", name, x)
		}
	}
	counted := map[string]bool{}
	if x := accountNamed(e.Accounts, "resent"); x != nil {
		for _, part := range x.Right.Parts {
			counted[part.Host] = true
		}
		if !counted["sw1"] || !counted["host2"] {
			t.Errorf("resent has no part of the switch or of the firewall: %+v", x.Right)
		}
	}
	looked := false
	for _, h := range []string{"host1", "host2", "sw1"} {
		for _, when := range []string{record.Idle, record.At(record.Before, e.ID), record.At(record.After, e.ID)} {
			if _, err := os.Stat(filepath.Join(dir, runfolder.CaptureName(h, when))); err != nil {
				t.Error(err)
			}
		}
		if during, _ := filepath.Glob(filepath.Join(dir, runfolder.CapturesName, h+"."+record.During+"*")); len(during) == 0 {
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
