package explain

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Runs of labs with losses, queues and other MTUs on the path get their cause as the verdict, with the counters that
// show it.
func TestLossesAndQueues(t *testing.T) {
	for _, c := range []struct{ name, limiter, confidence, counters, component string }{
		{"policer", "policer", "proved", "limit, retrans, counter packets", "host2: firewall"},
		{"shallow-buffer", "shallow-buffer", "proved", "retrans, rtt, qdisc.drops, tbf rate", "sw: sw.2"},
		{"deep-buffer", "deep-buffer", "likely", "rtt, goodput in slices, tbf rate", "sw: sw.2"},
		{"deep-link", "deep-buffer", "likely", "rtt, rx_bytes, retrans", "the way from host1 to host2"},
		{"random-loss", "random-loss", "likely", "retrans, rtt, loss bound", "the way from host1 to host2"},
		{"bit-errors", "bit-errors", "proved", "Tcp.InCsumErrors, retrans", "the link to host2"},
		{"reordering", "reordering", "proved", "TCPDSACKRecvSegs, TCPOFOQueue", "the way from host1 to host2"},
		{"ce-marks", "ce-marks", "likely", "InCEPkts, TCPDeliveredCE", "the way from host1 to host2"},
		{"mtu-one-sided", "mtu-one-sided", "proved", "mtu, mss", "host1: MTU of fast"},
		{"mtu-black-hole", "mtu-black-hole", "likely", "TCPTimeouts, TCPOFOQueue", "the way from host1 to host2"},
		{"small-segments", "small-segments", "proved", "mss, advmss", "host2: the segment size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := load(t, c.name).verdict(t)
			if v.Limiter != c.limiter || v.Confidence != c.confidence || !strings.Contains(v.Component, c.component) {
				t.Fatalf("want %s (%s) of %s: %s", c.limiter, c.confidence, c.component, says(v))
			}
			for _, e := range v.Evidence {
				if e.Host == "" || e.Source == "" || e.Text == "" || e.After == nil {
					t.Errorf("evidence without a place or a value: %+v", e)
				}
			}
			for want := range strings.SplitSeq(c.counters, ", ") {
				if !slices.Contains(counters(v), want) {
					t.Errorf("evidence of %v, want %s", counters(v), want)
				}
			}
			if v.Fix == "" || v.NextCeiling == "" || c.confidence == "proved" && v.Identity == nil && c.limiter != "policer" {
				t.Errorf("fix %q, next ceiling %q, identity %v", v.Fix, v.NextCeiling, v.Identity)
			}
		})
	}
}

func TestNearLosses(t *testing.T) {
	for _, c := range cases(t, "near-losses.txt") {
		t.Run(c.name, func(t *testing.T) {
			v := c.load(t).verdict(t)
			if v.Limiter != c.want[0] {
				t.Fatalf("want %s: %s", c.want[0], says(v))
			}
			for _, also := range c.want[1:] {
				for want := range strings.SplitSeq(also, ", ") {
					if !slices.Contains(candidates(v), want) {
						t.Errorf("want the candidate %s: %s", want, says(v))
					}
				}
				if strings.Contains(also, "random-loss") && !strings.Contains(v.NextExperiment, "pace") {
					t.Errorf("next experiment %q: two paced rates would tell", v.NextExperiment)
				}
			}
		})
	}
}

// Without the snapshots these are not causes, and without the sockets nothing else is.
func TestLossesWithoutSnapshots(t *testing.T) {
	for _, name := range []string{"policer", "shallow-buffer", "random-loss", "bit-errors", "reordering", "ce-marks",
		"mtu-one-sided", "mtu-black-hole", "small-segments"} {
		full := func(v *record.Verdict) bool { return name == "mtu-one-sided" && v.Limiter == "link" }
		if v := from(t, name, "without .").verdict(t); v.Limiter != "unexplained" && !full(v) {
			t.Errorf("%s: %s", name, says(v))
		}
		if v := from(t, name, "stream Socket = nil, Receiver = nil").verdict(t); v.Limiter != "unexplained" &&
			v.Limiter != name && !full(v) {
			t.Errorf("%s: %s", name, says(v))
		}
	}
}

// An experiment that failed has a verdict, which names no cause but says what is known.
func TestFailed(t *testing.T) {
	const fail = "exp Failed = no byte arrived within 10 s ; exp Repeats = nil, Goodput = nil"
	for _, c := range []struct {
		name       string
		r          *recorded
		candidates int
	}{
		{"packets too large for the way", from(t, "mtu-black-hole", fail), 1},
		{"nothing retransmitted", from(t, "mtu-one-sided", fail), 0},
		{"no snapshots", from(t, "mtu-black-hole", "without .", fail), 0},
	} {
		v := c.r.verdict(t)
		if v.Limiter != "unknown" || v.Confidence != "" || !strings.Contains(v.Sentence, "no byte arrived within 10 s") ||
			len(v.Candidates) != c.candidates {
			t.Errorf("%s: %s", c.name, says(v))
		} else if c.candidates > 0 && (v.Candidates[0].Limiter != "mtu-black-hole" ||
			!strings.Contains(v.NextExperiment, "8972")) {
			t.Errorf("%s: %s", c.name, says(v))
		}
		if !strings.Contains(c.r.run.Sentence, "Nothing could be measured") {
			t.Errorf("%s: the run's sentence: %s", c.name, c.r.run.Sentence)
		}
	}
}

// Where packets are lost that no counter has, the evidence names rules that drop without counting, with the commands
// that add a counter. Rules that the data does not pass are not named.
func TestSilentRules(t *testing.T) {
	const iptables = `-- iptables-save --\n*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -m statistic --mode random ` +
		`--probability 0.01 -j DROP\nCOMMIT\n`
	rules := func(hook, rule string) string {
		return `-- nft list ruleset --\ntable inet f {\n\tchain i {\n\t\ttype filter hook ` + hook +
			` priority filter; policy accept;\n\t\ttcp dport 22 accept\n\t\t` + rule + `\n\t}\n}\n`
	}
	for name, c := range map[string]struct {
		host, text string
		says, try  string // empty: none
	}{
		"at the receiver": {"host2", rules("input", "meta l4proto tcp numgen random mod 100 < 1 drop"),
			"inet f i: meta l4proto tcp numgen random mod 100 < 1 drop",
			"'replace rule inet f i handle N meta l4proto tcp numgen random mod 100 < 1 counter drop'"},
		"with a comment": {"host2", rules("input", `ct state invalid drop comment "stray"`),
			"ct state invalid drop", `ct state invalid counter drop comment "stray"`},
		"at the sender": {"host1", rules("output", "numgen random mod 100 < 1 reject"),
			"numgen random mod 100 < 1 reject", "numgen random mod 100 < 1 counter reject"},
		"of iptables":                  {"host2", iptables, "--probability 0.01", "iptables -t filter -L INPUT -v -n -x"},
		"for what leaves the receiver": {"host2", rules("output", "drop"), "", ""},
		"one that counts":              {"host2", rules("input", "counter packets 0 bytes 0 drop"), "", ""},
	} {
		r := from(t, "random-loss", "add /"+c.host+". "+c.text)
		r.run.Arguments, r.run.Hosts = []string{"linerate", "measure", "throughput"},
			[]record.HostState{{Name: "host1", Connection: "netns a"}, {Name: "host2", Connection: "netns b"}}
		v := r.verdict(t)
		found := slices.ContainsFunc(v.Evidence, func(e record.Evidence) bool {
			return e.Counter == "rule" && strings.Contains(e.Text, c.says)
		})
		if strings.Contains(v.Sentence, "A rule of the firewall of "+c.host) != (c.says != "") {
			t.Errorf("%s: %s", name, v.Sentence)
		}
		if v.Limiter != "random-loss" || found != (c.says != "") || !strings.Contains(v.NextExperiment, c.try) ||
			strings.Contains(v.NextExperiment, "handle") && c.try == "" {
			t.Errorf("%s: %s, evidence %+v", name, says(v), v.Evidence)
		}
		if ns := map[string]string{"host1": "ip netns exec a ", "host2": "ip netns exec b "}[c.host]; c.try != "" &&
			!strings.Contains(v.NextExperiment, "\n"+ns) {
			t.Errorf("%s: %q is not typed in %s", name, v.NextExperiment, ns)
		}
	}
}

// The undo of a policer's rule restores its position among the other rules.
func TestPolicerUndo(t *testing.T) {
	const bare = `iifname "fast" meta l4proto tcp limit rate over 3550000 bytes/second burst 80000 bytes counter drop`
	rule := strings.Replace(bare, "counter", "counter packets 51 bytes 1395628", 1)
	for rules, want := range map[string]string{
		"$0":                          "add rule inet guard in ",
		`accept\n\t\t$0`:              "add rule inet guard in ",
		`$0\n\t\ttcp dport 22 accept`: "insert rule inet guard in index 0 ",
		`tcp dport 80 accept\n\t\t$0\n\t\ttcp dport 22 accept`: "insert rule inet guard in index 1 ",
	} {
		v := from(t, "policer", "edit host2. "+rule+" => "+rules).verdict(t)
		if v.Limiter != "policer" || v.Undo != "nft '"+want+bare+"'" ||
			!strings.Contains(v.Fix, "\nnft delete rule inet guard in handle N\n") {
			t.Errorf("%q: %s", rules, says(v))
		}
	}
}

// Nothing needs no ceiling to be nothing, and many losses none to be many: the driver of a virtual NIC names no speed.
func TestWithoutARate(t *testing.T) {
	const noRate = "exp Ceiling = nil"
	for _, c := range []struct {
		name          string
		r             *recorded
		limiter, says string
	}{
		{"packets too large for the way", from(t, "mtu-black-hole", noRate), "mtu-black-hole", "carries nothing"},
		{"nothing, and no counters", from(t, "mtu-black-hole", "without .", noRate), record.LimiterUnexplained,
			"carries nothing (0 b/s)"},
		{"losses", from(t, "random-loss", noRate), record.LimiterUnknown, "of the packets were lost on the way"},
		{"healthy", from(t, "healthy", noRate), record.LimiterUnknown, "because no rate on the path is."},
	} {
		if v := c.r.verdict(t); v.Limiter != c.limiter || !strings.Contains(v.Sentence, c.says) {
			t.Errorf("%s: %s", c.name, says(v))
		}
	}
}
