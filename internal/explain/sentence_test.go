package explain

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// The sentence does not call a measurement without a known ceiling below it.
func TestSentenceOfUnknownCeilings(t *testing.T) {
	e := func(limiter string) *record.Experiment {
		return &record.Experiment{Repeats: []record.Repeat{{}}, Verdict: &record.Verdict{Limiter: limiter,
			Sentence: "a -> b carries less."}}
	}
	for _, c := range []struct {
		limiters []string
		want     string
	}{
		{[]string{record.LimiterUnknown}, "a -> b carries less."},
		{[]string{record.LimiterUnknown, record.LimiterUnknown}, "a -> b carries less. None of the 2 tests has a " +
			"known ceiling."},
		{[]string{"link", record.LimiterUnknown, record.LimiterUnknown}, "a -> b carries less. What could be carried is " +
			"not known of 2 tests."},
		{[]string{record.LimiterUnexplained, record.LimiterUnknown}, "a -> b carries less. What could be carried is not " +
			"known of 1 test."},
		{[]string{record.LimiterUnexplained, "app-limited", "link"}, "a -> b carries less. 2 of 3 tests stay below " +
			"their link."},
		{[]string{record.LimiterUnexplained, "app-limited", record.LimiterUnknown}, "a -> b carries less. 2 of 3 " +
			"tests stay below their link. What could be carried is not known of 1 test."},
		{[]string{"above-ceiling", "above-ceiling"}, "a -> b carries less. 2 of 2 tests read more than their link " +
			"carries."},
		{[]string{"above-ceiling", record.LimiterUnexplained, "link"}, "a -> b carries less."},
	} {
		r := &record.Run{Complete: true}
		for _, l := range c.limiters {
			r.Experiments = append(r.Experiments, e(l))
		}
		if got := Sentence(r); got != c.want {
			t.Errorf("%s: %q, want %q", strings.Join(c.limiters, ", "), got, c.want)
		}
	}
}

// A leftover shaper is its path's ceiling, and the worst problem of the run: the plan's ceiling counts.
func TestSentenceOfALeftoverShaper(t *testing.T) {
	hop := func(kind string, rate unit.BitRate) record.Hop {
		return record.Hop{Component: kind, Kind: kind, Rate: unit.Known(rate)}
	}
	slow := &record.Experiment{From: "desk", To: "nas", Direction: "out", Repeats: []record.Repeat{{}},
		Goodput: &record.Estimate{Median: 495e6}, Ceiling: &record.Chain{Limit: 496e6, Component: "shaper",
			Hops: []record.Hop{hop("cable", 1.98e9), hop("shaper", 496e6)}},
		Verdict: &record.Verdict{Limiter: "local-shaper", Sentence: "desk -> nas is held back by desk.", Confidence: "proved",
			ShareOfCeiling: new(0.998)}}
	noisy := &record.Experiment{From: "desk", To: "nas", Direction: "in", Repeats: []record.Repeat{{}},
		Goodput: &record.Estimate{Median: 1.91e9}, Ceiling: &record.Chain{Limit: 1.98e9, Component: "cable",
			Hops: []record.Hop{hop("cable", 1.98e9)}},
		Verdict: &record.Verdict{Limiter: record.LimiterUnexplained, Sentence: "nas -> desk carries 96.6 %.",
			ShareOfCeiling: new(0.966)}}
	r := &record.Run{Complete: true, Experiments: []*record.Experiment{noisy, slow}}
	if got := Sentence(r); !strings.HasPrefix(got, "desk -> nas is held back by desk.") {
		t.Errorf("%q", got)
	}
}

// The sentence names failed measurements before full links.
func TestSentenceOfFailuresAndFullLinks(t *testing.T) {
	full := &record.Experiment{Repeats: []record.Repeat{{}}, Verdict: &record.Verdict{Limiter: "link", Sentence: "Full."}}
	failed := &record.Experiment{Failed: "the other end closed the connection"}
	want := "2 tests failed: the other end closed the connection. What was measured fills its link."
	if got := Sentence(&record.Run{Complete: true, Experiments: []*record.Experiment{full, failed, failed}}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where nothing could be measured, what was found on a host leads, with its fix. What only makes a path slower is not
// taken for the reason.
func TestSentenceOfNothingMeasured(t *testing.T) {
	failed := &record.Experiment{Failed: "no way there"}
	down := record.Finding{ID: "link-down", Severity: record.Error, Subject: record.PartsOf("nas", "xg0"),
		Have: "switched off", Want: "a carrier", Fix: "ip link set dev xg0 up"}
	slow := record.Finding{ID: "offloads-off", Severity: record.Error, Subject: record.PartsOf("nas", "xg0"), Have: "off",
		Want: "on", Fix: "ethtool -K xg0 tso on"}
	for _, c := range []struct {
		found []record.Finding
		want  string
	}{
		{[]record.Finding{slow, down}, "Nothing could be measured: nas: xg0: switched off (wanted: a carrier). Fix: on " +
			"nas: ip link set dev xg0 up. 2 tests failed."},
		{[]record.Finding{slow}, "Nothing could be measured: no way there."},
	} {
		r := &record.Run{Complete: true, Findings: c.found, Experiments: []*record.Experiment{failed, failed}}
		if got := Sentence(r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Local storage has no link to be compared with.
func TestSentenceWithoutLinks(t *testing.T) {
	e := &record.Experiment{Block: &record.Block{}, Repeats: []record.Repeat{{}},
		Verdict: &record.Verdict{Limiter: record.LimiterUnexplained, Sentence: "local (x) gave 1 MB/s."}}
	if got := Sentence(&record.Run{Complete: true, Experiments: []*record.Experiment{e, e,
		e}}); got != "local (x) gave 1 MB/s." {
		t.Errorf("%q", got)
	}
	over := *e
	over.Ceiling = &record.Chain{Limit: 1e9}
	if got := Sentence(&record.Run{Complete: true, Experiments: []*record.Experiment{&over, &over, e}}); !strings.Contains(
		got, "2 of 3 tests stay below their link") {
		t.Errorf("%q", got)
	}
}

// For a lab on a busy machine, full links come first, and then what other processes slowed down.
func TestSentenceOfADisturbedLab(t *testing.T) {
	e := func(limiter, streams string, noisy bool) *record.Experiment {
		return &record.Experiment{From: "a", To: "b", Direction: "out", Settings: map[string]string{"streams": streams},
			Repeats: []record.Repeat{{Noisy: noisy}, {}}, Verdict: &record.Verdict{Limiter: limiter,
				Sentence: "a -> b carries less."}}
	}
	full, one, quiet := e("link", "8", false), e(record.LimiterUnexplained, "1", true),
		e(record.LimiterUnexplained, "1", false)
	slow := e("cpu-per-request", "", true)
	slow.Copy = &record.Copy{}
	want := "Every path fills its link with 8 streams. Of 3 tests 1 carries less, while other work on this machine took " +
		"CPU time from it: it says little of the network. 1 test of storage and copies used files of this machine: " +
		"nothing follows for your drives."
	two := "Every path fills its link with 8 streams. Of 3 tests 2 carry less, while other work on this machine took " +
		"CPU time from them: they say little of the network."
	for _, c := range []struct {
		name string
		lab  *record.Lab
		all  []*record.Experiment
		want string
	}{
		{"disturbed", &record.Lab{}, []*record.Experiment{full, one, slow}, want},
		{"two disturbed", &record.Lab{}, []*record.Experiment{full, one, one}, two},
		{"one was not disturbed", &record.Lab{}, []*record.Experiment{full, quiet, slow}, ""},
		{"no path is full", &record.Lab{}, []*record.Experiment{one, slow, one}, ""},
		{"real hosts", nil, []*record.Experiment{full, one, slow}, ""},
	} {
		got := Sentence(&record.Run{Complete: true, Lab: c.lab, Experiments: c.all})
		if c.want != "" && got != c.want || c.want == "" && !strings.HasPrefix(got, "a -> b carries less.") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// In a lab a file in memory is not a finding about a drive; on real hosts it is.
func TestSentenceOfALabsMemory(t *testing.T) {
	full := &record.Experiment{Repeats: []record.Repeat{{}}, Verdict: &record.Verdict{Limiter: "link",
		Sentence: "a -> b fills its link."}}
	cached := &record.Experiment{Repeats: []record.Repeat{{}}, Verdict: &record.Verdict{Limiter: "page-cache-write",
		Sentence: "a -> b.disk is not a figure of the drive."}}
	for _, c := range []struct {
		lab  *record.Lab
		want string
	}{
		{nil, "a -> b.disk is not a figure of the drive."},
		{&record.Lab{}, "Every path fills its link in every direction measured. The memory of this machine, where a lab's " +
			"drives are files, answered 1 test of storage: the way to them was measured, and no drive."},
	} {
		if got := Sentence(&record.Run{Complete: true, Lab: c.lab, Experiments: []*record.Experiment{full,
			cached}}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// In a lab a copy is between folders of one machine: what holds it leads no answer where the network was measured. On
// real hosts it does.
func TestSentenceOfALabsCopy(t *testing.T) {
	test := func(limiter, sentence string) *record.Experiment {
		return &record.Experiment{Repeats: []record.Repeat{{}},
			Verdict: &record.Verdict{Limiter: limiter, Sentence: sentence}}
	}
	full := test(record.LimiterLink, "a -> b fills its link.")
	unexplained := test(record.LimiterUnexplained, "a -> b.disk gave 138 MB/s, and why is not explained.")
	cpu := test("cpu-per-request", "a -> b.disk is held by a core of a.")
	shaped := test("shaper", "a -> b.disk is held by a shaper.")
	for _, e := range []*record.Experiment{unexplained, cpu, shaped} {
		e.Copy = &record.Copy{}
	}
	lab := &record.Lab{}
	for _, c := range []struct {
		lab  *record.Lab
		all  []*record.Experiment
		want string
	}{
		{nil, []*record.Experiment{full, unexplained}, unexplained.Verdict.Sentence},
		{lab, []*record.Experiment{full, unexplained}, "Every path fills its link in every direction measured. 1 test of " +
			"storage and copies used files of this machine: nothing follows for your drives."},
		{lab, []*record.Experiment{full, unexplained, cpu, shaped}, "Every path fills its link in every direction " +
			"measured. 3 tests of storage and copies used files of this machine: nothing follows for your drives."},
		{lab, []*record.Experiment{unexplained}, "Nothing was measured."}, // it has no figure here
		{lab, []*record.Experiment{shaped, unexplained}, shaped.Verdict.Sentence + " 1 test of storage and copies used " +
			"files of this machine: nothing follows for your drives."},
	} {
		if got := Sentence(&record.Run{Complete: true, Lab: c.lab, Experiments: c.all}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The command that repeats a measurement has the link's rate from the command line.
func TestNextHasTheRate(t *testing.T) {
	e := &record.Experiment{From: "from", To: "to", Direction: "out", Ends: []record.End{{}, {Address: "10.9.0.2"}},
		Settings: map[string]string{"streams": "1"}}
	hosts := []record.HostState{{Name: "from", Connection: "netns a"}, {Name: "to", Connection: "netns b"}}
	for _, c := range []struct{ arguments, want string }{
		{"linerate measure throughput --link 40G", " --link 40G"}, {"linerate measure throughput --link=40G", " --link 40G"},
		{"linerate measure throughput", ""},
	} {
		r := &record.Run{Arguments: strings.Fields(c.arguments), Hosts: hosts}
		got := next(r, e, &record.Next{Change: map[string]string{"pace": "8G"}})
		if want := "linerate measure throughput --from 'netns a' --to 'netns b' --to-address 10.9.0.2 --streams 1 " +
			"--direction " +
			"out" + c.want + " --pace 8G"; got != want {
			t.Errorf("%s: %s, want %s", c.arguments, got, want)
		}
	}
}
