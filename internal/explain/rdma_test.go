package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// What looks like a fault of RDMA and is none, or where half of what shows it is missing, gets no such verdict.
func TestNearRDMA(t *testing.T) {
	zero := func(x examined, t *testing.T, names ...string) examined {
		for _, name := range names {
			x = x.edit(t, "host", `(hw_counters/`+name+`):\d+`, "${1}:0")
		}
		return x
	}
	for _, c := range []struct {
		name, fault string
		change      func(*testing.T, examined) examined
		says        string // the verdict; empty: another than that of the fault
	}{
		{"timers ran out, and nothing was missing", "loss-rdma", func(t *testing.T, x examined) examined {
			return zero(x, t, "out_of_seq_request", "rcvd_seq_err")
		}, Unexplained},
		{"a few packets were missing", "loss-rdma", func(t *testing.T, x examined) examined {
			return zero(x, t, "rcvd_seq_err").edit(t, "host2.after", `(hw_counters/out_of_seq_request):\d+`, "${1}:4")
		}, Unexplained},
		{"the link is full all the same", "loss-rdma", func(t *testing.T, x examined) examined { return x.carries(t, 0.98) }, "link"},
		{"what was missing was so before", "loss-rdma", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `(hw_counters/(?:out_of_seq_request|rcvd_seq_err)):\d+`, "${1}:34")
		}, Unexplained},
		{"small packets that were asked for", "mtu-rdma", func(t *testing.T, x examined) examined {
			return x.carries(t, 0.98).record(t, func(e *record.Experiment) { e.Settings["path_mtu"] = "1024" })
		}, "link"},
		{"small packets, and something else holds goodput down", "mtu-rdma", func(t *testing.T, x examined) examined { return x.carries(t, 0.6) }, Unexplained},
		{"the same MTU at both ends", "mtu-rdma-end", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `("ifname":"fast".*?"mtu":)\d+`, "${1}9000")
		}, NotKnown},
		{"the address is there, and so is its GID", "gid-moved", func(t *testing.T, x examined) examined {
			host, address := "host1", "10.9.1.1"
			if !strings.Contains(failure(t, x), "host1") {
				host, address = "host2", "10.9.1.2"
			}
			var last [4]int
			fmt.Sscanf(address, "%d.%d.%d.%d", &last[0], &last[1], &last[2], &last[3])
			port := "/sys/class/infiniband/rxe0/ports/1/"
			return x.edit(t, host, `(?m)^/sys/class/infiniband/rxe0/ports/1/gids/0:`, fmt.Sprintf("%[1]sgids/1:0000:0000:0000:0000:0000:ffff:%02[2]x%02[3]x:%02[4]x%02[5]x\n%[1]sgid_attrs/types/1:RoCE v2\n%[1]sgid_attrs/ndevs/1:fast\n%[1]sgids/0:",
				port, last[0], last[1], last[2], last[3]))
		}, NotKnown},
		{"a GID of the type that is asked for", "gid-version", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `(gid_attrs/types/1):RoCE v2`, "${1}:IB/RoCE v1")
		}, NotKnown},
		{"a limit that does not bind this user", "memlock-small", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `CapEff:\s+[0-9a-f]+`, "CapEff:\t000001ffffffffff")
		}, NotKnown},
		{"enough may be locked", "memlock-small", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `(Max locked memory\s+)\d+`, "${1}99999999")
		}, NotKnown},
		{"a limit below what the pairs need, and it failed for another reason", "memlock-small", func(t *testing.T, x examined) examined {
			return x.record(t, func(e *record.Experiment) { e.Failed = "host1: the other end is gone" })
		}, NotKnown},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := kept(t, "exam/"+c.fault)
			if v := x.verdict(t); !slices.Contains(x.truth, v.Limiter) {
				t.Fatalf("as it was kept: %s: %s", v.Limiter, v.Sentence)
			}
			if v := c.change(t, x).verdict(t); v.Limiter != c.says {
				t.Errorf("%s, want %s: %s", v.Limiter, c.says, v.Sentence)
			}
		})
	}
}

// Of few packets, few that were missing are a large part.
func TestFewLosses(t *testing.T) {
	lost := func(t *testing.T, missing, sent string) string {
		return kept(t, "exam/loss-rdma").edit(t, "host2.after", `(hw_counters/out_of_seq_request):\d+`, "${1}:"+missing).edit(t, "host1.after", `(hw_counters/sent_pkts):\d+`, "${1}:"+sent).edit(t, "host1.after", `(hw_counters/rcvd_seq_err):\d+`, "${1}:3").verdict(t).Limiter
	}
	for _, c := range []struct{ missing, sent, want string }{{"9", "329", "rdma-loss"}, {"9", "3290", Unexplained}, {"3", "100", Unexplained}, {"13", "3290", "rdma-loss"}} {
		if got := lost(t, c.missing, c.sent); got != c.want {
			t.Errorf("%s of %s packets: %s, want %s", c.missing, c.sent, got, c.want)
		}
	}
}

// A queue pair that fails because the queue of the sender's interface was full, and one that fails for losses on the way.
func TestFailedByLosses(t *testing.T) {
	failed := func(t *testing.T) examined {
		return kept(t, "exam/loss-rdma").record(t, func(e *record.Experiment) {
			e.Failed, e.Repeats, e.Goodput, e.Verbs = "host1: rxe0 port 1, pair 0: the other end does not answer", nil, nil, nil
		})
	}
	if v := failed(t).verdict(t); v.Limiter != "rdma-loss" || !strings.Contains(v.Component, "netem on fast of host1") || !strings.Contains(v.Sentence, "until those that send them again give up") {
		t.Errorf("losses: %s: %s, %s", v.Limiter, v.Component, v.Sentence)
	}
	full := failed(t).edit(t, "host1.after", `(hw_counters/send_err):0`, "${1}:1")
	if v := full.verdict(t); v.Limiter != "rdma-loss" || v.Component != "host1: the queue of fast" || !strings.Contains(v.Fix, "depth: 4") {
		t.Errorf("a full queue: %s: %s, %s", v.Limiter, v.Component, v.Fix)
	}
	other := failed(t).edit(t, "host", `(hw_counters/(?:out_of_seq_request|rcvd_seq_err)):\d+`, "${1}:0")
	if v := other.verdict(t); v.Limiter != NotKnown {
		t.Errorf("nothing was lost: %s: %s", v.Limiter, v.Sentence)
	}
}

func failure(t *testing.T, x examined) string {
	t.Helper()
	var r record.Run
	if err := json.Unmarshal(x.files[runfolder.ManifestName], &r); err != nil {
		t.Fatal(err)
	}
	return r.Experiments[0].Failed
}

// counted puts the driver's own counters of the planned interface into a host's captures: before and after.
func (x examined) counted(t *testing.T, host string, before, after map[string]int) examined {
	t.Helper()
	for when, counters := range map[string]map[string]int{"before": before, "after": after} {
		text := "NIC statistics:\n"
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			text += fmt.Sprintf("     %s: %d\n", name, counters[name])
		}
		x = x.edit(t, host+"."+when, `(?s)(-- ethtool -S fast --\n).*?\n-- `, "${1}"+text+"-- ")
	}
	return x
}

// mlx5 is the folder of lost packets as if two of NVIDIA's cards had counted them. The names of counters, and the shape of both outputs, are those of captures of
// such cards (ethtool-S--ethq-mlx5_core, and hw_counters of NVIDIA's "Understanding mlx5 Linux Counters"); the driver of the lab's card stays in it.
func mlx5(t *testing.T) examined {
	x := kept(t, "exam/loss-rdma")
	for rxe, name := range map[string]string{"out_of_seq_request": "out_of_sequence", "rcvd_seq_err": "packet_seq_err", "completer_retry_err": "local_ack_timeout_err"} {
		x = x.edit(t, "host", `hw_counters/`+rxe+`:`, "hw_counters/"+name+":")
	}
	return x.edit(t, "host1", `"kind":"netem"`, `"kind":"pfifo"`).edit(t, "host1", `("drops":)\d+`, "${1}0")
}

// A switch's or a card's pauses of a priority that the other end of the cable does not count, with packets that were lost for it.
func TestPFCOneSided(t *testing.T) {
	with := func(t *testing.T, heard int) examined {
		return mlx5(t).
			counted(t, "host1", map[string]int{"rx_prio3_pause": 7, "tx_prio3_bytes": 0}, map[string]int{"rx_prio3_pause": 7 + heard, "tx_prio3_bytes": 3100000}).
			counted(t, "host2", map[string]int{"tx_prio3_pause": 1, "rx_prio3_bytes": 0}, map[string]int{"tx_prio3_pause": 1533, "rx_prio3_bytes": 3000000})
	}
	v := with(t, 0).verdict(t)
	if v.Limiter != "pfc-one-sided" || v.Confidence != "likely" || v.Component != "host1: fast" || !strings.Contains(v.Fix, "mlnx_qos -i fast --pfc 0,0,0,1,0,0,0,0") ||
		!strings.Contains(v.Sentence, "host2: fast asked for a pause of priority 3 1532 times, and host1: fast heard none") {
		t.Errorf("%s (%s), %s: %s; %s", v.Limiter, v.Confidence, v.Component, v.Sentence, v.Fix)
	}
	var names []string
	for _, e := range v.Evidence {
		names = append(names, e.Counter)
	}
	for _, want := range []string{"pauses sent of priority 3", "pauses received of priority 3", "out_of_sequence", "packet_seq_err"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is no evidence: %v", want, names)
		}
	}
	if v := with(t, 1530).verdict(t); v.Limiter != "pause" {
		t.Errorf("pauses that were heard: %s: %s", v.Limiter, v.Sentence)
	}
	quiet := with(t, 0).edit(t, "host", `(hw_counters/(?:out_of_sequence|packet_seq_err)):\d+`, "${1}:0")
	if v := quiet.verdict(t); v.Limiter != Unexplained || len(v.Candidates) == 0 || v.Candidates[0].Limiter != "pfc-one-sided" {
		t.Errorf("nothing was lost: %s: %s, candidates %v", v.Limiter, v.Sentence, v.Candidates)
	}
	if v := mlx5(t).verdict(t); v.Limiter != "rdma-loss" || !strings.Contains(v.Fix, "PFC") {
		t.Errorf("losses by the counters of mlx5: %s: %s; %s", v.Limiter, v.Sentence, v.Fix)
	}
}

// RDMA that leaves in priority 0, while the card can pause priority 3 alone.
func TestUnmarked(t *testing.T) {
	const pfc = "\n-- dcb pfc show dev fast --\npfc-cap 8 macsec-bypass off delay 0\nprio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n"
	with := func(t *testing.T, plain, lossless int) examined {
		before, after := map[string]int{}, map[string]int{}
		for k := range 8 {
			name := fmt.Sprintf("tx_prio%d_bytes", k)
			before[name], after[name] = 100, 100
		}
		after["tx_prio0_bytes"], after["tx_prio3_bytes"] = 100+plain, 100+lossless
		return mlx5(t).counted(t, "host1", before, after).add(t, "host1", pfc)
	}
	v := with(t, 20e6, 0).verdict(t)
	if v.Limiter != "rdma-unmarked" || v.Confidence != "likely" || !strings.Contains(v.Sentence, "sent in priority 0") || v.Fix == "" || v.Undo == "" {
		t.Errorf("%s (%s): %s; %s; %s", v.Limiter, v.Confidence, v.Sentence, v.Fix, v.Undo)
	}
	if v := with(t, 1e5, 20e6).verdict(t); v.Limiter != "rdma-loss" {
		t.Errorf("RDMA in its class: %s: %s", v.Limiter, v.Sentence)
	}
	if v := with(t, 1e5, 0).verdict(t); v.Limiter != "rdma-loss" {
		t.Errorf("bytes that are not those which were measured: %s: %s", v.Limiter, v.Sentence)
	}
}

// twice has the experiment in the run once more, changed.
func (x examined) twice(t *testing.T, change func(*record.Experiment)) examined {
	t.Helper()
	var r, again record.Run
	for _, into := range []*record.Run{&r, &again} {
		if err := json.Unmarshal(x.files[runfolder.ManifestName], into); err != nil {
			t.Fatal(err)
		}
	}
	e := again.Experiments[0]
	e.ID += "again"
	change(e)
	r.Experiments = append(r.Experiments, e)
	b, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	x.files[runfolder.ManifestName] = b
	return x
}

// A request of one byte less than 64 KiB that carries a quarter: the sizes and shares are those that are told of cards of 100 Gb/s.
func TestAlignment(t *testing.T) {
	with := func(t *testing.T, size, other string, share float64) examined {
		x := kept(t, "exam/healthy-rdma").carries(t, 0.24).record(t, func(e *record.Experiment) { e.Settings["size"] = size })
		return x.twice(t, func(e *record.Experiment) {
			e.Settings["size"] = other
			e.Goodput.Median = share * float64(e.Ceiling.Limit)
			for i := range e.Repeats {
				e.Repeats[i].Goodput, e.Repeats[i].Forward = e.Goodput.Median, e.Goodput.Median
			}
		})
	}
	v := with(t, "65535B", "65536B", 0.99).verdict(t)
	if v.Limiter != "rdma-alignment" || v.Confidence != "proved" || !strings.Contains(v.Fix, "size: 65536B") {
		t.Errorf("%s (%s): %s; %s", v.Limiter, v.Confidence, v.Sentence, v.Fix)
	}
	for name, x := range map[string]examined{"as little with a multiple of 64": with(t, "65535B", "65536B", 0.3), "another size altogether": with(t, "65535B", "128KiB", 0.99),
		"a multiple itself": with(t, "65472B", "65536B", 0.99), "the other one is none either": with(t, "65535B", "65534B", 0.99)} {
		if v := x.verdict(t); v.Limiter == "rdma-alignment" {
			t.Errorf("%s: %s", name, v.Sentence)
		}
	}
}

// What TCP carries over the same link says where to look; where nobody measured it, it is what to measure.
func TestAgainstTCP(t *testing.T) {
	with := func(t *testing.T, share float64) *record.Verdict {
		x := kept(t, "exam/healthy-rdma").carries(t, 0.5)
		return x.twice(t, func(e *record.Experiment) {
			e.Method, e.Verbs = "stream", nil
			e.Goodput.Median = share * float64(e.Ceiling.Limit)
		}).verdict(t)
	}
	if v := with(t, 0.9); v.Limiter != Unexplained || !strings.Contains(v.Sentence, "of RDMA alone") {
		t.Errorf("more by TCP: %s: %s", v.Limiter, v.Sentence)
	}
	if v := with(t, 0.5); !strings.Contains(v.Sentence, "what both share") {
		t.Errorf("as much by TCP: %s", v.Sentence)
	}
	if v := kept(t, "exam/healthy-rdma").carries(t, 0.5).verdict(t); !strings.Contains(v.NextExperiment, "method: stream") && !strings.Contains(v.NextExperiment, "linerate measure stream") {
		t.Errorf("the next experiment: %s", v.NextExperiment)
	}
}

// What the devices of both ends counted stands in the record, those of the card by priority, too.
func TestCountersAreKept(t *testing.T) {
	x := mlx5(t).counted(t, "host2", map[string]int{"rx_prio3_bytes": 5, "rx_prio0_bytes": 7}, map[string]int{"rx_prio3_bytes": 12005, "rx_prio0_bytes": 7})
	var r record.Run
	if err := json.Unmarshal(x.files[runfolder.ManifestName], &r); err != nil {
		t.Fatal(err)
	}
	Run(PlanOf(t, &r), &r, func(name string) ([]byte, error) {
		if b, ok := x.files[name]; ok {
			return b, nil
		}
		return nil, os.ErrNotExist
	})
	from, to := r.Experiments[0].Verbs.Ends[0].Counters, r.Experiments[0].Verbs.Ends[1].Counters
	if from["packet_seq_err"] < 1 || from["sent_pkts"] < 100 || to["out_of_sequence"] < 1 || to["rx_prio3_bytes"] != 12000 {
		t.Errorf("from %v, to %v", from, to)
	}
	for _, name := range []string{"rx_prio0_bytes", "lifespan", "link_downed"} {
		if _, ok := to[name]; ok {
			t.Errorf("%s did not grow: %v", name, to)
		}
	}
}

// The verdict on a full link says how RDMA cuts its messages, and what larger packets would carry.
func TestPathMTUIsSaid(t *testing.T) {
	x := kept(t, "exam/healthy-rdma")
	if v := x.verdict(t); v.Limiter != "link" || !strings.Contains(v.Sentence, "in packets of 4096 bytes (path MTU)") || strings.Contains(v.NextCeiling, "packets of") {
		t.Errorf("%s: %s; then %s", v.Limiter, v.Sentence, v.NextCeiling)
	}
	x = kept(t, "exam/healthy-rdma").record(t, func(e *record.Experiment) {
		for i := range e.Verbs.Ends {
			e.Verbs.Ends[i].PathMTU = 1024
		}
	})
	if v := x.verdict(t); !strings.Contains(v.Sentence, "in packets of 1024 bytes") || !strings.Contains(v.NextCeiling, "; with packets of 4096 bytes (MTU 4200 and more on the way) ") {
		t.Errorf("%s: %s; then %s", v.Limiter, v.Sentence, v.NextCeiling)
	}
}

// IP over InfiniBand in datagram mode with a full processor; the mode alone is a candidate.
func TestIPoIB(t *testing.T) {
	const mode = "\n-- sys/class/net/fast/mode --\ndatagram\n"
	v := kept(t, "exam/healthy-fast").add(t, "host2", mode).verdict(t)
	if v.Limiter != "ipoib-mode" || v.Confidence != "likely" || !strings.Contains(v.Fix, "echo connected > /sys/class/net/fast/mode") {
		t.Errorf("%s (%s): %s; %s", v.Limiter, v.Confidence, v.Sentence, v.Fix)
	}
	if v := kept(t, "exam/healthy-fast").add(t, "host2", strings.Replace(mode, "datagram", "connected", 1)).verdict(t); v.Limiter == "ipoib-mode" {
		t.Errorf("connected mode: %s", v.Sentence)
	}
	if v := kept(t, "exam/healthy-near").add(t, "host2", mode).verdict(t); v.Limiter != "link" {
		t.Errorf("a full link: %s: %s", v.Limiter, v.Sentence)
	}
}
