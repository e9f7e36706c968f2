package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
)

func TestJSON(t *testing.T) {
	for name := range reporttest.Fixtures() {
		var b bytes.Buffer
		if err := JSON(&b, reporttest.Fixture(t, name)); err != nil {
			t.Fatal(err)
		}
		reporttest.Safe(t, b.String())
		back := new(record.Run)
		if err := json.Unmarshal(b.Bytes(), back); err != nil || back.Fabric != reporttest.Fixture(t, name).Fabric ||
			back.Hosts != nil && back.Hosts[0].Name != reporttest.Fixture(t, name).Hosts[0].Name {
			t.Errorf("%s does not come back as it was: %v", name, err)
		}
		var v struct {
			Schema      string
			Experiments []struct {
				Goodput *struct {
					Median   float64
					Interval string
				}
				Verdict *struct{ Limiter string }
			}
			Goals []struct{ Met *bool }
		}
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v.Schema != RunSchema || len(v.Experiments) == 0 {
			t.Errorf("%s: schema %q, %d experiments", name, v.Schema, len(v.Experiments))
		}
	}
	var b bytes.Buffer
	nan := &record.Run{Experiments: []*record.Experiment{{Goodput: &record.Estimate{Median: math.NaN()}}}}
	if err := JSON(&b, nan); err == nil || b.Len() > 0 {
		t.Errorf("NaN: error %v, %d bytes written", err, b.Len())
	}
}

// A repeat of a command has its figure, and no goodput of zero.
func TestAppEvents(t *testing.T) {
	var out bytes.Buffer
	e := &Events{Out: &out}
	x := reporttest.AppFixture().Experiments[0]
	e.Repeat(x, 1)
	e.Done(x, 1, 3, 0)
	if e.Err != nil || strings.Contains(out.String(), "goodput") ||
		strings.Count(out.String(), `"metric":"figure"`) != 2 ||
		!strings.Contains(out.String(), `"value":1.4`) || !strings.Contains(out.String(), `"value":1.5`) {
		t.Errorf("%v\n%s", e.Err, out.String())
	}
}

// Each line has its consequence. What is not known and a busy machine are mentioned.
func TestInstrumentSaysWhatFollows(t *testing.T) {
	text := func(i *record.Instrument) (s string) {
		for _, v := range InstrumentViews(i) {
			s += v.Name + ": " + v.Value + ": " + v.Meaning + "\n"
		}
		return s
	}
	loop := 20e9
	quiet := &record.Instrument{ClockResolution: 40e-9, ClockCost: 50e-9, SleepAsked: 1e-3,
		JitterShare: 0.001, JitterLongest: 60e-6, Loopback: &loop}
	got := text(quiet)
	reporttest.Has(t, got, "less than 100 ns", "--pace", "highest latency", "one core an end", "20.0 Gb/s", "--streams 4")
	if strings.Contains(got, "something else runs") {
		t.Errorf("a quiet machine is called busy:\n%s", got)
	}
	if !strings.Contains(got, "release: not known: not known how far apart pairs of RDMA begin here") {
		t.Errorf("%s", got)
	}
	quiet.Releases = []record.Release{
		{Threads: 2, Cores: 2, Rounds: 20, Median: 300e-9},
		{Threads: 8, Cores: 2, Rounds: 20, Median: 51e-6, Yield: 64},
	}
	if got = text(quiet); !strings.Contains(got, "release: 2 threads within 300 ns, 8 threads within 51.0 us: ") ||
		!strings.Contains(got, "above 50.0 us threads waited for a core, and some of them shared one") {
		t.Errorf("%s", got)
	}
	quiet.Releases = nil
	quiet.JitterShare, quiet.Loopback = 0.02, nil
	quiet.Unknown = []record.Unknown{
		{Subject: "loopback", Reason: "no address"},
		{Subject: record.UnknownRelease, Reason: "no program"},
	}
	got = text(quiet)
	reporttest.Has(t, got, "something else runs here", "not known how much one stream can carry here: no address",
		"pairs of RDMA begin here: no program")
}
