package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

func endOf(host string) record.End {
	return record.End{Host: host, Port: host + ".card.1", Interface: "eth1"}
}

// between1And returns a run of every way between hosts n1 to nN, each with its share of the ceiling.
func between1And(n int, share func(from, to int) float64) *record.Run {
	r := &record.Run{Complete: true}
	for i := range n * n {
		a, z := i/n+1, i%n+1
		if a == z {
			continue
		}
		from, to := fmt.Sprint("n", a), fmt.Sprint("n", z)
		of := share(a, z)
		limiter := unit.If(of > 0.97, record.LimiterLink, "deep-buffer")
		r.Experiments = append(r.Experiments, &record.Experiment{Name: "tcp", Method: "throughput", From: from, To: to,
			Direction: "out", Ends: []record.End{endOf(from), endOf(to)}, Repeats: []record.Repeat{{}},
			Goodput: &record.Estimate{Median: of * 1e9}, Ceiling: &record.Chain{Limit: 1e9},
			Verdict: &record.Verdict{Limiter: limiter, ShareOfCeiling: new(of),
				Sentence: from + " -> " + to + " is held back."}})
	}
	return r
}

// The host that all slow paths have in common, and no fast one, leads the sentence of a run.
func TestSlowNode(t *testing.T) {
	at := func(slow func(a, z int) bool) func(a, z int) float64 {
		return func(a, z int) float64 {
			if slow(a, z) {
				return 0.203
			}
			return 0.99
		}
	}
	for _, c := range []struct {
		name, want string
		hosts      int
		share      func(a, z int) float64
	}{
		{"to one node", "All 5 paths to n4 carry 20 % of their ceilings, all others 99.0 % or more. They share port eth1 " +
			"of n4 (receiving)", 6, at(func(_, z int) bool { return z == 4 })},
		{"from one node", "All 2 paths from n1 carry 20 %", 3, at(func(a, _ int) bool { return a == 1 })},
		{"to and from one node", "All 10 paths to and from n2 carry 20 %", 6,
			at(func(a, z int) bool { return a == 2 || z == 2 })},
		{"one path", "", 6, at(func(a, z int) bool { return a == 1 && z == 4 })},
		{"one path to the node is fast", "", 6, at(func(a, z int) bool { return z == 4 && a != 1 })},
		{"two nodes", "", 6, at(func(_, z int) bool { return z == 4 || z == 5 })},
		{"all paths", "", 6, at(func(_, _ int) bool { return true })},
		{"none", "", 6, at(func(_, _ int) bool { return false })},
		{"two hosts", "", 2, at(func(a, _ int) bool { return a == 1 })},
		{"a little slower", "", 6, func(_, z int) float64 { return unit.If(z == 4, 0.85, 0.99) }},
	} {
		r := between1And(c.hosts, c.share)
		r.SlowNode = slowNode(r)
		if got := ""; r.SlowNode != nil {
			got = r.SlowNode.Sentence
			if c.want == "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
			if s := Sentence(r); !strings.HasPrefix(s, got) || !strings.Contains(s, "is held back") {
				t.Errorf("%s: the run's sentence: %s", c.name, s)
			}
		} else if c.want != "" {
			t.Errorf("%s: no slow node, want %q", c.name, c.want)
		}
	}
}

// The same of the flows of a group. Its next step is the slowest flow alone, with the connections of its two hosts.
func TestSlowNodeOfAGroup(t *testing.T) {
	e := &record.Experiment{Name: "all", Method: "throughput", From: "n[1-4]", To: "n[1-4]", Pattern: "all-to-all",
		Direction: "out", Ends: []record.End{endOf("n1"), endOf("n2")}, Settings: map[string]string{"traffic": "all-to-all"},
		Repeats: []record.Repeat{{}}, Goodput: &record.Estimate{Median: 3e9}}
	r := &record.Run{Complete: true, Arguments: []string{"linerate", "measure", "throughput"},
		Experiments: []*record.Experiment{e}}
	for a := 1; a <= 4; a++ {
		r.Hosts = append(r.Hosts, record.HostState{Name: fmt.Sprint("n", a), Connection: fmt.Sprint("srun -w n", a)})
		for z := 1; z <= 4; z++ {
			if a != z {
				from, to := fmt.Sprint("n", a), fmt.Sprint("n", z)
				end := endOf(to)
				end.Address = "10.0.0." + fmt.Sprint(z)
				e.Flows = append(e.Flows, record.Flow{From: from, To: to, Ends: []record.End{endOf(from), end},
					Goodput: &record.Estimate{Median: unit.If(z == 3, 40e6, 300e6) + float64(a)*1e6}})
			}
		}
	}
	const want = "All 3 flows to n3 carry 41.0 Mb/s to 44.0 Mb/s, all others 301 Mb/s or more."
	if n := slowNode(r); n == nil || !strings.HasPrefix(n.Sentence, want) {
		t.Errorf("%+v, want %q", n, want)
	}
	line := next(r, e, nil)
	for _, part := range []string{"--from 'srun -w n1' ", "--to 'srun -w n3' ", "--to-address 10.0.0.3 "} {
		if !strings.Contains(line, part) || strings.Contains(line, "--traffic") {
			t.Errorf("%s: want %s, and no pattern", line, part)
		}
	}
	e.Direction = "in"
	if n := slowNode(r); n == nil || n.Way != "sending" {
		t.Errorf("the other way round: %+v", n)
	}
	slices.Reverse(e.Flows)
	e.Flows = e.Flows[:1]
	if n := slowNode(r); n != nil {
		t.Errorf("one flow: %+v", n)
	}
}
