package remote

import (
	"math"
	"testing"
	"time"

	"linerate/internal/record"
)

// The figures shown are those of the last second: streams added up, the slowest round trip, the busiest core of each
// host.
func TestLive(t *testing.T) {
	l := &Live{}
	if n := l.Now(); n.Goodput != nil || n.Cores != nil {
		t.Errorf("before anything: %+v", n)
	}
	l.Begin(&record.Chain{Limit: 10e9, Component: "link"})
	a, b, other := l.source(), l.source(), l.source()
	at := time.Now().UnixNano()
	row := func(source, stream int, host, metric string, after time.Duration, v float64) {
		l.add(source, []record.Sample{{End: host, Stream: stream, Metric: metric, TimeNS: at + int64(after), Value: v}})
	}
	for i := range 30 { // the rate doubles after a second and a half
		v := 1e9
		if i >= 15 {
			v = 2e9
		}
		row(b, 0, "nas", "goodput", time.Duration(i)*100*time.Millisecond, v)
		row(b, 1, "nas", "goodput", time.Duration(i)*100*time.Millisecond, v/2)
		row(other, 0, "nas", "goodput", time.Duration(min(i, 3))*10*time.Millisecond, 7e9) // ended long ago
		row(a, -1, "pc", "core.0.user", time.Duration(i)*100*time.Millisecond, float64(i)*0.02)
		row(a, -1, "pc", "core.0.softirq", time.Duration(i)*100*time.Millisecond, float64(i)*0.03)
		row(a, -1, "pc", "core.1.system", time.Duration(i)*100*time.Millisecond, float64(i)*0.04)
		row(a, -1, "pc", "core.1.idle", time.Duration(i)*100*time.Millisecond, float64(i)*0.1)
		row(a, -1, "pc", "link.tx_bytes", time.Duration(i)*100*time.Millisecond, float64(i)*1e6)
	}
	for i := range 30 { // a clock that differs from that of its CPU
		row(b, -1, "guest", "core.0.user", time.Duration(i)*100*time.Millisecond, float64(i)*1.363)
	}
	row(b, 0, "nas", "goodput", 3100*time.Millisecond, 2e9)
	n := l.Now()
	if n.Goodput == nil || math.Abs(*n.Goodput-3e9) > 1 || n.Ceiling == nil || n.Latency != nil || n.Link != nil {
		t.Errorf("%+v", n)
	}
	if len(n.Cores) != 1 || n.Cores[0].Host != "pc" || math.Abs(n.Cores[0].Busy-0.5) > 1e-6 {
		t.Errorf("cores: %+v", n.Cores)
	}

	l.Begin(nil) // of storage; two hosts send requests
	for i := range 5 {
		for _, source := range []int{a, b} {
			for metric, v := range map[string]float64{"reads": 700, "writes": 300, "read_bytes": 7e6, "written_bytes": 3e6} {
				row(source, -1, "n1", metric, time.Duration(i)*100*time.Millisecond, v)
			}
		}
	}
	if n := l.Now(); n.Goodput != nil || n.IOPS == nil || math.Abs(*n.IOPS-2000) > 1e-6 ||
		math.Abs(*n.Bytes-20e6) > 1e-6 {
		t.Errorf("storage: %+v", n)
	}

	l.Begin(nil) // latency, and then something that only has its interface
	row(a, 0, "pc", "latency.max", 0, 9e-3)
	row(a, 0, "pc", "latency.max", 2*time.Second, 3e-5)
	row(a, 0, "pc", "latency.max", 2100*time.Millisecond, 8e-5)
	if n := l.Now(); n.Latency == nil || *n.Latency != 8e-5 {
		t.Errorf("ping: %+v", n)
	}
	l.Begin(nil)
	row(a, -1, "pc", "link.tx_bytes", 0, 0)
	row(a, -1, "pc", "link.tx_bytes", 500*time.Millisecond, 50e6)
	row(b, -1, "nas", "link.rx_bytes", 500*time.Millisecond, 10)
	if n := l.Now(); n.Link == nil || math.Abs(*n.Link-800e6) > 1 {
		t.Errorf("interface: %+v", n)
	}
	var none *Live
	none.Begin(nil)
	none.add(none.source(), []record.Sample{{Metric: "goodput"}})
	if n := none.Now(); n.Goodput != nil {
		t.Errorf("%+v", n)
	}
}
