package summary

import (
	"linerate/internal/report/reporttest"
	"strings"
	"testing"
)

func compareText(c Compared) string {
	var out []string
	for _, x := range c.Comparisons {
		ratio := "none"
		if x.Ratio != nil {
			ratio = coreCounts.print(x.Ratio)
		}
		out = append(out, x.Experiment+" "+x.Metric+" "+ratio)
	}
	return strings.Join(append(append(out, c.Facts...), c.Notes...), "\n")
}

// A summary that was pasted is compared with a run: facts first, rows by what they are, ratios without an interval.
func TestCompare(t *testing.T) {
	r := fullRun()
	for _, e := range r.Experiments {
		if e.Goodput != nil {
			e.Goodput.Median *= 2
		}
	}
	r.Hosts[0].Kernel = "15.0"
	r.Plan.Links[0].Rate = 100e9
	r.Experiments = r.Experiments[1:] // one direction of one stream is not measured
	pasted, problems := Parse(eachLine(Of(pairRun())[0].Text(), "> ", ""))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := compareText(Compare(Side{"forum.txt", pasted}, Side{"run kxzp", Of(r)[0]}))
	reporttest.Has(t, got, "system of A: freebsd 14.3-RELEASE -> freebsd 15.0",
		"link: 40.0 Gb/s dac 2 m, MTU 9000 -> 100 Gb/s dac 2 m, MTU 9000", "TCP 8 streams A -> B goodput 2.00",
		"Ping, idle latency.p50 1.00", "SEQ1M Q8T1 read bytes_per_second 1.00", "RND4K Q1T1 write latency.mean 1.00",
		"only forum.txt has TCP 1 stream A -> B", "only run kxzp has RDMA write A -> B", "and 3 more",
		"run kxzp: RDMA: size 64KiB", "have no interval")
	if strings.Contains(got, "TCP 1 stream A -> B goodput") || strings.Contains(got, "CPU of") {
		t.Errorf("%s", got)
	}
}

// A summary that was posted of a run is the same as the run's.
func TestCompareWithItself(t *testing.T) {
	r := fullRun()
	for i, e := range r.Experiments {
		if e.Goodput != nil {
			e.Goodput.Median *= 1 + float64(i)*1e-4 // more digits than a summary prints
		}
	}
	pasted, _ := Parse(Of(r)[0].Text())
	got := Compare(Side{"a", pasted}, Side{"b", Of(r)[0]})
	for _, c := range got.Comparisons {
		if c.Ratio == nil || *c.Ratio != 1 {
			t.Errorf("%+v", c)
		}
	}
	if len(got.Facts) > 0 || strings.Count(compareText(got), "both: ") != 3 {
		t.Errorf("%s", compareText(got))
	}
}

// Two summaries of the same hosts the other way round are turned. Figures of emulated machines have no ratio to others.
func TestCompareTurned(t *testing.T) {
	a, b := Of(pairRun())[0], Of(pairRun())[0].turned()
	if b.Ends[0].Host != "pc" || *b.Row("tcp-1-ab").Goodput != 18.92e9 || *b.Row("tcp-1-ab").CoresB != .88 ||
		b.Storage[0].AskedBy != "A" {
		t.Fatalf("turned:\n%s", b.Text())
	}
	got := Compare(Side{"a", a}, Side{"b", b})
	for _, c := range got.Comparisons {
		if c.Ratio == nil || *c.Ratio != 1 {
			t.Errorf("%+v", c)
		}
	}
	if len(got.Facts) > 0 || !strings.Contains(compareText(got), "the other way round") {
		t.Errorf("%s", compareText(got))
	}
	b.Lab = emulatedLab
	for _, c := range Compare(Side{"a", a}, Side{"b", b}).Comparisons {
		if c.Ratio != nil || c.Emulated != "other" || c.Why == "" {
			t.Errorf("%+v", c)
		}
	}
}

// Storage of one name over several protocols, or asked by both ends, is compared with its like: a summary never differs
// from itself.
func TestCompareStorageOfOneName(t *testing.T) {
	speed := func(v float64) []Row {
		return []Row{{Key: StorageKey("read", "SEQ1M-Q8T1"), Measured: true, BytesPerSecond: &v}}
	}
	of := func(s ...Storage) *Summary {
		c := Of(pairRun())[0]
		c.Storage = s
		return c
	}
	smb, nfs := Storage{Name: "nas.tank", Over: "smb", AskedBy: "A",
		Rows: speed(1000e6)}, Storage{Name: "nas.tank", Over: "nfs", AskedBy: "A", Rows: speed(500e6)}
	mine := Storage{Name: "nas.tank", Over: "smb", AskedBy: "B", Rows: speed(700e6)}
	got := Compare(Side{"a", of(smb, nfs, mine)}, Side{"b", of(nfs, mine, smb)})
	if text := compareText(got); len(got.Facts) > 0 || strings.Count(text,
		"SEQ1M Q8T1 read of nas.tank over smb asked by A bytes_per_second 1.00") != 1 ||
		strings.Count(text, " bytes_per_second 1.00") != 3 {
		t.Errorf("%q\n%s", got.Facts, text)
	}
	got = Compare(Side{"a", of(smb)}, Side{"b", of(smb, nfs)})
	if text := compareText(got); !strings.Contains(text, "only b has SEQ1M Q8T1 read of nas.tank over nfs") {
		t.Errorf("%s", text)
	}
	got = Compare(Side{"a", of(smb)}, Side{"b", of(nfs)})
	if text := compareText(got); !strings.Contains(text, "storage over: smb -> nfs") ||
		!strings.Contains(text, "bytes_per_second 0.50") {
		t.Errorf("%s", text)
	}
}

// Rates of labs at two scales, and of a lab and of no lab, have no ratio.
func TestCompareLabs(t *testing.T) {
	at := func(lab string) *Summary {
		c := Of(pairRun())[0]
		c.Lab = lab
		return c
	}
	for _, k := range []struct {
		a, b, why      string
		rates, latency bool
	}{
		{"on one machine, rates at 1/10", "on one machine, rates at 1/10", "", true, true},
		{"on one machine, rates at 1/10", "on one machine, rates at 0.3", "of two scales", false, true},
		{"on one machine, rates at 1/10", "on one machine", "of two scales", false, true},
		{"on one machine", "", "the other is not", false, false},
	} {
		for _, c := range Compare(Side{"a", at(k.a)}, Side{"b", at(k.b)}).Comparisons {
			if want := k.rates || k.latency && strings.HasPrefix(c.Metric, "latency."); (c.Ratio != nil) != want ||
				!want && !strings.Contains(c.Why, k.why) {
				t.Errorf("%q and %q: %s %s: ratio %v, %q", k.a, k.b, c.Experiment, c.Metric, c.Ratio, c.Why)
			}
		}
	}
}

// The notes of a turned summary are turned, too, as far as they name its rows.
func TestTurnedNotes(t *testing.T) {
	c := Of(pairRun())[0]
	c.Notes = []string{"TCP 1 stream B -> A: not measured: pc -> nas: A -> B"}
	if got := c.turned().Notes; len(got) != 1 || got[0] != "TCP 1 stream A -> B: not measured: pc -> nas: A -> B" {
		t.Errorf("%q", got)
	}
}
