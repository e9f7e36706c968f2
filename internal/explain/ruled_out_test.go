package explain

import (
	"slices"
	"testing"

	"linerate/internal/explain/cause"
)

// excludes has the verdicts that cannot be true where something is ruled out.
var excludes = map[string][]string{
	"cable": {"bit-errors"},
	"loss": {"random-loss", "bit-errors", "policer", "shallow-buffer", "rx-ring", "backlog-drop", "netem-loss",
		"firewall-drops", "conntrack-full"},
	"drops":      {"backlog-drop", "rx-ring", "tx-queue", "bit-errors", "firewall-drops"},
	"tcp-window": {"receive-window-cap", "window-scaling-off", "slow-receiver"},
	"pcie":       {"pcie-degraded", "pcie-upstream"},
	"mtu":        {"mtu-one-sided"},
}

// Nothing that is true of a recorded run is ruled out in it, and most runs rule out something.
func TestRuledOut(t *testing.T) {
	some, kinds := 0, map[string]int{}
	for _, r := range recordedRuns(t, "") {
		run := r.judged(t, cause.All())
		for i, e := range run.Experiments {
			if e.Verdict == nil {
				continue
			}
			if len(e.Verdict.RuledOut) > 0 {
				some++
			}
			if e.Verdict.Limiter == "link" && len(e.Verdict.RuledOut) > 0 {
				t.Errorf("%s: a full link rules out %v", r.name, e.Verdict.RuledOut)
			}
			for _, out := range e.Verdict.RuledOut {
				kinds[out.What]++
				for _, truth := range r.of.TruthOf(i) {
					if slices.Contains(excludes[out.What], truth) {
						t.Errorf("%s: %s is true, and %q is ruled out", r.name, truth, out.Text)
					}
				}
			}
		}
	}
	if some < 20 {
		t.Errorf("only %d verdicts rule out anything: %v", some, kinds)
	}
	for _, kind := range []string{"loss", "drops", "tcp-window", "cpu", "mtu"} {
		if kinds[kind] == 0 {
			t.Errorf("no recorded run rules out %s: %v", kind, kinds)
		}
	}
}

// A fix that sets another MTU has its prediction, above what was measured.
func TestExpected(t *testing.T) {
	for name, mtu := range map[string]int{"exam/segments-few": 9000, "exam/mtu-sender": 9000, "exam/loss-random": 0} {
		r := load(t, name)
		e := r.judged(t, cause.All()).Experiments[0]
		if mtu == 0 {
			if len(e.Verdict.Expected) > 0 {
				t.Errorf("%s: %+v", name, e.Verdict.Expected)
			}
			continue
		}
		if len(e.Verdict.Expected) != 1 {
			t.Errorf("%s: %d predictions", name, len(e.Verdict.Expected))
			continue
		}
		x := e.Verdict.Expected[0]
		if x.Change.MTU != mtu || x.Streams != 2 || x.High == nil || *x.High < gain*e.Goodput.Median {
			t.Errorf("%s: %+v of %g", name, x, e.Goodput.Median)
		}
	}
}

func TestFixedMTU(t *testing.T) {
	for fix, want := range map[string]int{
		"larger packets, where every switch between takes them:\non nas: ip link set e0 mtu 9000\n" +
			"on desk: ip link set e1 mtu 9000\nlinerate measure throughput": 9000,
		"ip netns exec a ip link set e0 mtu 9000":                      9000,
		"on a: ip link set e0 mtu 9000\non b: ip link set e1 mtu 4000": 0,
		"ethtool -K e0 tso on":                                         0,
		"":                                                             0,
	} {
		if got := fixedMTU(fix); got != want {
			t.Errorf("%q: %d, want %d", fix, got, want)
		}
	}
}
