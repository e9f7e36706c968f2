package tcp

import (
	"math"
	"runtime"
	"testing"
	"time"

	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
	"linerate/internal/traffic/watch"
)

// The samples have every stream and the host; without samples in the setup there are none.
func TestSamples(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("sockets and cores are read on Linux")
	}
	s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 3, Warmup: 50 * time.Millisecond,
		Interval: time.Second, Samples: 10, Pace: 100e6}
	r := traffictest.Pairs(t, table(), traffictest.Drained, s)[0]
	from, to := r.From, r.To
	rows := map[string]map[string][]traffic.Sample{traffic.From: byMetric(r.Rows[traffic.From]),
		traffic.To: byMetric(r.Rows[traffic.To])}
	for side, metrics := range map[string][]string{
		traffic.From: {"rtt", "cwnd", "retrans", "unacked", "snd_wnd", "busy", "rwnd_limited", "sendq", "wmem_queued",
			"sndbuf", "cores.system", "process.user", "link.tx_bytes", "thread.core"},
		traffic.To: {"goodput", "rcv_space", "recvq", "rmem_alloc", "rcvbuf", "cores.idle", "process.system",
			"link.rx_packets", "thread.user"},
	} {
		for _, m := range metrics {
			got := rows[side][m]
			if len(got) == 0 {
				t.Errorf("%s has no %s", side, m)
				continue
			}
			if got[0].Stream >= 0 {
				streams := map[int]bool{}
				for _, r := range got {
					streams[r.Stream] = true
				}
				if len(streams) != 3 {
					t.Errorf("%s: %s of %d of 3 streams", side, m, len(streams))
				}
			}
			for _, r := range got {
				if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || r.Value < 0 || r.TimeNS < from.OpenNS {
					t.Errorf("%s: %+v", side, r)
				}
			}
		}
	}
	if len(from.Retrans) != len(to.Series) || to.Retrans != nil {
		t.Errorf("%d slices of retransmissions at the sender, %d at the receiver; %d of goodput", len(from.Retrans),
			len(to.Retrans), len(to.Series))
	}
	if len(from.Work.Threads) == 0 || from.CPU.Cores[0].Packets == nil {
		t.Errorf("work %+v, cores %+v; not known: %v", from.Work, from.CPU.Cores, from.Unknown)
	}

	s.Samples = 0
	r = traffictest.Pairs(t, table(), traffictest.Drained, s)[0]
	if len(r.Rows[traffic.From])+len(r.Rows[traffic.To]) != 0 || r.From.Busy != nil || r.From.Retrans != nil {
		t.Errorf("samples although none were asked for: %v", r.Rows)
	}
	if len(r.To.Series) == 0 || len(r.From.Work.Threads) == 0 || r.From.Streams[0].Socket == nil {
		t.Error("without samples there is less than the window's edges tell")
	}
}

// byMetric groups samples by metric.
func byMetric(rows []traffic.Sample) map[string][]traffic.Sample {
	out := map[string][]traffic.Sample{}
	for _, r := range rows {
		out[r.Metric] = append(out[r.Metric], r)
	}
	return out
}

// Beyond 64 sockets a tick reads 64 of them, and every one has its turn; the record has the counters of all.
func TestManySocketsInTurn(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("sockets are read on Linux")
	}
	s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 80, Interval: 3 * time.Second, Samples: 10,
		Pace: 1e6}
	r := traffictest.Pairs(t, table(), traffictest.Drained, s)[0]
	seen := map[int]bool{}
	for _, row := range byMetric(r.Rows[traffic.From])["retrans"] {
		seen[row.Stream] = true
	}
	if len(seen) != 80 {
		t.Errorf("%d of 80 streams were asked", len(seen))
	}
	for i, s := range r.From.Streams {
		if s.Socket == nil || s.Socket.Retrans == nil {
			t.Fatalf("stream %d has no counters", i)
		}
	}
}

func TestTurns(t *testing.T) {
	x := watch.Turns{Most: 2}
	var got []int
	for range 4 {
		got = append(got, x.Next(3)...)
	}
	for i, v := range got {
		if v != i%3 {
			t.Fatalf("%v", got)
		}
	}
	if len(got) != 8 || len((&watch.Turns{Most: 5}).Next(2)) != 2 || len((&watch.Turns{Most: 5}).Next(0)) != 0 {
		t.Errorf("%v", got)
	}
}

// The kernel's 32-bit counter wraps; a socket that was unknown at the beginning adds nothing.
func TestRetransWrap(t *testing.T) {
	info := make(traffic.TCPInfo, 248)
	x := &watch.Watcher{W: traffic.Interval{Open: traffic.Now() - int64(250*time.Millisecond),
		Step: int64(100 * time.Millisecond)}, Noted: []int64{1<<32 - 2, -1}}
	x.Seen.Retrans = make([]int64, 10)
	info[traffic.TcpiTotalRetrans] = 3
	x.NoteRetrans(0, info)
	x.NoteRetrans(1, info)
	sum := int64(0)
	for _, v := range x.Seen.Retrans {
		sum += v
	}
	if traffic.LittleEndian() && sum != 5 || x.Seen.Retrans[0] != 0 || x.Seen.Retrans[1] != 0 {
		t.Errorf("%v, want 5 in the third slice or later", x.Seen.Retrans)
	}
}
