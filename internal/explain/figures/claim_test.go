package figures

import (
	"math"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/record/claims"
)

// transport returns a transport with known ceilings; an empty name means none.
func transport(t *testing.T, name string) path.Transport {
	t.Helper()
	for _, tr := range path.Transports() {
		if tr.Name == name {
			return tr
		}
	}
	if name != "" {
		t.Fatal(name)
	}
	return path.Transport{}
}

// heldClaim returns a figure compared with a path, by default with MTU 1500 and no TCP timestamps.
func heldClaim(t *testing.T, f claims.Figure, a path.Asked, name string) *Claim {
	t.Helper()
	if a.Frame.MTU == 0 {
		a.Frame.MTU = 1500
	}
	c, errs := NewClaim(f, Said{Name: "out"}, a, transport(t, name))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return c
}

// claim returns a figure compared with an Ethernet link, TCP without timestamps as Windows sends it.
func claim(t *testing.T, f claims.Figure, link unit.BitRate, mtu int) *Claim {
	t.Helper()
	return heldClaim(t, f, path.Asked{Rate: link, Frame: ceiling.Ethernet{MTU: mtu}}, "tcp")
}

// Two measurements over 40GbE with 4 streams at two MTUs are limited by one thread that packets fill; the effect of
// more processes follows.
func TestClaimsOfOneThread(t *testing.T) {
	f := func(sum unit.BitRate, streams ...unit.BitRate) claims.Figure {
		return claims.Figure{Tool: "iperf3", Rate: sum, Streams: streams, OneThread: unit.Unknown[bool]("it does not say")}
	}
	small := claim(t, f(12e9, 3e9, 3e9, 3e9, 2.99e9), 40e9, 1500)
	jumbo := claim(t, f(24.5e9, 6.23e9, 6.2e9, 6.06e9, 6.01e9), 40e9, 9000)
	Claims([]*Claim{small, jumbo})
	for _, c := range []*Claim{small, jumbo} {
		v := c.Verdict
		if v.Limiter != "tool-single-thread" || v.Confidence != "likely" || !strings.Contains(v.Sentence,
			"Each packet costs 593 ns") ||
			!strings.Contains(v.Sentence, "30.7 Gb/s at most") || v.Fix == "" {
			t.Errorf("%+v", v)
		}
	}
	if !strings.HasPrefix(small.Verdict.NextCeiling, "4 processes on cores of their own: 38.0 Gb/s") {
		t.Error(small.Verdict.NextCeiling)
	}
	// One of them alone is not enough, nor are both of a tool with one thread a stream.
	small = claim(t, f(12e9, 3e9, 3e9, 3e9, 2.99e9), 40e9, 1500)
	Claims([]*Claim{small})
	if v := small.Verdict; v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 1 ||
		v.Candidates[0].Limiter != "tool-single-thread" || v.NextExperiment == "" {
		t.Errorf("%+v", v)
	}
	small.OneThread = unit.Known(false)
	jumbo.OneThread = unit.Known(false)
	Claims([]*Claim{small, jumbo})
	if v := small.Verdict; v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 0 {
		t.Errorf("%+v", v)
	}
	// A full core next to equal streams is.
	small.OneThread, small.SenderCPU = unit.Known(true), unit.Known(0.99)
	Claims([]*Claim{small})
	if v := small.Verdict; v.Limiter != "tool-single-thread" {
		t.Errorf("%+v", v)
	}
	// Impossible costs: goodput decreases with the MTU.
	small, jumbo = claim(t, f(20e9, 5e9, 5.4e9), 40e9, 1500), claim(t, f(10e9, 5e9, 5.4e9), 40e9, 9000)
	Claims([]*Claim{small, jumbo})
	if small.Verdict.Limiter != record.LimiterUnexplained || jumbo.Verdict.Limiter != record.LimiterUnexplained {
		t.Errorf("%+v %+v", small.Verdict, jumbo.Verdict)
	}
}

func TestClaimsAlone(t *testing.T) {
	for _, c := range []struct {
		rate, link unit.BitRate
		mtu        int
		limiter    string
		sentence   string
	}{
		{9.6e9, 10e9, 1500, "layer-mixed", "The data is about 9.26 Gb/s"},
		{9.84e9, 10e9, 1500, "layer-mixed", "9.84 Gb/s of frames"},
		{9.9e9, 10e9, 1500, "above-ceiling", "is impossible"},
		{9.49e9, 10e9, 1500, "link", "The link is full"},
		{9.22e9, 10e9, 1500, "link", "The link is full"},
		{9.2e9, 10e9, 1500, record.LimiterUnexplained, "97 %"},
		{108e9, 100e9, 9000, "above-ceiling", "at most 99.1 Gb/s"},
		{136e9, 100e9, 9000, "above-ceiling", "at most 99.1 Gb/s"},
		{454e6, 1e9, 1500, record.LimiterUnexplained, "One number cannot show why"},
	} {
		x := claim(t, claims.Figure{Rate: c.rate}, c.link, c.mtu)
		Claims([]*Claim{x})
		if v := x.Verdict; v.Limiter != c.limiter || !strings.Contains(v.Sentence, c.sentence) ||
			(v.Limiter == record.LimiterUnexplained) != (v.Confidence == "") {
			t.Errorf("%v of %v: %s: %s", c.rate, c.link, v.Limiter, v.Sentence)
		}
	}
	roce := heldClaim(t, claims.Figure{Rate: 93e9}, path.Asked{Rate: 100e9, PathMTU: 1024}, "rocev2")
	Claims([]*Claim{roce})
	if v := roce.Verdict; v.Limiter != "rdma-path-mtu" || v.Confidence != "proved" ||
		!strings.Contains(v.NextCeiling, "98.0 Gb/s") {
		t.Errorf("%+v", v)
	}
}

// Figures that were published, or are in descriptions of networks, and the verdict on each.
func TestClaimsPublished(t *testing.T) {
	bus := func(slot string, payload int) path.Asked {
		return path.Asked{Rate: 100e9, PCIe: slot, Payload: payload}
	}
	for _, c := range []struct {
		what       string
		rate       unit.BitRate
		a          path.Asked
		over       string
		limiter    string
		confidence string
		say        string // in the sentence or a candidate
	}{
		{"QL41212 in 3.0x2, MaxPayload not known", 13e9, path.Asked{Rate: 25e9, PCIe: "3.0x2"}, "rocev2", "pcie", "likely",
			"12.3 Gb/s to 14.4 Gb/s"},
		{"XL710 in 2.0x4", 11e9, path.Asked{Rate: 40e9, PCIe: "2.0x4"}, "rocev2", record.LimiterUnexplained, "",
			"pcie: 94 % of the 11.7 Gb/s"},
		{"Gen5 x4, MTU 9000", 110e9, path.Asked{Rate: 200e9, PCIe: "5.0x4", Frame: ceiling.Ethernet{MTU: 9000}}, "rocev2",
			"pcie", "likely", "95.8 Gb/s to 112 Gb/s"},
		{"ib_write_bw of 64 KiB at path MTU 1024", 92.57e9, path.Asked{Rate: 100e9, PathMTU: 1024, IO: 65536}, "rocev2",
			"rdma-path-mtu", "proved", "100 % of it"},
		{"two functions of one port, added", 189.85e9, path.Asked{Rate: 200e9, PathMTU: 1024}, "rocev2", "above-ceiling",
			"proved", "at most 185 Gb/s"},
		{"40GbE, RoCE v1", 36.31e9, path.Asked{Rate: 40e9, PathMTU: 1024}, "rocev1", "rdma-path-mtu", "proved", "99.1 %"},
		{"ib_send_bw on 100GbE", 97e9, path.Asked{Rate: 100e9, PathMTU: 4096}, "rocev2", "link", "proved",
			"The link is full"},
		{"UDP over 40GbE at 9000", 37.23e9, path.Asked{Rate: 40e9, Frame: ceiling.Ethernet{MTU: 9000}}, "udp",
			record.LimiterUnexplained, "", "94 %"},
		{"FDR behind 3.0x8", 56e9, path.Asked{InfiniBand: "FDR", Lanes: 4, PCIe: "3.0x8"}, "ib", "layer-mixed", "proved",
			"data gets at most 52.9 Gb/s"},
		{"DDR's signalling", 20e9, path.Asked{InfiniBand: "DDR", Lanes: 4}, "ib", "layer-mixed", "proved",
			"at most 15.8 Gb/s"},
		{"a NIC of DDR in 1.1x8", 11.2e9, path.Asked{InfiniBand: "DDR", Lanes: 4, PCIe: "1.1x8"}, "ib", "pcie", "likely",
			"10.2 Gb/s to 12.4 Gb/s"},
		{"line rate of 25GbE", 25e9, path.Asked{Rate: 25e9}, "tcp", "layer-mixed", "proved", "the link's own rate"},
		{"reads of four nodes, added", 189.7e9, path.Asked{Rate: 100e9}, "tcp", "above-ceiling", "proved", "at most 94"},
		{"the bus in Linux's log", 126.024e9, path.Asked{PCIe: "4.0x8", WithoutLink: true}, "", "layer-mixed", "proved",
			"what Linux prints of PCIe 4.0x8"},
		{"64 Gb/s in a slot of Gen3", 64e9, bus("3.0x8", 256), "rocev2", "above-ceiling", "proved", "at most 52.9 Gb/s"},
		{"64 Gb/s in a slot of Gen4", 64e9, bus("4.0x8", 256), "rocev2", record.LimiterUnexplained, "", "69 %"},
		{"12.2 Gb/s in 1.1x8, MaxPayload known", 12.2e9, bus("1.1x8", 256), "rocev2", "pcie", "proved",
			"PCIe 1.1 x8 (receiving) is full"},
		{"a window that is too small for it", 6.2e9, path.Asked{Rate: 40e9, Interval: 65536, RTT: 112 * time.Microsecond},
			"tcp", "above-ceiling", "proved", "86.8 kB or more"},
		{"a window that is full", 4.6e9, path.Asked{Rate: 40e9, Interval: 65536, RTT: 112 * time.Microsecond}, "tcp",
			"receive-window-cap", "proved", "window of 64 KiB"},
		{"64 KiB under way, the window not said", 4.68e9, path.Asked{Rate: 40e9, RTT: 112 * time.Microsecond}, "tcp",
			record.LimiterUnexplained, "", "window-scaling-off: each connection has 65.5 kB"},
		{"1GbE in place of 10GbE", 941e6, path.Asked{Rate: 10e9}, "tcp", record.LimiterUnexplained, "",
			"link-speed: 99.1 % of what a link of 1.00 Gb/s"},
		{"MTU 1500 in place of 9000", 9.41e9, path.Asked{Rate: 10e9, Frame: ceiling.Ethernet{MTU: 9000}}, "tcp",
			record.LimiterUnexplained, "", "mtu-one-sided: 99.1 % of what an MTU of 1500"},
		{"RoCE at 9000 with a path MTU of 1024", 93e9, path.Asked{Rate: 100e9, Frame: ceiling.Ethernet{MTU: 9000}},
			"rocev2",
			record.LimiterUnexplained, "", "rdma-path-mtu: 100 % of what packets of 1024"},
		{"above SATA", 632e6 * 8, path.Asked{Drive: "sata3", WithoutLink: true}, "", "above-ceiling", "proved",
			"Memory took part"},
		{"all of SATA", 588e6 * 8, path.Asked{Drive: "sata3", WithoutLink: true}, "", "drive", "likely",
			"a cache may have taken part"},
		{"most of SATA", 561e6 * 8, path.Asked{Drive: "sata3", WithoutLink: true}, "", record.LimiterUnexplained, "",
			"drive: drives get some 90 %"},
		{"a drive's own rate", 74.3e9, path.Asked{Rate: 100e9, PathMTU: 4096, Drive: "13244MiB/s"}, "rocev2",
			record.LimiterUnexplained, "", "76 % of the maximum of the link"},
	} {
		x := heldClaim(t, claims.Said(c.rate, "said"), c.a, c.over)
		Claims([]*Claim{x})
		v := x.Verdict
		said := v.Sentence
		for _, p := range v.Candidates {
			said += "\n" + p.Limiter + ": " + p.Text
		}
		if v.Limiter != c.limiter || v.Confidence != c.confidence || !strings.Contains(said, c.say) || v.Unknown == nil ||
			v.Candidates == nil {
			t.Errorf("%s: %s (%s): %s", c.what, v.Limiter, v.Confidence, said)
		}
		if v.Limiter == record.LimiterUnexplained && v.NextExperiment == "" || v.Limiter != record.LimiterUnexplained &&
			v.Limiter != record.LimiterLink && v.Fix == "" {
			t.Errorf("%s: neither an experiment nor a fix: %+v", c.what, v)
		}
	}
	// A bound above the ceiling of the bus.
	x, errs := NewClaim(claims.Said(20e9, "said"), Said{Name: "<20G", LessThan: true},
		path.Asked{Rate: 100e9, PCIe: "1.1x8", Frame: ceiling.Ethernet{MTU: 1500}}, transport(t, "rocev2"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	Claims([]*Claim{x})
	if v := x.Verdict; v.Limiter != "pcie" || v.Confidence != "likely" || v.ShareOfCeiling != nil ||
		!strings.Contains(v.NextCeiling, "link at 92.6 Gb/s") {
		t.Errorf("%+v", v)
	}
	x.asked.PCIe, x.Chain.Limit, x.most = "", 98e9, 0
	Claims([]*Claim{x})
	if v := x.Verdict; v.Limiter != record.LimiterUnexplained || v.NextExperiment == "" {
		t.Errorf("%+v", v)
	}
	if _, errs := NewClaim(claims.Said(1e9, "said"), Said{}, path.Asked{WithoutLink: true,
		Frame: ceiling.Ethernet{MTU: 1500}}, path.Transport{}); len(errs) == 0 {
		t.Error("nothing to compare it with, and no error")
	}
}

// Datagrams at two MTUs: the costs of a packet and a byte are a verdict together with a full core.
func TestClaimsOfOneCore(t *testing.T) {
	udp := func(rate unit.BitRate, mtu int) *Claim {
		return heldClaim(t, claims.Said(rate, "said"), path.Asked{Rate: 10e9, Frame: ceiling.Ethernet{MTU: mtu}}, "udp")
	}
	small, jumbo := udp(5.8e9, 1500), udp(9.4e9, 9000)
	Claims([]*Claim{small, jumbo})
	if v := small.Verdict; v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 1 ||
		v.Candidates[0].Limiter != "cpu-per-packet" || !strings.Contains(v.Candidates[0].Text,
		"930 ns on a packet and 0.747 ns on a byte") {
		t.Errorf("%+v", v)
	}
	if p := small.Predictions; len(p) != 3 || !strings.HasPrefix(p[0].If, "MTU 4000") ||
		math.Abs(float64(p[0].Rate)-8.15e9) > 0.01e9 {
		t.Errorf("%+v", p)
	}
	small, jumbo = udp(5.8e9, 1500), udp(9.4e9, 9000)
	small.SenderCPU = unit.Known(0.997)
	Claims([]*Claim{small, jumbo})
	if v := small.Verdict; v.Limiter != "cpu-per-packet" || v.Confidence != "likely" || len(v.Unknown) != 3 {
		t.Errorf("%+v", v)
	}
	// Figures of two tools are not combined.
	small, jumbo = udp(5.8e9, 1500), udp(9.4e9, 9000)
	jumbo.Tool = "iperf3"
	Claims([]*Claim{small, jumbo})
	if len(small.Predictions)+len(small.Verdict.Candidates) != 0 {
		t.Errorf("%+v", small)
	}
}

// Values in a tool's output are used where none were given: packets, messages, both directions.
func TestClaimsTakeWhatTheOutputSays(t *testing.T) {
	f := claims.Said(40e9, "row")
	f.PathMTU, f.Block, f.BothWays = 1024, 65536, true
	c := heldClaim(t, f, path.Asked{Rate: 100e9, PCIe: "3.0x8", Payload: 256}, "rocev2")
	if c.Chain.Direction != "both" || c.asked.PathMTU != 1024 || c.asked.IO != 65536 ||
		math.Abs(float64(c.Chain.Limit)-50.75e9) > 0.01e9 {
		t.Errorf("%+v", c.Chain)
	}
	c = heldClaim(t, f, path.Asked{Rate: 100e9, PathMTU: 4096, IO: 4096}, "rocev2")
	if c.asked.PathMTU != 4096 || c.asked.IO != 4096 {
		t.Errorf("%+v", c.asked)
	}
}

// Requests in flight and their time are compared with the rate; other rows show the effect of more requests.
func TestClaimsOfQueues(t *testing.T) {
	row := func(name, way string, block unit.Bytes, depth, threads int, latency float64, rate float64) *Claim {
		f := claims.Said(unit.BitRate(8*rate), "row")
		f.Tool, f.Row, f.Way, f.Block, f.Pattern = "crystaldiskmark", name, way, block, "random"
		f.Depth, f.Threads, f.Latency = unit.Known(depth), unit.Known(threads), unit.Known(latency)
		return heldClaim(t, f, path.Asked{Drive: "pcie4x4", WithoutLink: true}, "")
	}
	one, many := row("RND 4KiB Q1 T1 read", "read", 4096, 1, 1, 48.38e-6, 84.503e6),
		row("RND 4KiB Q32 T16 read", "read", 4096, 32, 16, 494.56e-6, 4094.649e6)
	Claims([]*Claim{one, many})
	if v := one.Verdict; v.Limiter != record.LimiterOneConnection || v.Confidence != "proved" || v.Identity == nil ||
		v.Identity.Difference > 0.005 || !strings.Contains(v.Identity.Left, "84.7") &&
		!strings.Contains(v.Identity.Left, "677 Mb/s") {
		t.Errorf("%+v %+v", v, v.Identity)
	}
	if v := many.Verdict; v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 0 {
		t.Errorf("%+v", v)
	}
	// Writes are not compared with reads, and more requests that are not faster exclude the queue.
	write, flat := row("RND 4KiB Q1 T1 write", "write", 4096, 1, 1, 48.38e-6, 84.503e6),
		row("RND 4KiB Q32 T16 read", "read", 4096, 32, 16, 0.024, 85e6)
	one = row("RND 4KiB Q1 T1 read", "read", 4096, 1, 1, 48.38e-6, 84.503e6)
	Claims([]*Claim{one, write, flat})
	if v := one.Verdict; v.Limiter != record.LimiterUnexplained || v.Candidates[0].Limiter != "media-limit" {
		t.Errorf("%+v", v)
	}
	if v := write.Verdict; v.Limiter != record.LimiterUnexplained ||
		v.Candidates[0].Limiter != record.LimiterOneConnection {
		t.Errorf("%+v", v)
	}
	// Sequential rows are not compared with random ones.
	one, many = row("RND 4KiB Q1 T1 read", "read", 4096, 1, 1, 48.38e-6, 84.503e6),
		row("SEQ 4KiB Q32 T1 read", "read", 4096, 32, 1, 30e-6, 4000e6)
	many.Pattern = "sequential"
	Claims([]*Claim{one, many})
	if v := one.Verdict; v.Limiter != record.LimiterUnexplained {
		t.Errorf("%+v", v)
	}
	// The queue was not full.
	x := row("SEQ 1MiB Q8 T1 read", "read", 1<<20, 8, 1, 987.81e-6, 6427.749e6)
	Claims([]*Claim{x})
	if v := x.Verdict; v.Identity.Difference < 0.05 || len(v.Candidates) != 0 ||
		!strings.Contains(v.Evidence[len(v.Evidence)-1].Text, "of 8 requests 6.06 were in flight") {
		t.Errorf("%+v", v)
	}
	// More than the bus allows: memory, if the output says that the requests went through the page cache.
	for buffered, want := range map[bool]string{true: "page-cache-read", false: "above-ceiling"} {
		x := row("read", "read", 1<<20, 1, 1, 0.0001, 10e9)
		x.Buffered = unit.Known(buffered)
		Claims([]*Claim{x})
		if v := x.Verdict; v.Limiter != want || !buffered && !strings.Contains(v.Sentence, "the page cache was not used") {
			t.Errorf("%+v", v)
		}
	}
	// Threads of a drive's tool are not streams of one thread.
	x = row("read", "read", 4096, 1, 2, 0.0001, 80e6)
	x.Streams, x.OneThread = []unit.BitRate{320e6, 320e6}, unit.Unknown[bool]("it does not say")
	Claims([]*Claim{x})
	for _, p := range x.Verdict.Candidates {
		if p.Limiter == "tool-single-thread" {
			t.Errorf("%+v", x.Verdict)
		}
	}
}

// The next step for a figure of storage measures storage.
func TestClaimsOfSharesTryBlock(t *testing.T) {
	f := claims.Figure{Rate: 7.2e9, OneThread: unit.Unknown[bool]("it does not say")}
	for name, want := range map[string]string{"smb": "measure storage --to FOLDER", "nfs": "measure storage --to FOLDER",
		"iscsi": "measure storage --to DEVICE", "nvme-tcp": "measure storage --to DEVICE", "tcp": "measure throughput HOST"} {
		c := heldClaim(t, f, path.Asked{Rate: 10e9, IO: 128 << 10, Frame: ceiling.Ethernet{MTU: 1500, Timestamps: true}},
			name)
		Claims([]*Claim{c})
		if !strings.Contains(c.Verdict.NextExperiment, want) {
			t.Errorf("%s: %+v", name, c.Verdict)
		}
	}
}

// Without a link, a slot or a drive only what the output itself shows is explained, and the rest says what is missing.
func TestClaimsWithoutCeiling(t *testing.T) {
	alone := WithoutCeiling(claims.Said(9.4e9, "said"), Said{Name: "out"}, 1500)
	full := claims.Said(9.4e9, "said")
	full.Tool, full.Transport = "iperf3", "tcp"
	full.Streams = []unit.BitRate{2.35e9, 2.35e9, 2.35e9, 2.35e9}
	full.ReceiverCPU = unit.Known(0.99)
	one := WithoutCeiling(full, Said{Name: "out"}, 1500)
	Claims([]*Claim{alone})
	Claims([]*Claim{one})
	if unknown, flag := alone.NeedsCeiling(); unknown != "link speed unknown" || flag == "" || alone.IsExplained() {
		t.Errorf("%q, %q: %+v", unknown, flag, alone.Verdict)
	}
	if v := one.Verdict; v.Limiter != "tool-single-thread" || v.Confidence != "likely" || v.ShareOfCeiling != nil ||
		!one.IsExplained() || !strings.Contains(v.Sentence, "full at 9.40 Gb/s") || strings.Contains(v.NextCeiling,
		"0 b/s") {
		t.Errorf("%+v", v)
	}
}
