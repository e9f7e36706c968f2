package main

import (
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/lab"
	"linerate/internal/lab/fault"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// Storage over a network on a drive that the lab made, with a host, a link and a drive made slow: every part is made and taken back, and each run keeps
// what its two ends counted. What the verdict makes of them is judged by recorded runs (package explain) and by internal/lab/exam/live.
func TestStorageVerdicts(t *testing.T) {
	t.Parallel()
	needLab(t)
	if !lab.MayDrive() || !lab.MayQuota() {
		testenv.Missing(t, "loop devices, and control groups of version 1 that limit drives and processors")
	}
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/storage.yaml", p.path("storage.yaml"), "warmup: 500ms", "warmup: 0s"), "0.3")
	at := &fault.Place{Sender: fault.End{Host: "nas"}, Source: "/var/tmp/source", Rate: 100e6, Program: p.program(t), Exec: func(host, script string) (string, error) {
		return strings.TrimSpace(s.on(t, host, "sh", "-c", script)), nil
	}}
	at.Drive()
	fault.Find("slow-drive").Make(at, fault.Values{"share": 0.5})
	if at.Err != nil {
		t.Fatal(at.Err)
	}
	asks := &fault.Place{Sender: fault.End{Host: "pc"}, Program: at.Program, Exec: at.Exec}
	group := func() string {
		return strings.TrimSpace(s.on(t, "pc", "sh", "-c", "grep cpu, /proc/self/cgroup || grep :cpu: /proc/self/cgroup"))
	}
	was := group()
	fault.Find("cpu-quota").Make(asks, fault.Values{"cores": 0.25, "end": 1})
	if asks.Err != nil {
		t.Fatal(asks.Err)
	}
	if now := group(); now == was || !strings.Contains(now, lab.QuotaPrefix) {
		t.Errorf("the control group of pc is %q, before it was %q", now, was)
	}
	s.on(t, "nas", "tc", "qdisc", "replace", "dev", "fast", "root", "tbf", "rate", "200mbit", "burst", "128kb", "limit", "1mb")
	a := p.linerate(t, "run", s.fabric, "--lab="+s.id, "--only", "near", "--json", "-o", p.path("run"))
	if a.code != exitDone {
		t.Fatal(a)
	}
	x := a.run(t).Experiments[0]
	if x.Verdict == nil || x.Bytes == nil || x.Block == nil || x.Block.Read == nil || len(x.Block.Hosts) != 2 {
		t.Errorf("verdict %+v, bytes %+v, block %+v", x.Verdict, x.Bytes, x.Block)
	}
	for _, host := range []string{"pc", "nas"} {
		if all, _ := filepath.Glob(filepath.Join(p.path("run"), runfolder.CapturesName, host+".*")); len(all) == 0 {
			t.Errorf("no snapshot of %s", host)
		}
	}
	asks.Back()
	if now := group(); asks.Err != nil || now != was {
		t.Errorf("taken back: %v: the control group of pc is %q, before it was %q", asks.Err, now, was)
	}
}
