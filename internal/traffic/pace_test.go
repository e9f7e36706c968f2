package traffic

import "testing"

// TestPacer: after a second of bytes at the rate, the next one is due a second
// after the beginning, and a message never lasts longer than a millisecond.
func TestPacer(t *testing.T) {
	p := newPacer(80e6, 1000)
	if got := p.due(10e6); got != 1000+1e9 {
		t.Errorf("due after 10 MB at 80 Mb/s: %d, want one second after the beginning", got)
	}
	if got := p.message(1 << 20); got != 10000 {
		t.Errorf("message %d bytes, want 10000 (1 ms at 80 Mb/s)", got)
	}
	if got := newPacer(0, 0).message(1 << 20); got != 1<<20 {
		t.Errorf("an unpaced message was cut to %d", got)
	}
	if got := newPacer(100, 0).message(1 << 20); got != 1 {
		t.Errorf("a message of %d bytes at 100 b/s, want 1", got)
	}
}
