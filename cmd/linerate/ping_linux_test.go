package main

import (
	"os"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// All kinds of pings as experiments of a file: each has its part of the record, on the terminal and on the page.
func TestPingsInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/three.yaml", p.path("three.yaml"),
		"  raw: {method: throughput, from: host1, to: host2, streams: 1}", strings.Join([]string{
			"  fixed: {method: latency, from: host1, to: host2, every: 2ms, streams: 2, transport: [tcp, udp]}",
			"  echoes: {method: latency, from: host1, to: host3, transport: icmp}",
			"  loaded: {method: latency, from: host2, to: host3, load_streams: 2, load_direction: [out, both]}",
			"  wrong: {method: latency, from: host1, to: host2, transport: icmp, direction: in}"}, "\n"))
	dir := p.path("run")
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--repeats", "2", "--set", "time=400ms", "-o", dir,
		"--json")
	if a.code != cli.ExitIncomplete { // experiment wrong is not run
		t.Fatalf("run: %s", a)
	}
	r := a.run(t)
	found := map[string][]*record.Experiment{}
	for _, e := range r.Experiments {
		found[e.Name] = append(found[e.Name], e)
		if e.Name == "wrong" {
			if !strings.Contains(e.NotRun, "icmp") {
				t.Errorf("wrong: %q", e.NotRun)
			}
			continue
		}
		if e.Failed != "" || e.Latency == nil || e.Latency.P50 <= 0 || len(e.Latency.Percentiles) != 6 ||
			e.Latency.Histogram == "" || len(e.Repeats) != 2 || len(e.Clocks) != 1 || e.Clocks[0].Overhead <= 0 {
			t.Errorf("%s %v: failed %q, latency %+v, clocks %+v", e.Name, e.Settings, e.Failed, e.Latency, e.Clocks)
		}
		for _, rep := range e.Repeats {
			if rep.Histogram == "" {
				t.Errorf("%s: repeat %d has no histogram", e.Name, rep.Index)
			}
		}
	}
	if len(found["fixed"]) != 2 || len(found["echoes"]) != 1 || len(found["loaded"]) != 2 {
		t.Fatalf("%d experiments", len(r.Experiments))
	}
	for _, e := range found["fixed"] {
		if o := e.Open; o == nil || o.Asked != 1000 || o.Service == nil || o.Late == nil || e.Pairs == nil ||
			e.Pairs.Pairs != 2 {
			t.Errorf("fixed %v: %+v, %+v", e.Settings, e.Open, e.Pairs)
		}
	}
	e := found["echoes"][0]
	if m := e.PathMTU; m == nil || m.Bytes != 1500 || m.Device != 1500 || e.Open == nil || e.Open.Asked != 100 ||
		e.InEffect["transport"] != "icmp" {
		t.Errorf("echoes: %+v, %+v, %v", e.PathMTU, e.Open, e.InEffect)
	}
	for _, e := range found["loaded"] {
		l := e.Load
		if l == nil || l.Streams != 2 || l.Idle == nil || l.Goodput == nil || l.Goodput.Median <= 0 || l.Added == nil ||
			l.Added.P50 == nil || (l.Backward != nil) != (e.Settings["load_direction"] == "both") {
			t.Errorf("loaded %v: %+v", e.Settings, l)
		}
	}
	page := testenv.Must(os.ReadFile(p.path("run", "report.html")))(t)
	a = p.linerate(t, "report", dir, "--all")
	testenv.Contains(t, a, a.out, "open loop", "path MTU", "1500 bytes get through unfragmented",
		"with 2 streams both", "linerate's own", "load", "it adds")
	testenv.Contains(t, "the page", string(page), "with the load", "dashed: without", "from when due",
		"1500 bytes get through")
}

// Invalid settings of ping are reported before any host is queried.
func TestPingErrors(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"stream nas --every 1ms", "every"},
		{"ping nas --every 2s --time 1s", "--every 2s is above the interval"},
		{"ping nas --every 1", "every"},
		{"ping nas --load-streams 0", "--load-streams"},
		{"ping nas --load-direction out", "load_streams"},
		{"ping 10.9.9.9 --transport icmp --direction both", "out"},
		{"ping 10.9.9.9 --transport icmp --under-load", "load_streams"},
		{"ping 10.9.9.9 --transport icmp --to-address 10.9.9.8", "named twice"},
		{"stream 10.9.9.9 --transport icmp", "icmp"},
	} {
		a := call(t, nil, append([]string{"measure"}, strings.Fields(c.args)...)...)
		if a.code != cli.ExitInput || !strings.Contains(a.err, c.says) || a.out != "" {
			t.Errorf("measure %s: want %q: %s", c.args, c.says, a)
		}
	}
}
