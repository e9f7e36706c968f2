package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
)

// Experiments with the same loads are side by side, as in a table of a drive, a virtual function and a remote host. One
// that shares a single load is not.
func TestStorageSides(t *testing.T) {
	r := reporttest.StorageFixture()
	if got := tables.StorageSides(r); len(got) != 0 {
		t.Fatalf("one experiment has no other side: %+v", got)
	}
	far := reporttest.StorageFixture().Experiments
	for _, e := range far {
		e.Name, e.From = "remote", "pc"
		e.Bytes.Median /= 4
	}
	far[3].Settings["load"] = "RND4K-Q32T16"
	lone := reporttest.StorageFixture().Experiments[0]
	lone.Name = "lone"
	r.Experiments = append(r.Experiments, far...)
	r.Experiments = append(r.Experiments, lone)
	b := reporttest.Written(t, func(w io.Writer) error { return PrintRun((terminal.Terminal{Width: 140, Out: w}), r) })
	text := strings.Join(strings.Fields(b), " ")
	reporttest.Has(t, text, "side by side, MB/s load read cdm remote SEQ1M-Q8T1 100% 524 131 SEQ1M-Q8T1 0% 419 "+
		"105 RND4K-Q1T1 100% 41.0 10.2 RND4K-Q1T1 0% 81.9 not measured RND4K-Q32T16 0% not measured 20.5",
		"cdm: nas -> nas.tank", "remote: pc -> nas.tank")
}

func TestNoisy(t *testing.T) {
	e := reporttest.Measured("", "1", 0, 1, 1, 1, 1)
	r := &record.Run{Complete: true, Experiments: []*record.Experiment{e}}
	e.Repeats[0].Noisy, e.Repeats[0].OtherProcesses = true, 0.7
	if s := result.Noisy(r); s != "" {
		t.Errorf("one of three repeats does not make a noisy machine: %s", s)
	}
	e.Repeats[1].Noisy, e.Repeats[1].OtherProcesses = true, 1.4
	if s := strings.Join(Incomplete(r), "\n"); !strings.Contains(s, "2 of 3 repeats, other work up to 1.4 cores") {
		t.Errorf("%q", s)
	}
	e.Repeats[0].OtherProcesses, e.Repeats[1].OtherProcesses = 0, 0 // a hypervisor's time is not called other work
	if s := result.Noisy(r); !strings.Contains(s, "a hypervisor took") || strings.Contains(s, "cores") {
		t.Errorf("%q", s)
	}
}

// The text of a run has the tables of its halo exchanges.
func TestHaloShown(t *testing.T) {
	var out bytes.Buffer
	if err := PrintRun((terminal.Terminal{Out: &out, Width: 100}), reporttest.HaloRun()); err != nil ||
		!strings.Contains(out.String(), "halo-scale, 2 tiles") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
