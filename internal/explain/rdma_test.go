package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Runs that look like a fault of RDMA but are not, or where half of the evidence is missing, get no such verdict.
func TestNearRDMA(t *testing.T) {
	for _, c := range cases(t, "near-rdma.txt") {
		t.Run(c.name, func(t *testing.T) {
			x := load(t, c.run)
			if v := x.verdict(t); !slices.Contains(x.truth, v.Limiter) {
				t.Fatalf("as it was recorded: %s", says(v))
			}
			if v := c.load(t).verdict(t); v.Limiter != c.want[0] {
				t.Errorf("want %s: %s", c.want[0], says(v))
			}
		})
	}
}

// Among few packets, few losses are a large share.
func TestFewLosses(t *testing.T) {
	for _, c := range []struct{ missing, sent, want string }{{"9", "329", "rdma-loss"},
		{"9", "3290", record.LimiterUnexplained}, {"3", "100", record.LimiterUnexplained}, {"13", "3290", "rdma-loss"}} {
		if v := from(t, "exam/loss-rdma", `edit host2.after (hw_counters/out_of_seq_request):\d+ => ${1}:`+c.missing,
			`edit host1.after (hw_counters/sent_pkts):\d+ => ${1}:`+c.sent,
			`edit host1.after (hw_counters/rcvd_seq_err):\d+ => ${1}:3`).verdict(t); v.Limiter != c.want {
			t.Errorf("%s of %s packets: want %s: %s", c.missing, c.sent, c.want, says(v))
		}
	}
}

// A queue pair that fails because the sender's interface queue was full, and one that fails because of losses on the
// path.
func TestFailedByLosses(t *testing.T) {
	failed := func(step string) *record.Verdict {
		return from(t, "exam/loss-rdma", "exp Failed = host1: rxe0 port 1, pair 0: the other end does not answer",
			"exp Repeats = nil, Goodput = nil, Verbs = nil", step).verdict(t)
	}
	if v := failed(""); v.Limiter != "rdma-loss" || !strings.Contains(v.Component, "netem on fast of host1") ||
		!strings.Contains(v.Sentence, "until those that send them again give up") {
		t.Errorf("losses: %s", says(v))
	}
	if v := failed(`edit host1.after (hw_counters/send_err):0 => ${1}:1`); v.Limiter != "rdma-loss" ||
		v.Component != "host1: the queue of fast" || !strings.Contains(v.Fix, "depth: 4") {
		t.Errorf("a full queue: %s", says(v))
	}
	if v := failed(`edit /host (hw_counters/(?:out_of_seq_request|rcvd_seq_err)):\d+ => ${1}:0`); v.Limiter !=
		record.LimiterUnknown {
		t.Errorf("nothing was lost: %s", says(v))
	}
}

// counted adds the driver's own counters of the planned interface to a host's snapshots before and after.
func (r *recorded) counted(t *testing.T, host string, before, after map[string]int) *recorded {
	t.Helper()
	for when, counters := range map[string]map[string]int{"before": before, "after": after} {
		text := `NIC statistics:\n`
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			text += fmt.Sprintf(`     %s: %d\n`, name, counters[name])
		}
		r.do(t, "edit "+host+"."+when+` (?s)(-- ethtool -S fast --\n).*?\n--  => ${1}`+text+"-- ${2}")
	}
	return r
}

// The other end of the cable does not count the PFC pauses of a switch or a NIC, and packets are lost because of it.
func TestPFCOneSided(t *testing.T) {
	with := func(t *testing.T, heard int) *recorded {
		return from(t, "mlx5").
			counted(t, "host1", map[string]int{"rx_prio3_pause": 7, "tx_prio3_bytes": 0},
				map[string]int{"rx_prio3_pause": 7 + heard, "tx_prio3_bytes": 3100000}).
			counted(t, "host2", map[string]int{"tx_prio3_pause": 1, "rx_prio3_bytes": 0},
				map[string]int{"tx_prio3_pause": 1533, "rx_prio3_bytes": 3000000})
	}
	v := with(t, 0).verdict(t)
	if v.Limiter != "pfc-one-sided" || v.Confidence != "likely" || v.Component != "host1: fast" ||
		!strings.Contains(v.Fix, "mlnx_qos -i fast --pfc 0,0,0,1,0,0,0,0") ||
		!strings.Contains(v.Sentence, "host2: fast asked for a pause of priority 3 1532 times, and host1: fast heard none") {
		t.Error(says(v))
	}
	for _, want := range []string{"pauses sent of priority 3", "pauses received of priority 3", "out_of_sequence",
		"packet_seq_err"} {
		if !slices.Contains(counters(v), want) {
			t.Errorf("%s is not in the evidence: %v", want, counters(v))
		}
	}
	if v := with(t, 1530).verdict(t); v.Limiter != "pause" {
		t.Errorf("pauses that were heard: %s: %s", v.Limiter, v.Sentence)
	}
	quiet := with(t, 0).do(t, `edit /host (hw_counters/(?:out_of_sequence|packet_seq_err)):\d+ => ${1}:0`)
	if v := quiet.verdict(t); v.Limiter != record.LimiterUnexplained || len(v.Candidates) == 0 ||
		v.Candidates[0].Limiter != "pfc-one-sided" {
		t.Errorf("nothing was lost: %s: %s, candidates %v", v.Limiter, v.Sentence, v.Candidates)
	}
	if v := from(t, "mlx5").verdict(t); v.Limiter != "rdma-loss" || !strings.Contains(v.Fix, "PFC") {
		t.Errorf("losses by the counters of mlx5: %s: %s; %s", v.Limiter, v.Sentence, v.Fix)
	}
}

// RDMA is sent in priority 0, while the NIC can pause only priority 3.
func TestUnmarked(t *testing.T) {
	const pfc = `add host1.(before|after) \n-- dcb pfc show dev fast --\npfc-cap 8 macsec-bypass off delay 0\n` +
		`prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n`
	with := func(t *testing.T, plain, lossless int) *recorded {
		before, after := map[string]int{}, map[string]int{}
		for k := range 8 {
			name := fmt.Sprintf("tx_prio%d_bytes", k)
			before[name], after[name] = 100, 100
		}
		after["tx_prio0_bytes"], after["tx_prio3_bytes"] = 100+plain, 100+lossless
		return from(t, "mlx5").counted(t, "host1", before, after).do(t, pfc)
	}
	v := with(t, 20e6, 0).verdict(t)
	if v.Limiter != "rdma-unmarked" || v.Confidence != "likely" || !strings.Contains(v.Sentence, "sent in priority 0") ||
		v.Fix == "" || v.Undo == "" {
		t.Error(says(v))
	}
	if v := with(t, 1e5, 20e6).verdict(t); v.Limiter != "rdma-loss" {
		t.Errorf("RDMA in its class: %s: %s", v.Limiter, v.Sentence)
	}
	if v := with(t, 1e5, 0).verdict(t); v.Limiter != "rdma-loss" {
		t.Errorf("bytes that are not those which were measured: %s: %s", v.Limiter, v.Sentence)
	}
}

// Requests of one byte less than 64 KiB reach a quarter of the goodput. The sizes and shares are those reported for
// NICs of 100 Gb/s.
func TestAlignment(t *testing.T) {
	with := func(t *testing.T, size, other string, share float64) *recorded {
		return from(t, "exam/healthy-rdma", "goodput 0.24", "setting size "+size).again(t).do(t,
			fmt.Sprintf("setting size %s ; goodput %g", other, share))
	}
	v := with(t, "65535B", "65536B", 0.99).verdict(t)
	if v.Limiter != "rdma-alignment" || v.Confidence != "proved" || !strings.Contains(v.Fix, "size: 65536B") {
		t.Error(says(v))
	}
	for name, x := range map[string]*recorded{"as little with a multiple of 64": with(t, "65535B", "65536B", 0.3),
		"another size altogether": with(t, "65535B", "128KiB", 0.99),
		"a multiple itself":       with(t, "65472B", "65536B", 0.99), "the other one is none either": with(t, "65535B",
			"65534B", 0.99)} {
		if v := x.verdict(t); v.Limiter == "rdma-alignment" {
			t.Errorf("%s: %s", name, v.Sentence)
		}
	}
}

// TCP's goodput over the same link shows where to search. Where it was not measured, it is the next step.
func TestAgainstTCP(t *testing.T) {
	with := func(t *testing.T, share float64) *record.Verdict {
		return from(t, "exam/healthy-rdma", "goodput 0.5").again(t).do(t,
			fmt.Sprintf("exp Method = throughput, Verbs = nil ; goodput %g", share)).verdict(t)
	}
	if v := with(t, 0.9); v.Limiter != record.LimiterUnexplained || !strings.Contains(v.Sentence, "of RDMA alone") {
		t.Errorf("more by TCP: %s: %s", v.Limiter, v.Sentence)
	}
	if v := with(t, 0.5); !strings.Contains(v.Sentence, "what both share") {
		t.Errorf("as much by TCP: %s", v.Sentence)
	}
	if v := from(t, "exam/healthy-rdma", "goodput 0.5").verdict(t); !strings.Contains(v.NextExperiment,
		"method: throughput") && !strings.Contains(v.NextExperiment, "linerate measure throughput") {
		t.Errorf("the next experiment: %s", v.NextExperiment)
	}
}

// The counters of the devices at both ends are in the record, and those of the NICs by priority, too.
func TestCountersAreKept(t *testing.T) {
	x := from(t, "mlx5").counted(t, "host2", map[string]int{"rx_prio3_bytes": 5, "rx_prio0_bytes": 7},
		map[string]int{"rx_prio3_bytes": 12005, "rx_prio0_bytes": 7})
	x.verdict(t)
	from, to := x.exp.Verbs.Ends[0].Counters, x.exp.Verbs.Ends[1].Counters
	if from["packet_seq_err"] < 1 || from["sent_pkts"] < 100 || to["out_of_sequence"] < 1 ||
		to["rx_prio3_bytes"] != 12000 {
		t.Errorf("from %v, to %v", from, to)
	}
	for _, name := range []string{"rx_prio0_bytes", "lifespan", "link_downed"} {
		if _, ok := to[name]; ok {
			t.Errorf("%s did not grow: %v", name, to)
		}
	}
}

// The verdict on a full link says how RDMA segments its messages, and what larger packets would carry.
func TestPathMTUIsSaid(t *testing.T) {
	x := load(t, "exam/healthy-rdma")
	if v := x.verdict(t); v.Limiter != "link" || !strings.Contains(v.Sentence, "in packets of 4096 bytes (path MTU)") ||
		strings.Contains(v.NextCeiling, "packets of") {
		t.Errorf("%s: %s; then %s", v.Limiter, v.Sentence, v.NextCeiling)
	}
	for i := range x.exp.Verbs.Ends {
		x.exp.Verbs.Ends[i].PathMTU = 1024
	}
	if v := x.verdict(t); !strings.Contains(v.Sentence, "in packets of 1024 bytes") ||
		!strings.Contains(v.NextCeiling, "; with packets of 4096 bytes (MTU 4200 and more on the way) ") {
		t.Errorf("%s: %s; then %s", v.Limiter, v.Sentence, v.NextCeiling)
	}
}

// IP over InfiniBand in datagram mode with a full CPU; the mode alone is a candidate.
func TestIPoIB(t *testing.T) {
	const mode = `add host2.(before|after) \n-- sys/class/net/fast/mode --\n`
	v := from(t, "exam/healthy-fast", mode+`datagram\n`).verdict(t)
	if v.Limiter != "ipoib-mode" || v.Confidence != "likely" || !strings.Contains(v.Fix,
		"echo connected > /sys/class/net/fast/mode") {
		t.Error(says(v))
	}
	if v := from(t, "exam/healthy-fast", mode+`connected\n`).verdict(t); v.Limiter == "ipoib-mode" {
		t.Errorf("connected mode: %s", says(v))
	}
	if v := from(t, "exam/healthy-near", mode+`datagram\n`).verdict(t); v.Limiter != "link" {
		t.Errorf("a full link: %s", says(v))
	}
}
