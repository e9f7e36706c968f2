package traffic

import (
	"math"
	"runtime"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// TestSamples: every stream is asked, what is of the host comes with it, and nothing when nothing is asked for.
func TestSamples(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("sockets and cores are read on Linux")
	}
	s := Setup{Method: "stream", Direction: Out, Streams: 3, Warmup: 50 * time.Millisecond, Window: time.Second, Samples: 10, Pace: 100e6}
	r := pairs(t, drained, s)[0]
	from, to := r.from, r.to
	rows := map[string]map[string][]Sample{From: byMetric(r.rows[From]), To: byMetric(r.rows[To])}
	for side, metrics := range map[string][]string{
		From: {"rtt", "cwnd", "retrans", "unacked", "snd_wnd", "busy", "rwnd_limited", "sendq", "wmem_queued", "sndbuf", "cores.system", "process.user", "link.tx_bytes", "thread.core"},
		To:   {"goodput", "rcv_space", "recvq", "rmem_alloc", "rcvbuf", "cores.idle", "process.system", "link.rx_packets", "thread.user"},
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
		t.Errorf("%d slices of retransmissions at the sender, %d at the receiver; %d of goodput", len(from.Retrans), len(to.Retrans), len(to.Series))
	}
	if len(from.Work.Threads) == 0 || from.CPU.Cores[0].Packets == nil {
		t.Errorf("work %+v, cores %+v; not known: %v", from.Work, from.CPU.Cores, from.Unknown)
	}

	s.Samples = 0
	r = pairs(t, drained, s)[0]
	if len(r.rows[From])+len(r.rows[To]) != 0 || r.from.Busy != nil || r.from.Retrans != nil {
		t.Errorf("samples although none were asked for: %v", r.rows)
	}
	if len(r.to.Series) == 0 || len(r.from.Work.Threads) == 0 || r.from.Streams[0].Socket == nil {
		t.Error("without samples there is less than the window's edges tell")
	}
}

// byMetric sorts samples by what they are of.
func byMetric(rows []Sample) map[string][]Sample {
	out := map[string][]Sample{}
	for _, r := range rows {
		out[r.Metric] = append(out[r.Metric], r)
	}
	return out
}

// TestManySocketsInTurn: beyond 64 sockets a tick asks 64 of them, and every one has its turn; the record has the
// counters of all.
func TestManySocketsInTurn(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("sockets are read on Linux")
	}
	s := Setup{Method: "stream", Direction: Out, Streams: 80, Window: 3 * time.Second, Samples: 10, Pace: 1e6}
	r := pairs(t, drained, s)[0]
	seen := map[int]bool{}
	for _, row := range byMetric(r.rows[From])["retrans"] {
		seen[row.Stream] = true
	}
	if len(seen) != 80 {
		t.Errorf("%d of 80 streams were asked", len(seen))
	}
	for i, s := range r.from.Streams {
		if s.Socket == nil || s.Socket.Retrans == nil {
			t.Fatalf("stream %d has no counters", i)
		}
	}
}

func TestTurns(t *testing.T) {
	x := turns{most: 2}
	var got []int
	for range 4 {
		got = append(got, x.next(3)...)
	}
	for i, v := range got {
		if v != i%3 {
			t.Fatalf("%v", got)
		}
	}
	if len(got) != 8 || len((&turns{most: 5}).next(2)) != 2 || len((&turns{most: 5}).next(0)) != 0 {
		t.Errorf("%v", got)
	}
}

// TestRetransWrap: the kernel's 32-bit counter wraps; a socket that was not known at the opening adds nothing.
func TestRetransWrap(t *testing.T) {
	info := make(tcpInfo, 248)
	x := &watcher{w: window{open: Now() - int64(250*time.Millisecond), step: int64(100 * time.Millisecond)}, noted: []int64{1<<32 - 2, -1}}
	x.seen.retrans = make([]int64, 10)
	info[tcpiTotalRetrans] = 3
	x.noteRetrans(0, info)
	x.noteRetrans(1, info)
	sum := int64(0)
	for _, v := range x.seen.retrans {
		sum += v
	}
	if littleEndian() && sum != 5 || x.seen.retrans[0] != 0 || x.seen.retrans[1] != 0 {
		t.Errorf("%v, want 5 in the third slice or later", x.seen.retrans)
	}
}
