package report

import (
	"linerate/internal/record"
	"strings"
	"testing"
)

// Each line says what follows from it; what is not known and a busy machine are said.
func TestInstrumentSaysWhatFollows(t *testing.T) {
	text := func(i *record.Instrument) (s string) {
		for _, v := range instrumentViews(i) {
			s += v.Name + ": " + v.Value + ": " + v.Meaning + "\n"
		}
		return s
	}
	loop := 20e9
	quiet := &record.Instrument{ClockResolution: 40e-9, ClockCost: 50e-9, SleepAsked: 1e-3, JitterShare: 0.001, JitterLongest: 60e-6, Loopback: &loop}
	got := text(quiet)
	for _, want := range []string{"less than 100 ns", "--pace", "highest latency", "one core an end", "20.0 Gb/s", "--streams 4"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "something else runs") {
		t.Errorf("a quiet machine is called busy:\n%s", got)
	}
	if !strings.Contains(got, "release: not known: not known how far apart pairs of RDMA begin here") {
		t.Errorf("%s", got)
	}
	quiet.Releases = []record.Release{{Threads: 2, Cores: 2, Rounds: 20, Median: 300e-9}, {Threads: 8, Cores: 2, Rounds: 20, Median: 51e-6, Yield: 64}}
	if got = text(quiet); !strings.Contains(got, "release: 2 threads within 300 ns, 8 threads within 51.0 us: ") || !strings.Contains(got, "above 50.0 us threads waited for a core, and some of them shared one") {
		t.Errorf("%s", got)
	}
	quiet.Releases = nil
	quiet.JitterShare, quiet.Loopback = 0.02, nil
	quiet.Unknown = []record.Unknown{{Subject: "loopback", Reason: "no address"}, {Subject: record.UnknownRelease, Reason: "no program"}}
	got = text(quiet)
	for _, want := range []string{"something else runs here", "not known how much one stream can carry here: no address", "pairs of RDMA begin here: no program"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
