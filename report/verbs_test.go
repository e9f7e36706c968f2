package report

import (
	"bytes"
	"strings"
	"testing"

	"linerate/result"
)

// verbsRun is a sweep of write latencies with 1 and 8 pairs, and one of reads.
func verbsRun() *result.Run {
	r := &result.Run{Fabric: "pairs", Complete: true}
	post, poll := 300e-9, 100e-9
	add := func(op, size, pairs string, p50 float64, crowded bool, remark string) {
		what := map[bool]string{true: "from post to completion", false: "half of a round trip"}[op == "read"]
		end := result.VerbsEnd{Device: "mlx5_0", Port: 1, Link: "rocev2", Transport: "RC", PathMTU: 4096, Inline: 128, Skew: 2.5e-6, Post: &post, Poll: &poll, Crowded: crowded}
		r.Experiments = append(r.Experiments, &result.Experiment{Name: "write-latency", Method: "verbs", From: "n1", To: "n2", Direction: "out",
			Settings: map[string]string{"op": op, "size": size, "pairs": pairs, "metric": "latency"}, Latency: &result.Latency{P50: p50, Count: 1000},
			Remark: remark, Verbs: &result.Verbs{Op: op, Metric: "latency", Latency: what, Ends: []result.VerbsEnd{end, end}}})
	}
	for _, c := range []struct {
		size     string
		one, all float64
	}{{"256B", 1.9e-6, 5.87e-6}, {"64B", 1.2e-6, 1.83e-6}, {"128B", 1.3e-6, 1.86e-6}} { // in no order
		add("write", c.size, "8", c.all, true, map[bool]string{true: "between 128 B and 256 B the latency jumps"}[c.size == "256B"])
		add("write", c.size, "1", c.one, false, "")
	}
	add("read", "8B", "1", 2.2e-6, false, "")
	return r
}

func TestVerbsTables(t *testing.T) {
	tables := verbsTables(verbsRun())
	if len(tables) != 2 {
		t.Fatalf("%d tables, want one for writes and one for reads", len(tables))
	}
	w := tables[0]
	if got := strings.Join(w.Heads, " | "); got != "size | 1 pair | 8 pairs" {
		t.Error(got)
	}
	var rows []string
	for _, row := range w.Rows {
		rows = append(rows, strings.Join(row, " | "))
	}
	if got := strings.Join(rows, "\n"); got != "64B | 1.20 us | 1.83 us\n128B | 1.30 us | 1.86 us\n256B | 1.90 us | 5.87 us" {
		t.Error(got)
	}
	said := strings.Join(w.Said, "\n")
	for _, part := range []string{"p50, half of a round trip; RoCE v2 RC over mlx5_0 port 1, path MTU 4096, inline up to 128 B", "released within 2.50 us", "a post takes the thread 300 ns",
		"8 pairs are more than there are cores for", "8 pairs: between 128 B and 256 B"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not in:\n%s", part, said)
		}
	}
	if said := strings.Join(tables[1].Said, "\n"); !strings.Contains(said, "from post to completion") || strings.Contains(said, "released") {
		t.Errorf("of one pair that reads:\n%s", said)
	}
}

// The terminal and the page show the same tables; a run without RDMA has none.
func TestVerbsShown(t *testing.T) {
	var out bytes.Buffer
	if err := (Terminal{Out: &out, Width: 100}).Run(verbsRun()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"write-latency, write of n1 -> n2", "5.87 us", "jumps"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not on the terminal:\n%s", part, out.String())
		}
	}
	var page bytes.Buffer
	if err := HTML(&page, verbsRun()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "<h2>RDMA latencies</h2>") || !strings.Contains(page.String(), "5.87") {
		t.Error("the page has no table of latencies")
	}
	if len(verbsTables(meshRun())) != 0 {
		t.Error("a run without RDMA has a table of it")
	}
}
