package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// All errors of a command line come together.
func TestMeasureBlockErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string][]string{
		"measure storage": {"missing --to"},
		"measure storage --to x --repeats 0 --read 120%": {"--repeats 0", "--read: 120% is out of range"},
		"measure storage --to x --load 1M":               {`--load: "1M" is not a load`},
		"measure storage --to x --load SEQ1M-Q8T1 --size 4K --depth 3": {"load SEQ1M-Q8T1 says size itself",
			"help: leave size out",
			"load SEQ1M-Q8T1 says depth itself"},
		"measure storage --to x --profile cdm --threads 4": {"profile: cdm says blocks, depth and threads itself"},
		"measure storage --to x --profile fast":            {"profile: fast is none of cdm, cdm-nvme"},
		"measure storage --to x --size 1000":               {"size: a block of 1000 bytes is not a multiple of 512"},
		"measure storage --to x --destroy /dev/sdz":        {"help: write DEVICE=SERIAL"},
		"measure storage --to x --to-address 10.0.0.1": {"--to-address: it is in the network to the host of " +
			"--storage"},
		"measure storage --to x --streams 4": {"has no flag --streams"},
		"measure storage nas --to x":         {"unexpected argument nas"},
	} {
		a := call(t, nil, strings.Fields(args)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("%s: want exit code 2 and nothing on standard output: %s", args, a)
		}
		testenv.Contains(t, args, a.err, want...)
	}
}

// Rows of a folder of this machine: results, and no remaining files. Files of others are not written.
func TestMeasureBlock(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if runtime.GOOS != "linux" {
		t.Skip("it counts with Linux's counters")
	}
	t.Parallel()
	p := newPlace(t)
	testenv.Check(t, os.Mkdir(p.path("d"), 0o755))
	a := p.linerate(t, "measure", "storage", "--to", "d", "--span", "8MiB", "--load", "SEQ128K-Q4T1,RND4K-Q8T2", "--read",
		"100%,50%", "--time", "1s", "--warmup", "50ms", "--repeats", "1", "--json")
	r := a.run(t)
	if a.code != cli.ExitDone || len(r.Experiments) != 4 {
		t.Fatalf("%s", a)
	}
	known := 0
	for _, x := range r.Experiments {
		b := x.Block
		if b == nil || x.IOPS == nil || x.Bytes == nil || x.IOPS.Median <= 0 || x.Latency == nil || b.Read == nil ||
			(b.Write != nil) != (x.Settings["read"] == "50%") || x.Verdict == nil || x.Verdict.Sentence == "" {
			t.Fatalf("%s %v: %+v", x.Name, x.Settings, b)
		}
		size := map[string]float64{"SEQ128K-Q4T1": 128 << 10, "RND4K-Q8T2": 4096}[x.Settings["load"]]
		if got := x.Bytes.Median / x.IOPS.Median; got != size {
			t.Errorf("%v: %v bytes a request", x.Settings, got)
		}
		if w := b.Workers[0]; w.Kind != "folder" || !w.Created || w.Span != 8<<20 || w.ErrorCount != 0 {
			t.Errorf("%+v", w)
		}
		// A busy machine may be too late to read the counters at the edges of an interval.
		h := b.Hosts[0]
		if h.Cores == nil {
			continue
		}
		known++
		if h.Own == nil || *h.Own > *h.Cores*1.2+1 || b.PerPercentAsking == nil {
			t.Errorf("%+v", h)
		}
	}
	if known == 0 {
		t.Errorf("no experiment knows the CPU time: %+v", r.Experiments[0].Block.Hosts[0])
	}
	if left, _ := os.ReadDir(p.path("d")); len(left) != 0 {
		t.Errorf("%v is still there", left)
	}
	testenv.WriteFile(t, p.path("film"), make([]byte, 1<<20), 0o600)
	a = p.linerate(t, "measure", "storage", "--to", "film", "--read", "0%", "--time", "100ms", "--repeats", "1", "--json")
	if r := a.run(t); a.code != cli.ExitRefused || !r.Experiments[0].Refused ||
		!strings.Contains(r.Experiments[0].NotRun, "was not made by linerate") {
		t.Errorf("%s", a)
	}
}
