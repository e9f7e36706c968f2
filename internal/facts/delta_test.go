package facts

import "testing"

// Two captures 1.5 s apart while the tbf limited a stream to 1 Gbit/s.
func TestDelta(t *testing.T) {
	a, b := load(t, "left.before.txtar"), load(t, "left.after.txtar")
	if tx, ok := CounterDelta(a, b, "va", "tx_bytes"); !ok || tx < 150e6 || tx > 220e6 {
		t.Errorf("tx_bytes %v, %v", tx, ok)
	}
	if n, ok := SNMPDelta(a, b, "Tcp.OutSegs"); !ok || n < 100000 {
		t.Errorf("Tcp.OutSegs %v, %v", n, ok)
	}
	// The other way round nothing can be said.
	if n, ok := CounterDelta(b, a, "va", "tx_bytes"); ok {
		t.Errorf("a counter that went back grew by %d", n)
	}
	b.Boot = "another"
	if _, ok := CounterDelta(a, b, "va", "tx_bytes"); ok {
		t.Error("counters of another boot")
	}
}

func TestDeltaEdges(t *testing.T) {
	received := func(n uint64) map[string]uint64 { return map[string]uint64{"rx_bytes": n} }
	a := &Facts{Counters: map[string]uint64{"x": 5}, NICs: []Interface{
		{Name: "e", Index: 1, Counters: received(1), Driven: map[string]uint64{"oob": 1}}, {Name: "new", Index: 2, Counters: received(1)}}}
	b := &Facts{Counters: map[string]uint64{}, NICs: []Interface{
		{Name: "e", Index: 1, Counters: received(4), Driven: map[string]uint64{"oob": 8}}, {Name: "new", Index: 3, Counters: received(9)}}}
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
	if _, ok := CounterDelta(a, nil, "e", "oob"); ok {
		t.Error("no capture")
	}
}
