package main

import (
	"fmt"
	"testing"
)

// RDMA of one guest with itself: soft RoCE answers its own address, so one machine is enough for every operation and every figure.
func (s *spoiled) verbsInOne(t *testing.T) {
	if a := s.on(t, "whole", "ls", "/sys/class/infiniband"); a != "rxe0\n" {
		t.Fatalf("RDMA devices: %q", a)
	}
	end := "lab " + s.id + "/whole"
	for _, metric := range []string{"latency", "goodput"} {
		a := s.inGuests(t, "measure", "verbs", "--from", end, "--to", end, "--to-address", "10.0.2.1", "--op", "write,send,read", "--metric", metric,
			"--pairs", "1,2", "--size", map[string]string{"latency": "8B", "goodput": "64KiB"}[metric], "--time", "1s", "--repeats", "1", "--json")
		if a.code != exitDone {
			t.Fatalf("measure verbs: %s", a)
		}
		r := a.run(t)
		if len(r.Experiments) != 6 {
			t.Fatalf("%d experiments, want 3 operations with 1 and 2 pairs", len(r.Experiments))
		}
		for _, e := range r.Experiments {
			name := metric + " " + e.Settings["op"] + " " + e.Settings["pairs"]
			if e.Failed != "" || e.Verbs == nil || len(e.Verbs.Ends) != 2 || len(e.Repeats) != 1 {
				t.Errorf("%s: failed %q, %+v", name, e.Failed, e.Verbs)
				continue
			}
			for _, x := range e.Verbs.Ends {
				if x.Device != "rxe0" || x.Link != "rocev2" || x.GID != "::ffff:10.0.2.1" || !x.Soft || fmt.Sprint(len(x.Pairs)) != e.Settings["pairs"] {
					t.Errorf("%s: an end: %+v", name, x)
				}
			}
			switch {
			case metric == "latency" && (e.Latency == nil || e.Latency.Count < 1 || e.Goodput != nil):
				t.Errorf("%s: %+v", name, e.Latency)
			case metric == "goodput" && (e.Goodput == nil || e.Latency != nil):
				t.Errorf("%s: %+v", name, e.Goodput)
			}
		}
		for _, f := range r.Findings {
			if f.ID == "duplicate-address" || f.ID == "duplicate-mac" {
				t.Errorf("one host at both ends is two to the checks: %s: %s", f.Subject, f.Have)
			}
		}
	}
}
