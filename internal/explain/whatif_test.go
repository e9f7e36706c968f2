package explain

import (
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/explain/whatif"
	"linerate/internal/record"
)

// asked returns the what-if of a recorded run with a change. edit, if not nil, changes the run before it is explained.
func asked(t *testing.T, name string, change record.Change, edit func(*record.Run)) *record.WhatIf {
	t.Helper()
	run := load(t, name).run
	if edit != nil {
		edit(run)
	}
	plans, read := []*plan.Plan{planOf(t, run)}, load(t, name).read
	Variants(plans, run, read)
	return whatif.Answer(plans, run, read, change, "")
}

func one(t *testing.T, w *record.WhatIf) record.WhatIfOne {
	t.Helper()
	if len(w.Experiments) != 1 {
		t.Fatalf("%d experiments are answered: %+v", len(w.Experiments), w)
	}
	return w.Experiments[0]
}

func ceilingOf(x record.WhatIfOne, kind string) *record.NextCeiling {
	for i := range x.Ceilings {
		if x.Ceilings[i].Kind == kind {
			return &x.Ceilings[i]
		}
	}
	return nil
}

// ordered checks what holds for every answer: ceilings lowest first, and no prediction above a ceiling.
func ordered(t *testing.T, x record.WhatIfOne) {
	t.Helper()
	low := func(c record.NextCeiling) float64 {
		if c.Low == nil {
			return 0
		}
		return *c.Low
	}
	if !slices.IsSortedFunc(x.Ceilings, func(a, b record.NextCeiling) int {
		return int(math.Copysign(1, low(a)-low(b)))
	}) {
		t.Errorf("%s: not in order", x.Sentence)
	}
	for _, c := range x.Ceilings {
		if p := x.Predicted; p != nil && c.High != nil && (*p.High > *c.High || p.Low != nil && *p.Low > *c.High) {
			t.Errorf("%s: above %s, %g", x.Sentence, c.Component, *c.High)
		}
		if c.Formula == "" || c.Origin == "" || len(c.Inputs) == 0 && c.Kind != "shaper" {
			t.Errorf("%s: %+v", x.Sentence, c)
		}
	}
}

// A run at two MTUs, with the CPU as the limit at both. The prediction for the other MTU contains what was measured
// there, whether it comes from both measured costs or from one alone.
func TestWhatIfAgainstMeasured(t *testing.T) {
	var width [2]float64
	for i, alone := range []bool{false, true} {
		measured := map[string]float64{}
		w := asked(t, "two-mtus", record.Change{MTU: 9000}, func(r *record.Run) {
			for _, e := range r.Experiments {
				if e.Settings["mtu"] == "9000" {
					measured[e.Settings["streams"]] = e.Goodput.Median
				}
			}
			if alone {
				r.Experiments = slices.DeleteFunc(r.Experiments, func(e *record.Experiment) bool {
					return e.Settings["mtu"] == "9000"
				})
			}
		})
		if len(w.Experiments) != 2 || len(measured) != 2 {
			t.Fatalf("%+v, measured %v", w, measured)
		}
		for _, x := range w.Experiments {
			ordered(t, x)
			cpu, got := ceilingOf(x, "cpu"), measured[x.Settings["streams"]]
			if cpu == nil || cpu.Low == nil || x.Predicted == nil {
				t.Fatalf("%+v", x)
			}
			if got < *x.Predicted.Low || got > *x.Predicted.High {
				t.Errorf("%g was measured: %s", got, x.Sentence)
			}
			if (x.Measured != nil) == alone || x.Measured != nil && x.Measured.Goodput.Median != got {
				t.Errorf("measured: %+v", x.Measured)
			}
			fitted := strings.Contains(cpu.Formula, "per packet / payload")
			if fitted == alone || alone && cpu.Origin != "assumed" {
				t.Errorf("%s: %s", cpu.Origin, cpu.Formula)
			}
			if x.Settings["streams"] == "1" {
				width[i] = *x.Predicted.High / *x.Predicted.Low
			}
		}
	}
	if width[0] >= width[1] {
		t.Errorf("the costs that were measured tell no more (%.2f) than none (%.2f)", width[0], width[1])
	}
}

// The effect of each change on each bottleneck, in recorded runs of one experiment.
func TestWhatIfRecorded(t *testing.T) {
	yes, no := true, false
	near := func(a, b float64) bool { return math.Abs(a-b) <= 0.01*b }
	for _, c := range []struct {
		name   string
		change record.Change
		stays  *bool
		low    float64 // predicted, bits per second; 0: not checked
		high   float64
		says   []string
	}{
		{"healthy", record.Change{MTU: 9000}, &no, 0, 200e6 * 8948 / 9038,
			[]string{"in place of 188 Mb/s", "link host1.card.1--host2.card.1 is then the lowest ceiling"}},
		{"healthy", record.Change{Rate: 50e9}, &no, 0, 1e9 * 1448 / 1538, []string{"in place of 188 Mb/s"}},
		{"healthy", record.Change{Slots: []record.SlotChange{{Bus: "pcie1x1"}}}, &yes, 0, 0, nil},
		{"healthy", record.Change{Interval: 4 << 20, RTT: 0.5}, &yes, 8 * (4 << 20) / 0.5, 8 * (4 << 20) / 0.5,
			[]string{"would carry about 67.1 Mb/s in place of 188 Mb/s", "window of the connections is then the lowest"}},
		{"app-limited", record.Change{MTU: 9000}, &yes, 50e6, 50e6, []string{"would stay at about 50.0 Mb/s",
			"host1: the sending program) is not touched by it", "Behind it, link"}},
		{"app-limited", record.Change{Streams: 2}, &no, 100e6, 100e6, []string{"would reach about 100 Mb/s in place of " +
			"50.0 Mb/s"}},
		{"paced", record.Change{Streams: 1}, &no, 40e6, 40e6, []string{"With 1 stream", "would carry about 40.0 Mb/s"}},
		{"local-shaper", record.Change{Rate: 40e9}, &yes, 76.5e6, 76.5e6, []string{"would stay at about 76.5 Mb/s"}},
		{"receive-window-cap", record.Change{MTU: 9000}, &yes, 2.557e9, 0,
			[]string{"would hardly carry more than its 2.56 Gb/s", "Behind it, link"}},
		{"receive-window-cap", record.Change{RTT: 0.001}, &no, 8 * 3328 / 0.001, 2.557e9 * 37e-6 / 0.001,
			[]string{"a round trip of 1.00 ms", "would carry"}},
		{"receive-window-cap", record.Change{Streams: 4}, &no, 2.557e9, 4 * 8 * 3328 / 2e-6, []string{"With 4 streams"}},
		{"send-buffer-cap", record.Change{Streams: 2}, &no, 25.05e9, 0, nil},
		{"window-scaling-off", record.Change{Interval: 32 << 10}, &no, 49.24e9 / 2, 0, []string{"would"}},
		{"offloads-off", record.Change{MTU: 9000}, &no, 9.816e9 / 0.97, 0,
			[]string{"CPU of host1 and host2", "only a measurement with it shows"}},
		{"firewall-cost", record.Change{MTU: 9000}, nil, 11.2e9, 0, []string{"in place of 11.2 Gb/s"}},
	} {
		x := one(t, asked(t, c.name, c.change, nil))
		ordered(t, x)
		if x.Predicted == nil || x.Predicted.High == nil || x.Predicted.Low == nil {
			t.Errorf("%s, %s: nothing is predicted: %s", c.name, c.change, x.Sentence)
			continue
		}
		if c.name != "firewall-cost" && (x.Stays == nil || *x.Stays != *c.stays) {
			t.Errorf("%s, %s: stays %v, want %v", c.name, c.change, x.Stays, *c.stays)
		}
		if c.low > 0 && !near(*x.Predicted.Low, c.low) {
			t.Errorf("%s, %s: at least %g, want %g", c.name, c.change, *x.Predicted.Low, c.low)
		}
		if c.high > 0 && !near(*x.Predicted.High, c.high) {
			t.Errorf("%s, %s: at most %g, want %g", c.name, c.change, *x.Predicted.High, c.high)
		}
		for _, s := range c.says {
			if !strings.Contains(x.Sentence, s) {
				t.Errorf("%s, %s: %q does not say %q", c.name, c.change, x.Sentence, s)
			}
		}
	}
	for _, name := range []string{"wrong-nic", "duplicate-subnet"} {
		if x := one(t, asked(t, name, record.Change{MTU: 9000}, nil)); x.Predicted != nil ||
			!strings.Contains(x.Sentence, "nothing follows") || len(x.Ceilings) == 0 {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// The answer names what the run does not have, and guesses nothing.
func TestWhatIfUnknown(t *testing.T) {
	bare := func(r *record.Run) {
		e := r.Experiments[0]
		for i := range e.Repeats {
			e.Repeats[i].CPU = nil
			for j := range e.Repeats[i].Streams {
				e.Repeats[i].Streams[j].Socket, e.Repeats[i].Streams[j].Receiver = nil, nil
			}
		}
	}
	x := one(t, asked(t, "healthy", record.Change{Rate: 40e9}, bare))
	said := strings.Join(x.Unknown, "\n")
	for _, want := range []string{"its cores were not read", "the sockets did not say",
		"slot of host1.card, slot of host2.card"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	if !strings.Contains(x.Sentence, "the CPUs would allow is not known") ||
		*x.Predicted.Low > x.Goodput.Median*1.001 {
		t.Errorf("%s: %+v", x.Sentence, x.Predicted)
	}
	for name, edit := range map[string]func(e *record.Experiment){
		"it was not run":             func(e *record.Experiment) { e.NotRun = "no" },
		"it failed":                  func(e *record.Experiment) { e.Failed = "no" },
		"it measured no throughput":  func(e *record.Experiment) { e.Method, e.Goodput = "latency", nil },
		"its path is not in the pla": func(e *record.Experiment) { e.Ends[0].Port = "host9.card.1" },
		"it carried nothing":         func(e *record.Experiment) { e.Repeats = nil },
	} {
		w := asked(t, "healthy", record.Change{MTU: 9000}, func(r *record.Run) { edit(r.Experiments[0]) })
		if len(w.Experiments) != 0 || len(w.NotAsked) != 1 || !strings.HasPrefix(w.NotAsked[0].Reason, name) ||
			w.NotAsked[0].Count != 1 {
			t.Errorf("%s: %+v", name, w)
		}
	}
	// No prediction follows from an impossible reading.
	if x := one(t, asked(t, "healthy", record.Change{MTU: 9000}, func(r *record.Run) {
		r.Experiments[0].Goodput.Median *= 3
	})); x.Predicted != nil {
		t.Errorf("%+v", x)
	}
	// Without snapshots, the ends are those of the plan.
	run := load(t, "healthy").run
	plans, none := []*plan.Plan{planOf(t, run)}, func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	Variants(plans, run, none)
	ordered(t, one(t, whatif.Answer(plans, run, none, record.Change{MTU: 9000}, "")))
}

// A sent file comes from a drive. The answer for a slot includes the problems of the plan.
func TestWhatIfDriveAndSlot(t *testing.T) {
	from := func(r *record.Run) {
		e := r.Experiments[0]
		delete(e.Settings, "pace")
		e.Settings["source"], e.InEffect["source_from"] = "/tank/file", "drive: all of it"
	}
	x := one(t, asked(t, "app-limited", record.Change{Drive: unit.BitRate(4e9)}, from)) // in a lab of 1/50
	ordered(t, x)
	if c := ceilingOf(x, "drive"); c == nil || *c.High != 80e6 || *x.Predicted.High != 80e6 {
		t.Errorf("%+v", x)
	}
	if w := asked(t, "app-limited", record.Change{Drive: 4e9}, nil); len(w.Experiments) != 0 ||
		!strings.Contains(w.NotAsked[0].Reason, "reads no drive") {
		t.Errorf("%+v", w)
	}
	w := asked(t, "two-mtus", record.Change{Slots: []record.SlotChange{{Bus: "pcie3x8"},
		{NIC: "nas.cx3", Bus: "pcie2x2"}}}, nil)
	if len(w.Experiments) != 4 || len(w.Problems) == 0 || w.Problems[0].ID != "pcie-slot" ||
		w.Problems[0].Subject != "nas.cx3" {
		t.Fatalf("%+v", w)
	}
	for _, x := range w.Experiments {
		ordered(t, x)
		if c := ceilingOf(x, "pcie"); c.Component != "slot of nas.cx3" || *c.High > 8e9 || *x.Predicted.High != *c.High {
			t.Errorf("%+v", x)
		}
	}
}

// Outside a lab, the rates that the machines report count, and nothing is scaled.
func TestWhatIfOutsideTheLab(t *testing.T) {
	real := func(r *record.Run) { r.Lab = nil }
	for _, c := range []struct {
		change record.Change
		high   float64
	}{
		{record.Change{Rate: 25e9}, 25e9 * 1448 / 1538},
		{record.Change{Rate: 25e9, MTU: 9000}, 25e9 * 8948 / 9038},
		{record.Change{Rate: 25e9, RTT: 0.02, Interval: 1 << 20}, 8 * (1 << 20) / 0.02},
	} {
		x := one(t, asked(t, "healthy", c.change, real))
		ordered(t, x)
		hop := ceilingOf(x, "cable")
		if c.change.Interval > 0 {
			hop = ceilingOf(x, "window")
		}
		if hop == nil || math.Abs(*hop.High-c.high) > c.high*1e-3 {
			t.Errorf("%s: %+v, want %g", c.change, hop, c.high)
		}
	}
}

// Both directions at once are named and bounded together. A round trip does not matter to a sender that never waits.
func TestWhatIfDirectionsAndUDP(t *testing.T) {
	x := one(t, asked(t, "healthy", record.Change{MTU: 9000}, func(r *record.Run) {
		e := r.Experiments[0]
		e.Direction, e.Settings["direction"] = "both", "both"
	}))
	ordered(t, x)
	if hop := ceilingOf(x, "cable"); hop == nil || *hop.High < 1.9*200e6*8948/9038 ||
		!strings.Contains(x.Sentence, "host1 <-> host2") {
		t.Errorf("%s: %+v", x.Sentence, hop)
	}
	udp := func(r *record.Run) { r.Experiments[0].Settings["transport"] = "udp" }
	if w := asked(t, "healthy", record.Change{RTT: 0.01}, udp); len(w.Experiments) != 0 ||
		!strings.Contains(w.NotAsked[0].Reason, "over UDP") {
		t.Errorf("%+v", w)
	}
	x = one(t, asked(t, "healthy", record.Change{MTU: 9000}, udp))
	ordered(t, x)
	if hop := ceilingOf(x, "cable"); hop == nil || math.Abs(*hop.High-200e6*8972/9038) > 1e5 ||
		ceilingOf(x, "window") != nil {
		t.Errorf("%s: %+v", x.Sentence, hop)
	}
}

// Many hosts at once: the ceiling of all their links together, with the change.
func TestWhatIfGroup(t *testing.T) {
	pairs := func(r *record.Run) {
		e := r.Experiments[0]
		other := []record.End{{Host: "host1", Port: "host1.card.2", Interface: "cardp2"},
			{Host: "host3", Port: "host3.card.1", Interface: "cardp1"}}
		e.Pattern, e.To = "pairs", "host[2-3]"
		e.Flows = []record.Flow{{From: "host1", To: "host2", Ends: e.Ends, Links: e.Links, Streams: 1},
			{From: "host1", To: "host3", Ends: other, Streams: 1}}
	}
	x := one(t, asked(t, "healthy", record.Change{MTU: 9000}, pairs))
	ordered(t, x)
	if c := ceilingOf(x, "cable"); c == nil || math.Abs(*c.High-2*200e6*8948/9038) > 1e5 ||
		c.Component != "the sum of 2 links" || *x.Predicted.High != *c.High ||
		!strings.Contains(x.Sentence, "pairs host1 -> host[2-3]") {
		t.Errorf("%s: %+v", x.Sentence, c)
	}
	x = one(t, asked(t, "healthy", record.Change{Slots: []record.SlotChange{{Bus: "pcie1x1"}}}, pairs))
	if c := ceilingOf(x, "pcie"); c != nil && c.Today {
		t.Errorf("a slot that was not there holds it back: %+v", c)
	}
	w := asked(t, "healthy", record.Change{MTU: 9000}, func(r *record.Run) {
		pairs(r)
		r.Experiments[0].Flows[1].Ends = nil
	})
	if len(w.Experiments) != 0 || !strings.Contains(w.NotAsked[0].Reason, "not in the plan") {
		t.Errorf("%+v", w)
	}
}

// More streams get no more CPU time than there is. What the run measured with as many streams precedes the computed
// value.
func TestWhatIfMoreStreams(t *testing.T) {
	full := func(r *record.Run) {
		rep := &r.Experiments[0].Repeats[0]
		rep.OtherProcesses = 0
		for i := range rep.CPU {
			if u := &rep.CPU[i]; u.Core < 0 {
				u.System = 1.9
			}
		}
	}
	x := one(t, asked(t, "cpu-copy", record.Change{Streams: 8}, full))
	ordered(t, x)
	if x.Predicted == nil || x.Predicted.High == nil || *x.Predicted.High > 1.02*x.Goodput.Median ||
		!strings.Contains(x.Sentence, "would carry about") {
		t.Errorf("no core had time left: %s %+v", x.Sentence, x.Predicted)
	}
	idle := func(r *record.Run) {
		full(r)
		for i := range r.Experiments[0].Repeats[0].CPU {
			if u := &r.Experiments[0].Repeats[0].CPU[i]; u.Core == 1 {
				u.System, u.SoftIRQ, u.Own = 0, 0, nil
			}
		}
	}
	if x := one(t, asked(t, "cpu-copy", record.Change{Streams: 8}, idle)); x.Predicted == nil ||
		*x.Predicted.High < 1.2*x.Goodput.Median {
		t.Errorf("one of two cores was idle: %s", x.Sentence)
	}
	measured := func(share float64) func(r *record.Run) {
		return func(r *record.Run) {
			full(r)
			other := *r.Experiments[0]
			other.ID, other.Settings = "other", map[string]string{}
			for k, v := range r.Experiments[0].Settings {
				other.Settings[k] = v
			}
			other.Settings["streams"] = "8"
			g := *other.Goodput
			g.Median *= share
			other.Goodput = &g
			r.Experiments = append(r.Experiments, &other)
		}
	}
	for share, want := range map[float64]string{0.7: "reckoned from this experiment alone it would be",
		1: "that was measured in the same run."} {
		w := asked(t, "cpu-copy", record.Change{Streams: 8}, measured(share))
		if len(w.Experiments) != 1 || !strings.Contains(w.Experiments[0].Sentence, "measured in the same run") ||
			!strings.Contains(w.Experiments[0].Sentence, want) {
			t.Errorf("%g of it was measured: %+v", share, w.Experiments)
		}
	}
}

// In a lab, the formula of a slot matches the scaled figure.
func TestWhatIfSlotInALab(t *testing.T) {
	x := one(t, asked(t, "healthy", record.Change{Slots: []record.SlotChange{{Bus: "pcie1x1"}}}, nil))
	c := ceilingOf(x, "pcie")
	if c == nil || !strings.HasSuffix(c.Formula, " * scale") || !slices.ContainsFunc(c.Inputs,
		func(i record.Input) bool { return i.Name == "scale of the lab" && i.Value == 0.02 }) {
		t.Fatalf("%+v", c)
	}
	if *c.High > 0.02*2.5e9 {
		t.Errorf("a lane of 2.5 GT/s carries %g at a scale of 0.02", *c.High)
	}
}

// A full link at two MTUs. The prediction from the smaller for the larger MTU was measured in the same run.
func TestWhatIfOfAFullLink(t *testing.T) {
	w := asked(t, "what-if-two-mtus", record.Change{MTU: 9000}, nil)
	x := one(t, w)
	ordered(t, x)
	if len(w.NotAsked) != 1 || !strings.Contains(w.NotAsked[0].Reason, "MTU 9000 already") || x.Limiter != "link" ||
		x.Measured == nil || x.Predicted == nil || x.Predicted.Low == nil || x.Predicted.High == nil {
		t.Fatalf("%+v", w)
	}
	got := x.Measured.Goodput.Median
	if low, high := *x.Predicted.Low, *x.Predicted.High; got < low*0.97 || got > high*1.01 ||
		high < x.Goodput.Median*1.02 {
		t.Errorf("predicted %g to %g in place of %g, and measured %g", low, high, x.Goodput.Median, got)
	}
}

// An MTU that is the same at both ends removes what a smaller one at one end holds back.
func TestWhatIfTheSameMTUEverywhere(t *testing.T) {
	const limiter = "mtu-one-sided"
	for _, name := range []string{"exam/mtu-receiver", "exam/mtu-sender", "made/mtu-one-sided"} {
		x := one(t, asked(t, name, record.Change{MTU: 9000}, nil))
		if x.Limiter != limiter || x.Stays == nil || *x.Stays || ceilingOf(x, limiter) != nil {
			t.Errorf("%s: limiter %s, stays %v, %s", name, x.Limiter, x.Stays, x.Sentence)
		}
		if strings.Contains(x.Sentence, "goes on doing so") {
			t.Errorf("%s: %s", name, x.Sentence)
		}
	}
}
