package report

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/record"
)

// haloRun is exchanges over two cards, over the tile and over the number of processes.
func haloRun() *record.Run {
	r := &record.Run{Fabric: "pairs", Complete: true}
	add := func(name, via, tiles, processes string, tile, n int, s float64) {
		h := &record.Halo{Processes: n, Columns: n / 2, Rows: 2, Tile: tile, Exchange: "two-phase", Transport: "tcp", Wait: "blocking", Seconds: s, Remote: 2 * n, Local: 2 * n,
			Hosts: make([]record.HaloHost, 4), Skew: 1e-5}
		if n > 16 {
			h.Crowded = []string{"n1"}
		}
		var repeats []record.Repeat
		for i := range 5 {
			v := *h
			v.Seconds = s * (1 + 0.001*float64(i-2))
			repeats = append(repeats, record.Repeat{Index: i, Halo: &v})
		}
		r.Experiments = append(r.Experiments, &record.Experiment{ID: name + via + tiles + processes, Name: name, Method: "halo", From: "n[1-4]", To: "n[1-4]", Direction: "out",
			Settings: map[string]string{"via": via, "tiles": tiles, "processes": processes}, Halo: h, Repeats: repeats,
			Seconds: &record.Estimate{Median: s, Low: s * 0.998, High: s * 1.002, Interval: "range", Repeats: 5}})
	}
	for _, c := range []struct {
		tiles string
		tile  int
		a, b  float64
	}{{"1024", 1024, 40e-6, 100e-6}, {"2", 2, 10e-6, 50e-6}, {"64", 64, 12e-6, 48e-6}} { // in no order
		add("halo-tiles", "new", c.tiles, "32", c.tile, 32, c.a)
		add("halo-tiles", "old", c.tiles, "32", c.tile, 32, c.b)
	}
	for _, n := range []int{8, 4} {
		add("halo-scale", "new", "2", map[int]string{4: "4", 8: "8"}[n], 2, n, 5e-6*float64(n))
	}
	return r
}

func TestHaloTables(t *testing.T) {
	tables := haloTables(haloRun())
	if len(tables) != 2 {
		t.Fatalf("%d tables, want one for tiles and one for processes", len(tables))
	}
	w := tables[0]
	var rows []string
	for _, row := range append([][]string{w.Heads}, w.Rows...) {
		rows = append(rows, strings.Join(row, " | "))
	}
	want := "tiles | via new | via old | second / first\n2 | 10.0 us | 50.0 us | 5.00\n64 | 12.0 us | 48.0 us | 4.00\n1024 | 40.0 us | 100 us | 2.50"
	if got := strings.Join(rows, "\n"); got != want || w.Title != "halo-tiles, 32 processes" {
		t.Errorf("%s\n%s", w.Title, got)
	}
	said := strings.Join(w.Said, "\n")
	for _, part := range []string{"two-phase over TCP, processes sleep", "32 processes as 16 x 2 on 4 hosts: 64 of 128 neighbours are remote, 64 on the same host (memory)", "within 10.0 us", "32 processes are more than there are cores for"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not in:\n%s", part, said)
		}
	}
	h := *tables[0].cells[[2]string{"2", "via new"}].Halo
	h.Transport, h.Link, h.Soft, h.Wait = "rdma", "rocev2", true, "polling, a turn is given up after 64 looks in vain"
	if got := haloWay(&h) + ", " + waits(h.Wait); got != "RoCE v2 (the kernel does what a card would), processes poll for their halos, a turn is given up after 64 looks in vain" {
		t.Error(got)
	}
	r := haloRun()
	for _, e := range r.Experiments {
		if e.Settings["via"] == "new" {
			e.Halo.Transport, e.Halo.Link, e.Halo.Wait = "rdma", "rocev2", "polling"
		}
	}
	if said := strings.Join(haloTables(r)[0].Said, "\n"); !strings.Contains(said, "via new: two-phase over RoCE v2, processes poll for their halos\nvia old: two-phase over TCP") {
		t.Errorf("two cards over two transports:\n%s", said)
	}
	if got := strings.Join(tables[1].Rows[0], " "); tables[1].Heads[0] != "processes" || got != "4 20.0 us" || tables[1].Title != "halo-scale, 2 tiles" {
		t.Errorf("%s: %v %s", tables[1].Title, tables[1].Heads, got)
	}
	if !strings.Contains(string(w.chart()), "less is better") || tables[1].chart() != "" {
		t.Error("a chart of three values, and none of two")
	}
	var out bytes.Buffer
	if err := (Terminal{Out: &out, Width: 100}).Run(haloRun()); err != nil || !strings.Contains(out.String(), "halo-scale, 2 tiles") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Two cards are compared by the time of an exchange, with a factor and its interval.
func TestHaloCompared(t *testing.T) {
	all, err := CompareBy(haloRun(), "via")
	if err != nil || len(all) != 3 {
		t.Fatalf("%d comparisons, %v", len(all), err)
	}
	for _, c := range all {
		if c.Metric != "seconds" || c.Ratio == nil || c.Low == nil || *c.Low > *c.Ratio || c.Interval != "95%" && c.Different == nil {
			t.Errorf("%+v", c)
		}
	}
	if r := *all[1].Ratio; r < 4.9 || r > 5.1 || !*all[1].Different {
		t.Errorf("2 words: %v", r)
	}
}
