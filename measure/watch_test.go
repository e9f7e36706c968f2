package measure

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// sampled runs an experiment over the loopback interface and returns the rows that its receiver and its sender made.
func sampled(t *testing.T, s Setup) (from, to *Outcome, rows map[string]map[string][]Sample) {
	t.Helper()
	rows = map[string]map[string][]Sample{From: {}, To: {}} // each end writes its own
	a, b := bothEnds(t, s, func(side string, batch []Sample) {
		for _, r := range batch {
			rows[side][r.Metric] = append(rows[side][r.Metric], r)
		}
	})
	if a.err != nil || b.err != nil {
		t.Fatal(a.err, b.err)
	}
	return a.Outcome, b.Outcome, rows
}

// TestSamples: every stream is asked, what is of the host comes with it, and nothing when nothing is asked for.
func TestSamples(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("sockets and cores are read on Linux")
	}
	s := Setup{Method: "stream", Direction: Out, Streams: 3, Warmup: 50 * time.Millisecond, Window: time.Second, Samples: 10, Pace: 100e6}
	from, to, rows := sampled(t, s)
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
				if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || r.Value < 0 || r.TimeNS < from.OpenNS || r.TimeNS > from.CloseNS+int64(time.Second) {
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
	if from, to, rows = sampled(t, s); len(rows[From])+len(rows[To]) != 0 || from.Busy != nil || from.Retrans != nil {
		t.Errorf("samples although none were asked for: %v", rows)
	}
	if to.Goodput <= 0 || len(to.Series) == 0 || len(from.Work.Threads) == 0 || from.Streams[0].Socket == nil {
		t.Error("without samples there is less than the window's edges tell")
	}
}

// TestManySocketsInTurn: beyond 64 sockets a tick asks 64 of them, and every one has its turn; the record has the
// counters of all.
func TestManySocketsInTurn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("sockets are read on Linux")
	}
	from, _, rows := sampled(t, Setup{Method: "stream", Direction: Out, Streams: 80, Window: 700 * time.Millisecond, Warmup: 100 * time.Millisecond, Samples: 10, Pace: 1e6})
	seen, ticks := map[int]int{}, map[int64]int{}
	for _, r := range rows[From]["retrans"] {
		seen[r.Stream]++
		ticks[(r.TimeNS-from.OpenNS)/int64(95*time.Millisecond)]++
	}
	if len(seen) != 80 {
		t.Errorf("%d of 80 streams were asked", len(seen))
	}
	for i, s := range from.Streams {
		if s.Socket == nil { // closed before they could be asked
			t.Skip("this machine was too busy to ask the sockets at the end of the window")
		}
		if s.Socket.Retrans == nil {
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
