package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// Eight processes on four hosts, over two adapters: the right neighbours, a plausible time, evaluated goals, no
// verdict, and errors for impossible settings.
func TestHalo(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	dir := p.path("run")
	a := p.linerate(t, "run", copyFile(t, "testdata/halo.yaml", p.path("halo.yaml")), "--lab", "--scale", "0.01",
		"--json", "-o", dir).ends(t, cli.ExitIncomplete)
	r := a.run(t)
	if len(r.Experiments) != 3 {
		t.Fatalf("%d experiments", len(r.Experiments))
	}
	for i, x := range r.Experiments[:2] {
		if x.Failed != "" || x.NotRun != "" || x.Seconds == nil || x.Halo == nil || x.Verdict != nil || x.Ceiling != nil ||
			len(x.Ends) != 4 {
			t.Fatalf("%s: %+v", x.Settings["via"], x)
		}
		h := x.Halo
		if h.Columns != 4 || h.Rows != 2 || h.Remote != 16 || h.Local != 16 || h.Checked != 8*4*8192 || len(h.Ranks) != 8 ||
			h.Ranks[5].Host != "n2" || h.Hosts[3].Ranks != 2 {
			t.Errorf("%+v", h)
		}
		// Each host sends four messages of 32 KiB to others: over 10 Mb/s that takes at least 105 ms, over 100 Mb/s a tenth.
		// Less than half of that time did not use the link.
		if least := []float64{4 * 32768 * 8 / 100e6, 4 * 32768 * 8 / 10e6}[i]; x.Seconds.Median < least/2 {
			t.Errorf("via %s: %v s an exchange; the link needs %v", x.Settings["via"], x.Seconds.Median, least)
		}
	}
	if !strings.Contains(r.Experiments[2].NotRun, "all processes would be on n1") {
		t.Errorf("%q", r.Experiments[2].NotRun)
	}
	if g := r.Goals; len(g) != 2 || g[0].Met == nil || g[1].Met == nil || *g[1].Met ||
		strings.Contains(g[1].Want, "scale") {
		t.Errorf("%+v", g)
	}
	shown := p.linerate(t, "compare", dir, "--by", "via")
	if shown.code != cli.ExitDone || !strings.Contains(shown.out, "time of an exchange") {
		t.Errorf("%s", shown)
	}
	if text := p.linerate(t, "report", dir, "--all"); !strings.Contains(text.out, "16 of 32 neighbours are remote") {
		t.Errorf("%s", text)
	}
	p.nothingLeft(t, 10*time.Second)
}

// The same over RDMA, between two guests with soft RoCE: every word of the first exchange is the neighbour's.
func TestHaloGuests(t *testing.T) {
	testenv.Need(t, testenv.Guest)
	needNamespaces(t)
	p := newPlace(t)
	a := p.linerate(t, "run", copyFile(t, "testdata/halordma.yaml", p.path("halordma.yaml")), "--lab", "--json", "-o",
		p.path("run")).ends(t, cli.ExitDone)
	for _, x := range a.run(t).Experiments {
		h := x.Halo
		if x.Failed != "" || h == nil || x.Verdict != nil || !x.Emulated {
			t.Fatalf("%v: %+v", x.Settings, x)
		}
		if h.Transport != "rdma" || h.Link != "rocev2" || !h.Soft || h.Checked != int64(4*h.Processes*h.Tile) ||
			h.Seconds <= 0 || len(h.Ranks) != h.Processes || h.Hosts[1].Device == "" {
			t.Errorf("%v: %+v", x.Settings, h)
		}
	}
	p.nothingLeft(t, 10*time.Second)
}

// The same exchanges over TCP and over the real mpirun, in one run: equally many words checked, at least the link's
// time, and the differences noted.
func TestHaloMPI(t *testing.T) {
	t.Parallel()
	needMPI(t)
	p := newPlace(t)
	text := testenv.Must(os.ReadFile("testdata/halo.yaml"))(t)
	hosts, _, _ := strings.Cut(string(text), "experiments:")
	path := p.path("mpi.yaml")
	if err := os.WriteFile(path, []byte(hosts+"experiments:\n  both: {method: halo, on: \"n[1-3]\", via: slow, "+
		"processes: 6, tiles: 4096, exchange: one-phase, transport: [tcp, mpi], repeats: 1, time: 500ms}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	dir := p.path("run")
	a := p.linerate(t, "run", path, "--lab", "--scale", "0.2", "--json", "-o", dir)
	r := a.run(t)
	if a.code != cli.ExitDone || len(r.Experiments) != 2 {
		t.Fatalf("%s", a)
	}
	for i, x := range r.Experiments {
		h := x.Halo
		if x.Failed != "" || h == nil || h.Columns != 3 || h.Remote != 12 || h.Local != 12 || h.Self != 0 ||
			h.Checked != 6*4*4096 || len(h.Ranks) != 6 || h.Ranks[4].Host != "n2" {
			t.Fatalf("%+v", x)
		}
		// Each host sends four messages of 16 KiB to others, over 200 Mb/s.
		if least := 4 * 16384 * 8 / 200e6; x.Seconds.Median < least/2 {
			t.Errorf("%s: %v s an exchange; the link needs %v", h.Transport, x.Seconds.Median, least)
		}
		if want := []string{"tcp", "mpi"}[i]; h.Transport != want || (h.Library != "") != (want == "mpi") ||
			h.Exchange != "one-phase" {
			t.Errorf("%+v", h)
		}
		if len(x.Repeats[0].CPU) == 0 || x.Repeats[0].Histogram == "" {
			t.Errorf("%s: %d rows of CPUs", h.Transport, len(x.Repeats[0].CPU))
		}
	}
	if text := p.linerate(t, "report", dir, "--all"); !strings.Contains(text.out, "over MPI (Open MPI v") ||
		!strings.Contains(text.out, "second / first") {
		t.Errorf("%s", text)
	}
	p.nothingLeft(t, 10*time.Second)
}
