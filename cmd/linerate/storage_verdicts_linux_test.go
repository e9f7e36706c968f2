package main

import (
	"slices"
	"strings"
	"testing"

	"linerate/explain"
	"linerate/fault"
	"linerate/lab"
	"linerate/result"
)

// Storage over a network, of which one part after another is made slow: a drive, the network, the host that asks, and memory that answers in a drive's place. Each verdict is what was done, and of a
// lab left alone it is none of these.
func TestStorageVerdicts(t *testing.T) {
	needLab(t)
	if !lab.MayDrive() || !lab.MayQuota() {
		missing(t, "loop devices, and control groups of version 1 that limit drives and processors")
	}
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/storage.yaml", p.path("storage.yaml")), "0.3")
	at := &fault.Place{Sender: fault.End{Host: "nas"}, Source: "/var/tmp/source", Rate: 100e6, Program: p.program(t), Exec: func(host, script string) (string, error) {
		return strings.TrimSpace(s.on(t, host, "sh", "-c", script)), nil
	}}
	at.Drive()
	if at.Err != nil {
		t.Fatal(at.Err)
	}
	const nic = "fast"
	asks := &fault.Place{Sender: fault.End{Host: "pc"}, Program: at.Program, Exec: at.Exec}
	for _, c := range []struct {
		name, only   string
		spoil, undo  func()
		limiter      string
		confidence   []string
		says, counts string
	}{
		{name: "left alone", only: "far", limiter: "link", confidence: []string{"proved"}, says: "reaches what link pc.slow.1--old.slow.1 allows"},
		{name: "cached source", only: "near", limiter: "page-cache-read", confidence: []string{"proved"}, says: "is no figure of the drive", counts: "sectors read"},
		{name: "slow source", only: "near", limiter: "cpu-quota", confidence: []string{"proved", "likely"}, says: "held back by pc: its control group", counts: "nr_throttled",
			spoil: func() { fault.Find("cpu-quota").Make(asks, fault.Values{"cores": 0.1, "end": 1}) }, undo: func() { asks.Back() }},
		{name: "slow network", only: "near", limiter: "local-shaper", confidence: []string{"proved"}, says: "tbf on " + nic + " of nas",
			spoil: func() {
				s.on(t, "nas", "tc", "qdisc", "replace", "dev", nic, "root", "tbf", "rate", "200mbit", "burst", "128kb", "limit", "1mb")
			}, undo: func() { s.on(t, "nas", "tc", "qdisc", "del", "dev", nic, "root") }},
		{name: "slow target", only: "near", limiter: "media-limit", confidence: []string{"likely"}, says: "is held back by the drive loop", counts: "io_ticks",
			spoil: func() { fault.Find("slow-drive").Make(at, fault.Values{"share": 0.15}) }},
	} {
		if c.spoil != nil {
			c.spoil()
		}
		if at.Err != nil || asks.Err != nil {
			t.Fatal(at.Err, asks.Err)
		}
		a := p.linerate(t, "run", s.fabric, "--lab="+s.id, "--only", c.only, "--json")
		if c.undo != nil {
			c.undo()
		}
		if a.code != exitDone {
			t.Fatalf("%s: %s", c.name, a)
		}
		x := a.run(t).Experiments[0]
		v := x.Verdict
		if v == nil || v.Limiter != c.limiter || !slices.Contains(c.confidence, v.Confidence) || !strings.Contains(v.Sentence, c.says) || !slices.Contains(explain.StorageCauses(), c.limiter) && c.limiter != "local-shaper" ||
			c.counts != "" && !slices.ContainsFunc(v.Evidence, func(e result.Evidence) bool { return strings.HasPrefix(e.Counter, c.counts) }) {
			t.Errorf("%s: want %s, %s: %+v\n%+v", c.name, c.limiter, c.says, v, x.Block)
		}
		t.Logf("%s: %s", c.name, v.Sentence)
	}
}
