package report

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/record"
)

// verbsRun is a sweep of write latencies with 1 and 8 pairs, and one of reads.
func verbsRun() *record.Run {
	r := &record.Run{Fabric: "pairs", Complete: true}
	post, poll := 300e-9, 100e-9
	add := func(op, size, pairs string, p50 float64, crowded bool, remark string) {
		what := map[bool]string{true: "from post to completion", false: "half of a round trip"}[op == "read"]
		end := record.VerbsEnd{Device: "mlx5_0", Port: 1, Link: "rocev2", Transport: "RC", PathMTU: 4096, Inline: 128, Skew: 2.5e-6, Post: &post, Poll: &poll, Crowded: crowded}
		r.Experiments = append(r.Experiments, &record.Experiment{Name: "write-latency", Method: "verbs", From: "n1", To: "n2", Direction: "out",
			Settings: map[string]string{"op": op, "size": size, "pairs": pairs, "metric": "latency"}, Latency: &record.Latency{P50: p50, Count: 1000},
			Remark: remark, Verbs: &record.Verbs{Op: op, Metric: "latency", Latency: what, Ends: []record.VerbsEnd{end, end}}})
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
	if got := strings.Join(rows, "\n"); got != "64 B | 1.20 us | 1.83 us\n128 B | 1.30 us | 1.86 us\n256 B | 1.90 us | 5.87 us" {
		t.Error(got)
	}
	if len(w.Tails) != 6 || len(w.Tails[0]) != len(w.TailHeads()) || w.Tails[1][2] != "1.83 us" {
		t.Errorf("tails %v under %v", w.Tails, w.TailHeads())
	}
	said := strings.Join(w.Said, "\n")
	for _, part := range []string{"p50, half of a round trip; RoCE v2 RC over mlx5_0 port 1, path MTU 4096, inline up to 128 B", "release skew: pairs left the barrier together, 8 within 2.50 us of each other", "a post takes the thread 300 ns",
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
	if !strings.Contains(page.String(), "<h2>RDMA</h2>") || !strings.Contains(page.String(), "5.87") {
		t.Error("the page has no table of latencies")
	}
	if len(verbsTables(meshRun())) != 0 {
		t.Error("a run without RDMA has a table of it")
	}
}

// The release skew stands beside a goodput too, the most of all repeats and both ends, and above 50 us with what it comes from.
func TestReleaseSkewShown(t *testing.T) {
	end := func(skew float64, crowded bool) record.VerbsEnd {
		return record.VerbsEnd{Device: "mlx5_0", Port: 1, Link: "rocev2", Transport: "RC", Skew: skew, Crowded: crowded}
	}
	r := &record.Run{Fabric: "pairs", Complete: true}
	add := func(pairs string, crowded bool, skews ...float64) {
		e := &record.Experiment{ID: "x" + pairs, Name: "bandwidth", Method: "verbs", From: "n1", To: "n2", Direction: "out", Settings: map[string]string{"op": "write", "metric": "goodput", "pairs": pairs},
			Goodput: &record.Estimate{Median: 9e9, Low: 9e9, High: 9e9, Repeats: 1}}
		for _, s := range skews {
			v := &record.Verbs{Op: "write", Metric: "goodput", Ends: []record.VerbsEnd{end(s/2, crowded), end(s, false)}}
			e.Repeats, e.Verbs = append(e.Repeats, record.Repeat{Goodput: 9e9, Verbs: v}), v
		}
		r.Experiments = append(r.Experiments, e)
	}
	shown := func() (string, string) {
		var text, page bytes.Buffer
		if err := (Terminal{Out: &text, Width: 300}).Run(r); err != nil {
			t.Fatal(err)
		}
		if err := HTML(&page, r); err != nil {
			t.Fatal(err)
		}
		return text.String(), page.String()
	}
	add("1", false, 0)
	if text, page := shown(); strings.Contains(text+page, "release skew") {
		t.Error("one pair has none")
	}
	add("2", false, 3e-6, 12e-6, 4e-6)
	add("8", false, 20e-6)
	text, page := shown()
	if !strings.Contains(text, "bandwidth, write of n1 -> n2, goodput") || !strings.Contains(text, "9.00 Gb/s") || !strings.Contains(page, "payload of all pairs together") {
		t.Errorf("no table of goodput:\n%s", text)
	}
	for _, s := range []string{text, page} {
		if !strings.Contains(s, "2 within 12.0 us, 8 within 20.0 us of each other") || strings.Contains(s, "waited for a core") {
			t.Errorf("%s", text)
		}
	}
	add("4", true, 90e-6)
	text, page = shown()
	for _, s := range []string{text, page} {
		if !strings.Contains(s, "4 within 90.0 us") || !strings.Contains(s, "above 50.0 us threads waited for a core, because there are fewer cores than pairs") {
			t.Errorf("%s", text)
		}
	}
}

// A sweep of latencies is one chart with a line a number of pairs, on an axis of decades, and not a drawing a cell.
func TestVerbsPage(t *testing.T) {
	r := verbsRun()
	v := view(Find(r))
	c := string(v.Verbs[0].Chart)
	if !strings.Contains(c, "8 pairs") || strings.Count(c, `class="line s`) != 4 { // two lines, and two in the legend
		t.Errorf("the chart of writes: %s", c)
	}
	if v.Verbs[1].Chart != "" {
		t.Error("a chart of one size")
	}
	var own []string
	for _, b := range v.Blocks {
		for _, l := range b.Latency {
			own = append(own, l.Title)
		}
	}
	if len(own) != 1 || !strings.Contains(own[0], "op read") {
		t.Errorf("drawings of single cells: %q", own)
	}
}
