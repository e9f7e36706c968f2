package facts

import (
	"math"
	"testing"
	"time"

	"linerate/internal/base/unit"
)

// Two captures 1.5 s apart while the tbf held a stream back.
func TestDelta(t *testing.T) {
	a, b := load(t, "left.before.txtar"), load(t, "left.after.txtar")
	d, ok := Elapsed(a, b)
	if !ok || d < 1400*time.Millisecond || d > 1700*time.Millisecond {
		t.Fatalf("elapsed %v, %v", d, ok)
	}
	tx, ok := CounterDelta(a, b, "va", "tx_bytes")
	if rate := float64(tx) * 8 / d.Seconds(); !ok || rate < 0.9e9 || rate > 1.02e9 {
		t.Errorf("%v bit/s behind a tbf of 1 Gbit/s (%v)", rate, ok)
	}
	q := QdiscDelta(a, b, "va")
	if len(q) != 1 || q[0].Qdisc.Kind != "tbf" || q[0].Overlimits == 0 || math.Abs(float64(q[0].Bytes)/float64(tx)-1) > 0.05 {
		t.Errorf("%+v", q)
	}
	cpu := CPUDelta(a, b)
	if len(cpu) != 2 {
		t.Fatalf("%+v", cpu)
	}
	for _, c := range cpu {
		if sum := c.User + c.Nice + c.System + c.Idle + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal; math.Abs(sum-1) > 1e-9 || c.Busy() <= 0 || c.Busy() > 1 {
			t.Errorf("%+v adds up to %v", c, sum)
		}
	}
	if n, ok := SNMPDelta(a, b, "Tcp.OutSegs"); !ok || n < 100000 {
		t.Errorf("Tcp.OutSegs %v, %v", n, ok)
	}
	if s := SoftnetDelta(a, b); len(s) != 2 || s[0].Processed+s[1].Processed == 0 {
		t.Errorf("%+v", s)
	}
	// The other way round nothing can be said.
	if _, ok := Elapsed(b, a); ok {
		t.Error("time went back")
	}
	if n, ok := CounterDelta(b, a, "va", "tx_bytes"); ok {
		t.Errorf("a counter that went back grew by %d", n)
	}
	if q := QdiscDelta(b, a, "va"); len(q) != 0 {
		t.Errorf("%+v", q)
	}
	b.Boot = "another"
	if _, ok := CounterDelta(a, b, "va", "tx_bytes"); ok || CPUDelta(a, b) != nil || QdiscDelta(a, b, "va") != nil || SoftnetDelta(a, b) != nil {
		t.Error("counters of another boot")
	}
}

func TestDeltaEdges(t *testing.T) {
	a := &Facts{When: time.Unix(1, 0), CPU: CPU{Cores: []CoreTime{{Core: 0, User: 5, Idle: 9}, {Core: 1, User: 5}, {Core: 2, User: 5}, {Core: 3, User: 1}}},
		NICs: []Interface{{Name: "e", Index: 1, Counters: map[string]uint64{"rx_bytes": 1}, Driven: map[string]uint64{"oob": 1},
			Qdiscs: []Qdisc{{Kind: "fq", Handle: "0:", Packets: math.MaxUint32, Bytes: 1}}}, {Name: "new", Index: 2, Counters: map[string]uint64{"rx_bytes": 1}}},
		Softnet: []SoftnetCPU{{Core: 0, Processed: math.MaxUint32, Dropped: 7}}, Counters: map[string]uint64{"x": 5}}
	b := &Facts{When: time.Unix(3, 0), CPU: CPU{Cores: []CoreTime{{Core: 0, User: 6, Idle: 8.5}, {Core: 1, User: 2}, {Core: 3, User: 1}, {Core: 4}}},
		NICs: []Interface{{Name: "e", Index: 1, Counters: map[string]uint64{"rx_bytes": 4}, Driven: map[string]uint64{"oob": 8},
			Qdiscs: []Qdisc{{Kind: "fq", Handle: "0:", Packets: 1, Bytes: 9}}}, {Name: "new", Index: 3, Counters: map[string]uint64{"rx_bytes": 9}}},
		Softnet: []SoftnetCPU{{Core: 0, Processed: 4, Dropped: 7}}, Counters: map[string]uint64{}}
	if d, ok := Elapsed(a, b); d != 2*time.Second || !ok {
		t.Errorf("elapsed by the wall clock: %v, %v", d, ok)
	}
	b.Uptime = unit.Known(5 * time.Second)
	a.Uptime = unit.Known(4 * time.Second)
	if d, _ := Elapsed(a, b); d != time.Second {
		t.Errorf("elapsed since boot: %v", d)
	}
	// Idle went back, core 1 restarted, 2 is gone, 3 stood still, 4 is new.
	if c := CPUDelta(a, b); len(c) != 1 || c[0] != (CoreShare{Core: 0, User: 1}) {
		t.Errorf("%+v", c)
	}
	if n, ok := CounterDelta(a, b, "e", "oob"); n != 7 || !ok {
		t.Errorf("the driver's counter: %v, %v", n, ok)
	}
	for _, name := range []string{"new", "none"} {
		if n, ok := CounterDelta(a, b, name, "rx_bytes"); ok {
			t.Errorf("%s: %d", name, n)
		}
	}
	if _, ok := SNMPDelta(a, b, "x"); ok {
		t.Error("a counter that one capture lacks")
	}
	if q := QdiscDelta(a, b, "e"); len(q) != 1 || q[0].Packets != 2 || q[0].Bytes != 8 {
		t.Errorf("%+v", q)
	}
	if s := SoftnetDelta(a, b); len(s) != 1 || s[0] != (SoftnetCPU{0, 5, 0, 0}) {
		t.Errorf("%+v", s)
	}
	if _, ok := Elapsed(nil, b); ok || CPUDelta(a, nil) != nil {
		t.Error("no capture")
	}
}
