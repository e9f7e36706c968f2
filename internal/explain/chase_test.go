package explain_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"linerate/internal/record"
)

// chased is a recorded run with a chase: explain/testdata/chase-policer is of a lab whose switch dropped what came above 84 Mb/s (nftables), read by nobody.
func chased(t *testing.T) *recorded {
	t.Helper()
	r := loadAny(t, "chase-policer")
	if len(r.exp.Chase) != 2 || r.exp.Chase[0].Settings["pace"] == "" || r.exp.Chase[1].Settings["streams"] != "8" {
		t.Fatalf("not the record: %+v", r.exp.Chase)
	}
	return r
}

// step makes a step of a chase out of the experiment itself, with a change and what that made of its goodput.
func (r *recorded) step(t *testing.T, change map[string]string, factor float64, more ...func(x *record.Experiment)) *recorded {
	t.Helper()
	b, err := json.Marshal(r.exp)
	if err != nil {
		t.Fatal(err)
	}
	x := &record.Experiment{}
	if err := json.Unmarshal(b, x); err != nil {
		t.Fatal(err)
	}
	x.Chase, x.Verdict = nil, nil
	for k, v := range change {
		switch {
		case k == "direction":
			x.Direction = v
		case v == "":
			delete(x.Settings, k)
		default:
			x.Settings[k] = v
		}
	}
	x.Chased = &record.Chased{For: r.exp.ID, Step: len(r.exp.Chase) + 1, Next: record.Next{Change: change, Why: "to know"}}
	x.ID = record.ExperimentID(x)
	x.Goodput.Median *= factor
	for i := range x.Repeats {
		p := &x.Repeats[i]
		p.Goodput, p.Forward, p.Backward = p.Goodput*factor, p.Forward*factor, p.Backward*factor
		if x.Direction == "in" {
			p.Forward, p.Backward = p.Backward, p.Forward
			for j := range p.Streams {
				p.Streams[j].Direction = "in"
			}
		}
	}
	for name, text := range r.captures {
		if strings.Contains(name, r.exp.ID) {
			r.captures[strings.ReplaceAll(name, r.exp.ID, x.ID)] = text
		}
	}
	for _, f := range more {
		f(x)
	}
	r.exp.Chase = append(r.exp.Chase, x)
	return r
}

// lost sets what the sockets of an experiment sent again.
func lost(x *record.Experiment, share float64) {
	for i := range x.Repeats {
		for j := range x.Repeats[i].Streams {
			s := x.Repeats[i].Streams[j].Socket
			s.Retrans, s.DSACKDups = set(int64(share*float64(*s.SegsOut))), set[int64](0)
		}
	}
}

// A verdict with the experiments that were made for it: what they say with one other piece of evidence is the cause, and not without.
func TestChaseVerdicts(t *testing.T) {
	streams := func(n string) map[string]string { return map[string]string{"streams": n} }
	slow := func(t *testing.T) *recorded { // half of a link, nothing lost, nothing waited for, time left
		return load(t, "healthy").goodput(0.4).cores(func(u *record.CPU) { u.User, u.System, u.SoftIRQ, u.IRQ, u.Idle = 0.1, 0.1, 0.05, 0, 0.75 })
	}
	full := func(c *record.Experiment) {
		for i := range c.Repeats[0].CPU {
			if u := &c.Repeats[0].CPU[i]; u.Core < 0 {
				u.Threads = []record.Thread{{Kind: "own", Host: "host1", Name: "send 0", Count: 1, System: 0.97}}
			}
		}
	}
	free := func(c *record.Experiment) {
		for i := range c.Repeats[0].CPU {
			c.Repeats[0].CPU[i].Threads = nil
		}
	}
	for _, c := range []struct {
		name, limiter, says string
		next                string // the setting that is asked for; empty: none
		run                 func(t *testing.T) *recorded
	}{
		{"a policer, as recorded", "policer", "something there drops what comes too fast", "", chased},
		{"the same without its steps", "unexplained", "none of the known causes", "pace", func(t *testing.T) *recorded {
			r := chased(t)
			r.exp.Chase = nil
			return r
		}},
		{"a policer of which the streams are not asked yet", "policer", "drops what comes too fast", "streams", func(t *testing.T) *recorded {
			r := chased(t)
			r.exp.Chase = r.exp.Chase[:1]
			return r
		}},
		{"losses that stay", "random-loss", "at any rate", "", func(t *testing.T) *recorded {
			r := chased(t)
			lost(r.exp.Chase[0], 0.05)
			return r
		}},
		{"losses that half stay", "unexplained", "", "pace", func(t *testing.T) *recorded {
			r := chased(t)
			lost(r.exp.Chase[0], 0.019)
			return r
		}},
		{"two paces that contradict each other", "unexplained", "", "direction", func(t *testing.T) *recorded {
			r := chased(t)
			return r.step(t, map[string]string{"pace": "40M"}, 0.75, func(x *record.Experiment) { lost(x, 0.05) })
		}},
		{"a pace that did not arrive", "unexplained", "", "direction", func(t *testing.T) *recorded {
			r := chased(t)
			x := r.exp.Chase[0]
			x.Goodput.Median /= 3
			for i := range x.Repeats {
				x.Repeats[i].Goodput, x.Repeats[i].Forward = x.Repeats[i].Goodput/3, x.Repeats[i].Forward/3
			}
			return r
		}},
		{"too few losses to tell", "unexplained", "", "direction", func(t *testing.T) *recorded {
			r := chased(t)
			lost(r.exp, 0.0002)
			return r
		}},
		{"the receiver's counters are not known", "unexplained", "", "direction", func(t *testing.T) *recorded { return chased(t).without("/host2.") }},
		{"a counter of the receiver has them", "unexplained", "", "direction", func(t *testing.T) *recorded {
			return chased(t).edit(t, "host2.after", `("rx":\{[^}]*"dropped":)\d+`, func(m []string) string { return m[1] + "100000" })
		}},
		{"a mark that is not what was changed", "unexplained", "", "pace", func(t *testing.T) *recorded {
			r := chased(t)
			r.exp.Chase = r.exp.Chase[:1]
			r.exp.Chase[0].Chased.Change = map[string]string{"pace": "1M"}
			return r
		}},
		{"a step that failed", "unexplained", "", "streams", func(t *testing.T) *recorded {
			r := chased(t)
			r.exp.Chase = r.exp.Chase[:1]
			r.exp.Chase[0].Failed = "the link went down"
			return r
		}},
		{"a full link is not asked about", "link", "", "", func(t *testing.T) *recorded { return load(t, "healthy") }},
		{"a full link with steps", "link", "", "", func(t *testing.T) *recorded { return load(t, "healthy").step(t, streams("8"), 1) }},

		{"one connection, whose window is full", "one-connection", "what one connection can do", "", func(t *testing.T) *recorded {
			r := slow(t)
			return r.sockets(func(s, _ *record.Socket) {
				s.RTT, s.MSS, s.Cwnd, s.Retrans = set(0.02), set[int64](1448), set(int64(r.exp.Goodput.Median*0.02/8/1448)), set[int64](0)
			}).step(t, streams("8"), 2.4)
		}},
		{"one connection, whose thread is full, is that", "cpu-copy", "", "", func(t *testing.T) *recorded {
			r := slow(t)
			full(r.exp)
			return r.step(t, streams("8"), 2.4, free)
		}},
		{"many carry more, and nothing is full", "unexplained", "each connection has its own limit", "direction", func(t *testing.T) *recorded {
			return slow(t).step(t, streams("8"), 2.4)
		}},
		{"many carry as much, and nothing says why", "unexplained", "shared by all", "direction", func(t *testing.T) *recorded {
			return slow(t).step(t, streams("8"), 1.02)
		}},
		{"two streams are too few to tell", "unexplained", "none of the known causes", "streams", func(t *testing.T) *recorded {
			return slow(t).step(t, streams("2"), 1.9)
		}},
		{"the other direction is full", "unexplained", "what host1 does to send, what host2 does to receive", "", func(t *testing.T) *recorded {
			return slow(t).step(t, map[string]string{"direction": "in"}, 2.49).step(t, streams("8"), 1.3)
		}},
		{"other cores, where one was full", "core", "on cores 1/1", "", func(t *testing.T) *recorded {
			r := slow(t).step(t, map[string]string{"placement": "1/1"}, 2)
			r.exp.Repeats[0].CPU[0].System = 0.75
			return r
		}},
		{"other cores, where none was", "unexplained", "", "streams", func(t *testing.T) *recorded {
			return slow(t).step(t, map[string]string{"placement": "1/1"}, 2)
		}},

		{"a window of which one end is not known, and more streams carry more", "receive-window-cap", "it lets too little be on its way", "", func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").without("/host2.").step(t, streams("8"), 4)
		}},
		{"the same, and more streams carry the same", "unexplained", "", "placement", func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").without("/host2.").step(t, streams("8"), 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.run(t)
			for _, x := range append([]*record.Experiment{r.exp}, r.exp.Chase...) {
				for i := range x.Repeats {
					for j := range x.Repeats[i].Streams {
						if s := x.Repeats[i].Streams[j].Socket; s != nil && s.AppLimited != nil && c.limiter != "link" {
							s.AppLimited = set(false)
						}
					}
				}
			}
			v := r.verdict(t)
			if v.Limiter != c.limiter || !strings.Contains(v.Sentence, c.says) {
				t.Fatalf("%s (%s), want %s, %q: %s\ncandidates %+v\nevidence %+v", v.Limiter, v.Confidence, c.limiter, c.says, v.Sentence, v.Candidates, v.Evidence)
			}
			if c.limiter != "unexplained" && c.limiter != "link" && (v.Confidence != "likely" && v.Confidence != "proved" || len(v.Evidence) < 2 || v.Fix == "" && c.limiter != "receive-window-cap") {
				t.Errorf("%+v", v)
			}
			if c.limiter == "unexplained" && v.Confidence != "" {
				t.Errorf("confidence %q", v.Confidence)
			}
			switch {
			case c.next == "" && c.limiter != "unexplained" && v.Next != nil:
				t.Errorf("asks for %v", v.Next)
			case c.next != "" && (v.Next == nil || !maps.Equal(v.Next.Change, map[string]string{c.next: v.Next.Change[c.next]}) || v.Next.Why == "" || v.NextExperiment == ""):
				t.Errorf("asks for %+v, want %s (%s)", v.Next, c.next, v.NextExperiment)
			}
			// Nothing asked twice.
			for _, x := range r.exp.Chase {
				if v.Next != nil && maps.Equal(x.Chased.Change, v.Next.Change) && x.Chased.Change["pace"] != "1M" {
					t.Errorf("asks again for %v", v.Next.Change)
				}
				if x.Verdict != nil && x.Verdict.Next != nil {
					t.Errorf("a step asks for %v", x.Verdict.Next)
				}
			}
		})
	}
}

// In a run that chases, what the file has anyway is held against it; in another run it is not.
func TestChaseOfTheFile(t *testing.T) {
	for _, chases := range []bool{true, false} {
		r := load(t, "receive-window-cap").without("/host2.").step(t, map[string]string{"streams": "8"}, 4)
		x := r.exp.Chase[0]
		x.Chased, r.exp.Chase = nil, nil
		r.run.Experiments = append(r.run.Experiments, x)
		want := "unexplained"
		if chases {
			r.run.Chase = &record.Chase{}
			want = "receive-window-cap"
		}
		if v := r.verdict(t); v.Limiter != want || v.Next != nil && v.Next.Change["streams"] != "" && chases {
			t.Errorf("chases %v: %s, asks for %v: %s", chases, v.Limiter, v.Next, v.Sentence)
		}
	}
}

// A goal and the run's sentence are about what the file asked for.
func TestChaseIsNotOfTheFile(t *testing.T) {
	r := chased(t)
	r.verdict(t)
	if s := r.run.Sentence; strings.Contains(s, "of 3 measurements") || !strings.Contains(s, "host1 -> host2") {
		t.Error(s)
	}
}
