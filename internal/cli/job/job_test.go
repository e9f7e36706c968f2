package job

import (
	"strings"
	"testing"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// The writes of a run are listed before it: few places each, many as a total; places of a measurement by hand are
// paths.
func TestWritesBefore(t *testing.T) {
	w := func(place string, bytes unit.Bytes, long time.Duration) experiment.Written {
		return experiment.Written{Place: place, Host: "h", Path: "/" + place, Bytes: bytes, For: long}
	}
	for _, c := range []struct {
		fabric string
		all    []experiment.Written
		want   string
	}{
		{"f.yaml", nil, ""},
		{
			"f.yaml",
			[]experiment.Written{w("nas.pool", 24*unit.GiB, 0), w("pc.disk", 0, 90*time.Second),
				w("nas.pool", unit.GiB, time.Second)},
			"writes at most 25 GiB and for 1s as much as it takes to nas.pool, for 1m30s as much as it takes to pc.disk",
		},
		{"", []experiment.Written{w("storage", unit.GiB, 0)}, "writes at most 1 GiB to h:/storage"},
		{"", []experiment.Written{{Place: "storage", Host: "here", Bytes: 768e6}}, "writes at most 768 MB to here"},
		{"f.yaml", []experiment.Written{w("a", 1e9, 0), w("b", 1e9, 0), w("c", 1e9, 0), w("d", 1e9, 0), w("e", 1e9, 0)},
			"writes at most 5.00 GB in all to 5 places: a, b, c, d and so on"},
	} {
		j := &Job{Run: &record.Run{FabricPath: c.fabric}}
		if got := j.writes(c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A test of throughput in which nothing arrived is not a success.
func TestNothingArrived(t *testing.T) {
	x := func(goodput, back float64, direction string) *record.Run {
		return &record.Run{Experiments: []*record.Experiment{{Name: "tcp", Method: "throughput", From: "a", To: "b",
			Direction: direction, Repeats: []record.Repeat{{}}, Goodput: &record.Estimate{Median: goodput},
			Forward: &record.Estimate{Median: goodput}, Backward: &record.Estimate{Median: back}}}}
	}
	for _, c := range []struct {
		r    *record.Run
		want int
	}{{x(0, 0, "out"), cli.ExitIncomplete}, {x(1e9, 0, "both"), cli.ExitIncomplete}, {x(1e9, 0, "out"), cli.ExitDone},
		{x(1e9, 1e9, "both"), cli.ExitDone}} {
		err := outcome(&plan.Plan{}, c.r)
		if cli.ExitCode(err) != c.want || c.want != cli.ExitDone && !strings.Contains(err.Error(), "nothing arrived") {
			t.Errorf("%+v: exit code %d: %v", c.r.Experiments[0], cli.ExitCode(err), err)
		}
	}
}

// The exit code of an incomplete run comes with what is unknown and why, without the goals that a lab cannot know:
// these change no exit code.
func TestIncomplete(t *testing.T) {
	yes := true
	none := &record.Run{Goals: []record.Goal{{Name: "topline", NotHere: true, Why: "in a lab"}, {Name: "met", Met: &yes}}}
	if err := incomplete(none); err != nil {
		t.Error(err)
	}
	if err := outcome(&plan.Plan{}, none); err != nil {
		t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
	}
	const other = "it compares with variant ten, which is not in this run"
	r := &record.Run{
		Goals: []record.Goal{
			{Name: "topline", NotHere: true, Why: "in a lab"},
			{Name: "faster", Why: other},
			{Name: "faster-too", Why: other},
		},
		Experiments: []*record.Experiment{
			{Name: "luns", From: "a", To: "b", Settings: map[string]string{"size": "4KiB"}},
			{Name: "luns", From: "a", To: "b", Settings: map[string]string{"size": "8KiB"}, Failed: "the server is gone"},
			{Name: "luns", From: "a", To: "b", Settings: map[string]string{"size": "16KiB"}, NotRun: "no room"},
		},
	}
	err := outcome(&plan.Plan{}, r)
	if cli.ExitCode(err) != cli.ExitIncomplete {
		t.Fatalf("exit code %d", cli.ExitCode(err))
	}
	for _, want := range []string{"2 of 3 tests were not measured, the first of them luns",
		"size 8KiB: the server is gone", "goals faster, faster-too not known: " + other} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	if strings.Contains(err.Error(), "topline") {
		t.Errorf("a goal that changes no exit code: %q", err)
	}
}

// A finished measurement has its share of the ceiling only where both are known, and of one direction.
func TestReached(t *testing.T) {
	x := &record.Experiment{Direction: "out"}
	if got := reached(x); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	x.Goodput, x.Ceiling = &record.Estimate{Median: 10e9}, &record.Chain{Component: "link a--b", Limit: 10e9}
	if got := reached(x); got != "100 %" {
		t.Errorf("%q", got)
	}
	x.Goodput.Median = 4e9
	x.Ceiling.Limit, x.Ceiling.Component = 4e9, "tbf on eth0 of a"
	x.Ceiling.Hops = []record.Hop{{Kind: "cable", Component: "link a--b", Rate: unit.Known[unit.BitRate](10e9)},
		{Kind: "shaper", Component: "tbf on eth0 of a", Rate: unit.Known[unit.BitRate](4e9)}}
	if got := reached(x); got != "40 %" {
		t.Errorf("a shaper: %q of the link", got)
	}
	x.Direction = "both" // both ways together, and the ceiling is that of one
	if got := reached(x); got != "" {
		t.Errorf("both ways: %q", got)
	}
}

func TestNamed(t *testing.T) {
	for want, x := range map[string]*record.Experiment{
		"a -> b  1 stream": {Method: method.Throughput, Settings: map[string]string{"streams": "1"}},
		"a -> b  8 streams, 64 KiB": {Method: method.Throughput,
			Settings: map[string]string{"streams": "8", "size": "64KiB"}},
		"a -> b  " + method.Latency:  {Method: method.Latency},
		"a -> b  latency under load": {Method: method.Latency, Settings: map[string]string{"load_streams": "4"}},
	} {
		x.From, x.To, x.Direction = "a", "b", "out"
		if got := named(x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
