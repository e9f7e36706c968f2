package explain_test

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

// What labs with losses, queues and other MTUs on the way left behind names its cause, with the counters that show it.
func TestLossesAndQueues(t *testing.T) {
	for _, c := range []struct {
		name, limiter, confidence string
		counters                  []string
		component                 string
	}{
		{"policer", "policer", "proved", []string{"limit", "retrans", "counter packets"}, "host2: firewall"},
		{"shallow-buffer", "shallow-buffer", "proved", []string{"retrans", "rtt", "qdisc.drops", "tbf rate"}, "sw: sw.2"},
		{"deep-buffer", "deep-buffer", "likely", []string{"rtt", "goodput in slices", "tbf rate"}, "sw: sw.2"},
		{"deep-link", "deep-buffer", "likely", []string{"rtt", "rx_bytes", "retrans"}, "the way from host1 to host2"},
		{"random-loss", "random-loss", "likely", []string{"retrans", "rtt", "loss bound"}, "the way from host1 to host2"},
		{"bit-errors", "bit-errors", "proved", []string{"Tcp.InCsumErrors", "retrans"}, "the link to host2"},
		{"reordering", "reordering", "proved", []string{"TCPDSACKRecvSegs", "TCPOFOQueue"}, "the way from host1 to host2"},
		{"ce-marks", "ce-marks", "likely", []string{"InCEPkts", "TCPDeliveredCE"}, "the way from host1 to host2"},
		{"mtu-one-sided", "mtu-one-sided", "proved", []string{"mtu", "mss"}, "host1: MTU of fast"},
		{"mtu-black-hole", "mtu-black-hole", "likely", []string{"TCPTimeouts", "TCPOFOQueue"}, "the way from host1 to host2"},
		{"small-segments", "small-segments", "proved", []string{"mss", "advmss"}, "host2: the segment size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := load(t, c.name).verdict(t)
			if v.Limiter != c.limiter || v.Confidence != c.confidence || !strings.Contains(v.Component, c.component) {
				t.Fatalf("%s (%s) of %s, want %s (%s) of %s: %s", v.Limiter, v.Confidence, v.Component, c.limiter, c.confidence, c.component, v.Sentence)
			}
			var counters []string
			for _, e := range v.Evidence {
				counters = append(counters, e.Counter)
				if e.Host == "" || e.Source == "" || e.Text == "" || e.After == nil {
					t.Errorf("evidence without a place or a value: %+v", e)
				}
			}
			for _, want := range c.counters {
				if !slices.Contains(counters, want) {
					t.Errorf("evidence of %v, want %s", counters, want)
				}
			}
			if v.Fix == "" || v.NextCeiling == "" || c.confidence == "proved" && v.Identity == nil && c.limiter != "policer" {
				t.Errorf("fix %q, next ceiling %q, identity %v", v.Fix, v.NextCeiling, v.Identity)
			}
		})
	}
}

// counter changes a counter of /proc/net/netstat or /proc/net/snmp in the captures of a host after the experiment.
func (r *recorded) counter(t *testing.T, host, name, value string) *recorded {
	t.Helper()
	found := false
	for file, text := range r.captures {
		if !strings.HasPrefix(file, "captures/"+host+".after") {
			continue
		}
		lines := strings.Split(text, "\n")
		for i := range lines[:len(lines)-1] {
			head := strings.Fields(lines[i])
			n := slices.Index(head, name)
			if values := strings.Fields(lines[i+1]); n > 0 && len(values) == len(head) && values[0] == head[0] && !strings.HasPrefix(head[0], "IpExt") == (name != "InCEPkts") &&
				(name != "InCsumErrors" || head[0] == "Tcp:") {
				values[n], found = value, true
				lines[i+1] = strings.Join(values, " ")
			}
		}
		r.captures[file] = strings.Join(lines, "\n")
	}
	if !found {
		t.Fatalf("%s has no %s", host, name)
	}
	return r
}

// series sets the slices of the window.
func (r *recorded) series(bits ...float64) *recorded {
	r.exp.Repeats[0].SeriesOut = bits
	return r
}

// What looks like losses, queues or another MTU that hold a path back, and is none, or cannot be told.
func TestNearLosses(t *testing.T) {
	even := []float64{5e7, 5e7, 5e7, 5e7, 5e7, 5e7, 5e7, 5e7, 5e7, 5e7}
	uneven := []float64{5e7, 4e7, 6e7, 3e7, 8e7, 2e7, 9e7, 1e7, 7e7, 0}
	for _, c := range []struct {
		name, limiter string
		candidates    []string // that must be among them
		run           func(t *testing.T) *recorded
	}{
		{"losses in bursts that nothing counts and no rule explains", "unexplained", []string{"policer", "random-loss"}, func(t *testing.T) *recorded { return load(t, "policed-on-the-way") }},
		{"a rule above what the link carries", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "policer").replace(t, "host2", "limit rate over ", "limit rate over 9")
		}},
		{"a rule that only counts", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "policer").replace(t, "host2", " drop\n", "\n") }},
		{"a full link with losses", "link", nil, func(t *testing.T) *recorded { return load(t, "random-loss").goodput(0.98) }},
		{"a nearly full link with losses", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "random-loss").goodput(0.96) }},
		{"single losses and an even rate", "unexplained", []string{"random-loss", "shallow-buffer"}, func(t *testing.T) *recorded { return load(t, "random-loss").series(even...) }},
		{"single losses of a sender that waits for the window", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "random-loss").sockets(func(s, _ *record.Socket) { s.RwndLimited = set(0.2) })
		}},
		{"single losses and a goodput far below what they leave", "unexplained", []string{"random-loss"}, func(t *testing.T) *recorded { return load(t, "random-loss").goodput(0.02) }},
		{"losses behind a queue", "unexplained", []string{"random-loss"}, func(t *testing.T) *recorded {
			return load(t, "random-loss").sockets(func(s, _ *record.Socket) { s.RTT = set(*s.MinRTT + 0.009) })
		}},
		{"a switch that was not read, an uneven rate", "unexplained", []string{"shallow-buffer"}, func(t *testing.T) *recorded {
			return load(t, "shallow-buffer").without("/sw.").series(uneven...)
		}},
		{"a switch that was not read, an even rate", "shallow-buffer", nil, func(t *testing.T) *recorded { return load(t, "shallow-buffer").without("/sw.") }},
		{"a queue in the sender's own interface", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "deep-buffer").without("/sw.").sockets(func(s, _ *record.Socket) { s.WmemAlloc = set[int64](900_000) })
		}},
		{"a long queue and an uneven rate", "unexplained", []string{"deep-buffer"}, func(t *testing.T) *recorded { return load(t, "deep-buffer").without("/sw.").series(uneven...) }},
		{"a switch that was not read behind a long queue", "deep-buffer", nil, func(t *testing.T) *recorded { return load(t, "deep-buffer").without("/sw.") }},
		{"a long queue, and nobody looked at the wire", "unexplained", []string{"deep-buffer"}, func(t *testing.T) *recorded { return load(t, "deep-link").without("during") }},
		{"a few broken packets among many losses", "unexplained", []string{"bit-errors"}, func(t *testing.T) *recorded { return load(t, "bit-errors").counter(t, "host2", "InCsumErrors", "9") }},
		{"timers that run out, and nothing out of order", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "reordering").counter(t, "host2", "TCPOFOQueue", "0") }},
		{"marks that the sender was not told of", "unexplained", []string{"ce-marks"}, func(t *testing.T) *recorded { return load(t, "ce-marks").counter(t, "host1", "TCPDeliveredCE", "0") }},
		{"no marks", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "ce-marks").counter(t, "host2", "InCEPkts", "0") }},
		{"a full link with marks", "link", nil, func(t *testing.T) *recorded { return load(t, "ce-marks").goodput(0.98) }},
		{"two ends that agree on their MTU", "link", nil, func(t *testing.T) *recorded {
			return load(t, "mtu-one-sided").replace(t, "host1", `"mtu":1402,`, `"mtu":9000,`)
		}},
		{"another MTU, and a goodput far below", "unexplained", []string{"mtu-one-sided"}, func(t *testing.T) *recorded { return load(t, "mtu-one-sided").goodput(0.4) }},
		{"nothing arrives at all", "unexplained", []string{"mtu-black-hole"}, func(t *testing.T) *recorded { return load(t, "mtu-black-hole").counter(t, "host2", "TCPOFOQueue", "0") }},
		{"small segments that are not what is short", "unexplained", []string{"small-segments"}, func(t *testing.T) *recorded { return load(t, "small-segments").goodput(0.5) }},
		{"small segments on a full link", "link", nil, func(t *testing.T) *recorded { return load(t, "small-segments").goodput(0.98) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.run(t).verdict(t)
			if v.Limiter != c.limiter {
				t.Fatalf("%s (%s), want %s: %s", v.Limiter, v.Confidence, c.limiter, v.Sentence)
			}
			var have []string
			for _, x := range v.Candidates {
				have = append(have, x.Limiter)
			}
			for _, want := range c.candidates {
				if !slices.Contains(have, want) {
					t.Errorf("candidates %v, want %s", have, want)
				}
			}
			if slices.Contains(c.candidates, "random-loss") && !strings.Contains(v.NextExperiment, "pace") {
				t.Errorf("next experiment %q: two paced rates would tell", v.NextExperiment)
			}
		})
	}
}

// Without the captures nothing of it is a cause, without the sockets nothing else is, and nothing breaks.
func TestLossesWithoutCaptures(t *testing.T) {
	for _, name := range []string{"policer", "shallow-buffer", "random-loss", "bit-errors", "reordering", "ce-marks", "mtu-one-sided", "mtu-black-hole", "small-segments"} {
		r := load(t, name)
		r.captures = nil
		if v := r.verdict(t); v.Limiter != "unexplained" && !(name == "mtu-one-sided" && v.Limiter == "link") {
			t.Errorf("%s: %s: %s", name, v.Limiter, v.Sentence)
		}
		r = load(t, name)
		for i := range r.exp.Repeats[0].Streams {
			r.exp.Repeats[0].Streams[i].Socket, r.exp.Repeats[0].Streams[i].Receiver = nil, nil
		}
		if v := r.verdict(t); v.Limiter != "unexplained" && v.Limiter != name && !(name == "mtu-one-sided" && v.Limiter == "link") {
			t.Errorf("%s: %s: %s", name, v.Limiter, v.Sentence)
		}
	}
}

// An experiment that failed has a verdict, which names nothing but says what is known.
func TestFailed(t *testing.T) {
	fail := func(name string) *recorded {
		r := load(t, name)
		r.exp.Failed = "no byte arrived within 10 s"
		r.exp.Repeats, r.exp.Goodput = nil, nil
		return r
	}
	for _, c := range []struct {
		name       string
		r          *recorded
		candidates int
	}{
		{"packets too large for the way", fail("mtu-black-hole"), 1},
		{"nothing sent again", fail("mtu-one-sided"), 0},
		{"no captures", fail("mtu-black-hole").without("captures"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.r.verdict(t)
			if v.Limiter != "unknown" || v.Confidence != "" || !strings.Contains(v.Sentence, "no byte arrived within 10 s") || len(v.Candidates) != c.candidates {
				t.Fatalf("%+v", v)
			}
			if c.candidates > 0 && (v.Candidates[0].Limiter != "mtu-black-hole" || !strings.Contains(v.NextExperiment, "8972")) {
				t.Errorf("%+v", v)
			}
			if !strings.Contains(c.r.run.Sentence, "Nothing could be measured") {
				t.Errorf("the run's sentence: %s", c.r.run.Sentence)
			}
		})
	}
}

// A rule that drops and does not count is told where packets are lost that nobody has, with the commands that give it a counter; one that data
// does not pass is not.
func TestSilentRules(t *testing.T) {
	rules := func(hook, rule string) string {
		return "table inet f {\n\tchain i {\n\t\ttype filter hook " + hook + " priority filter; policy accept;\n\t\ttcp dport 22 accept\n\t\t" + rule + "\n\t}\n}\n"
	}
	for name, c := range map[string]struct {
		host, section, text string
		says, try           string // empty: nothing of it
	}{
		"at the receiver": {"host2", "nft list ruleset", rules("input", "meta l4proto tcp numgen random mod 100 < 1 drop"),
			"inet f i: meta l4proto tcp numgen random mod 100 < 1 drop", "'replace rule inet f i handle N meta l4proto tcp numgen random mod 100 < 1 counter drop'"},
		"with a comment":               {"host2", "nft list ruleset", rules("input", `ct state invalid drop comment "stray"`), "ct state invalid drop", `ct state invalid counter drop comment "stray"`},
		"at the sender":                {"host1", "nft list ruleset", rules("output", "numgen random mod 100 < 1 reject"), "numgen random mod 100 < 1 reject", "numgen random mod 100 < 1 counter reject"},
		"of iptables":                  {"host2", "iptables-save", "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -m statistic --mode random --probability 0.01 -j DROP\nCOMMIT\n", "--probability 0.01", "iptables -t filter -L INPUT -v -n -x"},
		"for what leaves the receiver": {"host2", "nft list ruleset", rules("output", "drop"), "", ""},
		"one that counts":              {"host2", "nft list ruleset", rules("input", "counter packets 0 bytes 0 drop"), "", ""},
	} {
		r := load(t, "random-loss")
		r.run.Arguments, r.run.Hosts = []string{"linerate", "measure", "stream"}, []record.HostState{{Name: "host1", Reach: "netns a"}, {Name: "host2", Reach: "netns b"}}
		for file, text := range r.captures {
			if strings.HasPrefix(file, "captures/"+c.host+".") {
				r.captures[file] = text + "-- " + c.section + " --\n" + c.text
			}
		}
		v := r.verdict(t)
		found := slices.ContainsFunc(v.Evidence, func(e record.Evidence) bool { return e.Counter == "rule" && strings.Contains(e.Text, c.says) })
		if strings.Contains(v.Sentence, "A rule of the firewall of "+c.host) != (c.says != "") {
			t.Errorf("%s: %s", name, v.Sentence)
		}
		if v.Limiter != "random-loss" || found != (c.says != "") || !strings.Contains(v.NextExperiment, c.try) || strings.Contains(v.NextExperiment, "handle") && c.try == "" {
			t.Errorf("%s: %s, evidence %+v, try %q", name, v.Limiter, v.Evidence, v.NextExperiment)
		}
		if ns := map[string]string{"host1": "ip netns exec a ", "host2": "ip netns exec b "}[c.host]; c.try != "" && !strings.Contains(v.NextExperiment, "\n"+ns) {
			t.Errorf("%s: %q is not typed in %s", name, v.NextExperiment, ns)
		}
	}
}

// The undo of a policer's rule puts it back to where it was among the others.
func TestPolicerUndo(t *testing.T) {
	const rule, bare = `iifname "fast" meta l4proto tcp limit rate over 3550000 bytes/second burst 80000 bytes counter packets 51 bytes 1395628 drop`,
		`iifname "fast" meta l4proto tcp limit rate over 3550000 bytes/second burst 80000 bytes counter drop`
	for rules, want := range map[string]string{
		rule:                               "nft 'add rule inet guard in " + bare + "'",
		"accept\n\t\t" + rule:              "nft 'add rule inet guard in " + bare + "'",
		rule + "\n\t\ttcp dport 22 accept": "nft 'insert rule inet guard in index 0 " + bare + "'",
		"tcp dport 80 accept\n\t\t" + rule + "\n\t\ttcp dport 22 accept": "nft 'insert rule inet guard in index 1 " + bare + "'",
	} {
		v := load(t, "policer").replace(t, "host2", rule, rules).verdict(t)
		if v.Limiter != "policer" || v.Undo != want || !strings.Contains(v.Fix, "\nnft delete rule inet guard in handle N\n") {
			t.Errorf("%q: %s, undo %q, want %q; fix %q", rules, v.Limiter, v.Undo, want, v.Fix)
		}
	}
}
