package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain/cause"
)

// Runs of labs with a fault made by hand get its cause as the verdict, with the counters that show it.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name, limiter, confidence string
		counters                  string // of the evidence, in order; the beginning of each
		component                 string
		identity                  bool
	}{
		{"healthy", "link", "proved", "goodput", "host1.card.1--host2.card.1", true},
		{"receive-window-cap", "", "likely proved", "rwnd_limited, rcvbuf", "host2: receive window", false},
		{"send-buffer-cap", "", "likely proved", "sndbuf, rtt", "host1: send buffer", false},
		{"app-limited", "", "proved", "app_limited", "host1: the sending program", true},
		{"paced", "app-limited", "proved", "pace, max_pacing_rate", "host1: the pace of its streams", true},
		{"local-shaper", "", "proved", "tbf rate, wmem_alloc, overlimits", "host1", true},
		{"wrong-nic", "", "proved", "tx_bytes, tx_bytes, interface", "host1: cardp1", false},
		{"offloads-off", "", "likely", "tso,gso, cpu, tx_packets", "host1: cardp1", false},
		{"window-scaling-off", "", "likely proved", "wscale, tcp_window_scaling, rwnd_limited", "host2: window scaling",
			false},
		{"duplicate-subnet", "", "likely proved", "tx_bytes, tx_bytes, interface", "host1: cardp1", false},
		{"firewall-cost", "", "likely", "rules, cpu", "host2: firewall", false},
		{"cpu-quota", "", "proved", "nr_throttled, own", "host2: CPU quota of /sys/fs/cgroup/cpu/", true},
		{"slow-source", "app-limited", "likely", "app_limited, busy", "host1: the sending program", false},
		{"route-window", "receive-window-cap", "proved", "rwnd_limited, window", "host2: the route to 10.9.1.0/24", true},
		{"autotuning-off", "receive-window-cap", "likely proved", "rwnd_limited, rcvbuf", "host2: receive window", false},
		{"wrong-nic-rule", "wrong-nic", "likely", "tx_bytes, tx_bytes, rules", "host1: fast", false},
		{"slow-receiver", "", "likely", "recv_q, TCPToZeroWindowAdv", "host2: the receiving program", false},
		{"other-traffic", "", "proved", "payload", "host2: fast", true},
		{"tx-queue", "", "likely proved", "dropped, limit, snd_cwnd", "host1: the queue of fast", false},
		{"arp-flux", "", "likely", "rx_bytes, rx_bytes, tx_bytes, arp_ignore", "host2: aux", false},
		{"cpu-copy", "", "likely", "cpu, payload of a packet, softirq", "the CPUs of host1 and host2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.limiter == "" {
				c.limiter = c.name
			}
			r := load(t, c.name)
			v := r.verdict(t)
			if v.Limiter != c.limiter || !slices.Contains(strings.Fields(c.confidence), v.Confidence) {
				t.Fatalf("want %s (%s): %s", c.limiter, c.confidence, says(v))
			}
			for _, e := range v.Evidence {
				if e.Host == "" || e.Source == "" || e.Text == "" || e.Before == nil && e.After == nil && e.Counter != "interface" {
					t.Errorf("evidence without a place or a value: %+v", e)
				}
			}
			want := strings.Split(c.counters, ", ")
			for _, have := range counters(v) {
				if len(want) > 0 && strings.HasPrefix(have, want[0]) {
					want = want[1:]
				}
			}
			if len(want) > 0 {
				t.Errorf("evidence of %v, want %v", counters(v), c.counters)
			}
			if !strings.Contains(v.Component, c.component) || c.identity && v.Identity == nil || v.Sentence == "" ||
				v.NextCeiling == "" {
				t.Errorf("verdict %+v", v)
			}
			// The fix of a lab's own shaper has no undo: building the lab again restores it.
			if c.limiter != "link" && (v.Fix == "" || v.Undo == "" && c.limiter != "local-shaper") {
				t.Errorf("fix %q, undo %q", v.Fix, v.Undo)
			}
			if !strings.Contains(r.run.Sentence, "host1 -> host2") == (c.limiter != "link") {
				t.Errorf("the run's sentence: %s", r.run.Sentence)
			}
			if !slices.Contains(cause.IDs(), v.Limiter) {
				t.Errorf("%s is not in the table of causes", v.Limiter)
			}
		})
	}
}

func TestNearMisses(t *testing.T) {
	for _, c := range cases(t, "near-misses.txt") {
		t.Run(c.name, func(t *testing.T) {
			v := c.load(t).verdict(t)
			if v.Limiter != c.want[0] {
				t.Fatalf("want %s: %s", c.want[0], says(v))
			}
			want := strings.Join(c.want[1:], "")
			var have []string
			for _, x := range v.Candidates {
				// the kernel marks every sender that waited once
				if x.Limiter != "app-limited" || strings.Contains(want, x.Limiter) {
					have = append(have, x.Limiter)
				}
				if x.Text == "" {
					t.Errorf("the candidate %s does not say why", x.Limiter)
				}
			}
			if strings.Join(have, ", ") != want {
				t.Errorf("candidates %v, want %s", have, want)
			}
			if v.Limiter == "unexplained" && (v.Confidence != "" || v.NextExperiment == "") {
				t.Errorf("confidence %q, next experiment %q", v.Confidence, v.NextExperiment)
			}
		})
	}
}

// Where nothing arrived, the text says that the sender handed over nothing, and gives no rate.
func TestNothingHandedOver(t *testing.T) {
	if v := from(t, "slow-source", "goodput 0").verdict(t); v.Limiter != "app-limited" ||
		!strings.Contains(v.Sentence, "it hands over nothing") {
		t.Error(says(v))
	}
}

// Without any snapshot the verdict on a healthy run is still its link, and says what is not known.
func TestWithoutSnapshots(t *testing.T) {
	if v := from(t, "healthy", "without .").verdict(t); v.Limiter != "link" || len(v.Unknown) != 2 {
		t.Errorf("verdict %s, unknown %q", v.Limiter, v.Unknown)
	}
}

// Snapshots that are cut off anywhere count as missing evidence, and never lead to a panic or another cause.
func TestCutSnapshots(t *testing.T) {
	for _, name := range []string{"receive-window-cap", "send-buffer-cap", "wrong-nic", "offloads-off", "local-shaper"} {
		for _, tenth := range []int{0, 1, 3, 5, 7, 9} {
			t.Run(fmt.Sprintf("%s %d", name, tenth), func(t *testing.T) {
				r := load(t, name)
				if err := r.eachFile("", func(file string, text []byte) bool {
					r.files[file] = text[:len(text)*tenth/10]
					return true
				}); err != nil {
					t.Fatal(err)
				}
				if v := r.verdict(t); v.Limiter != name && v.Limiter != "unexplained" &&
					!(name == "wrong-nic" && v.Limiter == "link") {
					t.Error(says(v))
				}
			})
		}
	}
}

// Offloads that a NIC does not have were not switched off: the fix has only those that can be switched on. Without any
// of these, offloads are not a cause.
func TestFixedOffloads(t *testing.T) {
	r := from(t, "offloads-off", `edit host1. (tx-tcp-segmentation: off)\n => $1 [fixed]\n`)
	if v := r.verdict(t); v.Limiter != "offloads-off" || !strings.Contains(v.Fix, "cardp1 gso on") ||
		strings.Contains(v.Fix, "tso") {
		t.Error(says(v))
	}
	r.do(t, `edit host1. (generic-segmentation-offload: off)\n => $1 [fixed]\n`)
	if v := r.verdict(t); v.Limiter == "offloads-off" {
		t.Error(says(v))
	}
}
