package read

import (
	"testing"

	"linerate/internal/facts"
)

// TestDelta compares two snapshots 1.5 s apart while the tbf limited a stream to 1 Gbit/s.
func TestDelta(t *testing.T) {
	a, b := load(t, "left.before.txtar"), load(t, "left.after.txtar")
	if tx, ok := facts.CounterDelta(a, b, "va", "tx_bytes"); !ok || tx < 150e6 || tx > 220e6 {
		t.Errorf("tx_bytes %v, %v", tx, ok)
	}
	if n, ok := facts.SNMPDelta(a, b, "Tcp.OutSegs"); !ok || n < 100000 {
		t.Errorf("Tcp.OutSegs %v, %v", n, ok)
	}
	// In the opposite order nothing is known.
	if n, ok := facts.CounterDelta(b, a, "va", "tx_bytes"); ok {
		t.Errorf("a counter that went back grew by %d", n)
	}
	b.Boot = "another"
	if _, ok := facts.CounterDelta(a, b, "va", "tx_bytes"); ok {
		t.Error("counters of another boot")
	}
}
