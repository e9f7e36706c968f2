package facts

import (
	"testing"
)

func TestDeltaEdges(t *testing.T) {
	received := func(n uint64) map[string]uint64 { return map[string]uint64{"rx_bytes": n} }
	a := &Facts{Counters: map[string]uint64{"x": 5}, NICs: []Interface{
		{Name: "e", Index: 1, Counters: received(1), Driven: map[string]uint64{"oob": 1}},
		{Name: "new", Index: 2, Counters: received(1)}}}
	b := &Facts{Counters: map[string]uint64{}, NICs: []Interface{
		{Name: "e", Index: 1, Counters: received(4), Driven: map[string]uint64{"oob": 8}},
		{Name: "new", Index: 3, Counters: received(9)}}}
	if n, ok := CounterDelta(a, b, "e", "oob"); n != 7 || !ok {
		t.Errorf("the driver's counter: %v, %v", n, ok)
	}
	for _, name := range []string{"new", "none"} {
		if n, ok := CounterDelta(a, b, name, "rx_bytes"); ok {
			t.Errorf("%s: %d", name, n)
		}
	}
	if _, ok := SNMPDelta(a, b, "x"); ok {
		t.Error("a counter that one snapshot does not have")
	}
	if _, ok := CounterDelta(a, nil, "e", "oob"); ok {
		t.Error("no snapshot")
	}
}
