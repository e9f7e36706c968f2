package iproute

import (
	"testing"

	"linerate/internal/base/unit"
)

func TestTCNumbers(t *testing.T) {
	for s, want := range map[string]unit.BitRate{"1Gbit": 1e9, "123456Kbit": 123456e3, "8bit": 8, "2.5Gbit": 2.5e9,
		"1Gibit": 1 << 30, "125000000Bps": 1e9, "10Tbit": 1e13, "": -1, "fast": -1, "1G": -1, "bit": -1, "-1bit": -1,
		"NaNbit": -1, "1e999bit": -1} {
		got, err := tcRate(s)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for s, want := range map[string]int64{"128Kb": 128 << 10, "1514b": 1514, "0b": 0, "4096": 4096, "2Mb": 2 << 20,
		"": -1, "b": -1, "10240p": -1, "-5b": -1} {
		got, err := tcSize(s)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
}

// TestParseTCQdisc reads forms of other releases and disciplines.
func TestParseTCQdisc(t *testing.T) {
	for name, c := range map[string]struct {
		text, kind, parent string
		rate               unit.BitRate // -1: unknown
		backlog            uint64
	}{
		"netem": {`[{"kind":"netem","handle":"8002:","dev":"e0","root":true,"options":{"limit":1000,"rate":{"rate":37500000,"packetoverhead":0},"ecn":false},"bytes":1,"packets":1,"backlog":5}]`, "netem", "root", 300e6, 5},
		"netem, text": {"qdisc netem 8002: dev e0 root refcnt 2 limit 1000 delay 10.0ms rate 300Mbit\n Sent 1 bytes 1 " +
			"pkt (dropped 0, overlimits 0 requeues 0)\n backlog 2Kb 1p requeues 0\n", "netem", "root", 300e6, 2048},
		"netem, delay": {"qdisc netem 8002: dev e0 root refcnt 2 limit 1000 delay 10.0ms\n", "netem", "root", -1, 0},
		"cake":         {`[{"kind":"cake","handle":"8003:","dev":"e0","root":true,"options":{"bandwidth":12500000,"rtt":100000}}]`, "cake", "root", 100e6, 0},
		"cake, free": {`[{"kind":"cake","handle":"8003:","dev":"e0","root":true,"options":{"bandwidth":"unlimited"}}]`,
			"cake", "root", -1, 0},
		"child of mq": {"qdisc fq_codel 0: dev e0 parent :1 limit 10240p flows 1024\n", "fq_codel", ":1", -1, 0},
		"offloaded": {"qdisc mq 0: [Unknown qdisc, optlen=0] dev e0 root [offloaded]\n Sent 1 bytes 1 pkt (dropped 0, " +
			"overlimits 0 requeues 0)\n", "mq", "root", -1, 0},
	} {
		q, err := parseTCQdisc([]byte(c.text))
		if err != nil || len(q) != 1 {
			t.Errorf("%s: %+v, %v", name, q, err)
			continue
		}
		if q[0].Kind != c.kind || q[0].Parent != c.parent || q[0].Device != "e0" || q[0].Rate.Or(-1) != c.rate ||
			q[0].Backlog != c.backlog {
			t.Errorf("%s: %+v", name, q[0])
		}
	}
	if q, err := parseTCQdisc([]byte("qdisc tbf 1: dev e0 root\n Sent many bytes\n")); err == nil || len(q) != 1 {
		t.Errorf("damaged counters: %+v, %v", q, err)
	}
	if c, err := parseTCClass([]byte(`[{"class":"htb","handle":"1:10","parent":"1:1","rate":62500000,"ceil":100000000,"bytes":5}]`)); err != nil || c[0].Rate.Or(0) != 500e6 || c[0].Ceil.Or(0) != 800e6 ||
		c[0].Bytes != 5 {
		t.Errorf("classes as JSON: %+v, %v", c, err)
	}
}
