package traffic

import (
	"bytes"
	"compress/flate"
	"io"
	"testing"
)

// A payload depends on the seed and the connection, is complete at odd lengths, and neither repeats nor compresses.
func TestFill(t *testing.T) {
	fill := func(index, n int) []byte {
		b := make([]byte, n)
		(&Flow{Index: index, Setup: Endpoint{Setup: Setup{Seed: 1}}}).Fill(b)
		return b
	}
	const n = 3*fillPeriod + 13
	a := fill(0, n)
	if !bytes.Equal(a, fill(0, n)) || bytes.Equal(a, fill(1, n)) {
		t.Error("the payload does not go by seed and connection")
	}
	if !bytes.Equal(a[:1001], fill(0, 1001)) {
		t.Error("a short payload is not the beginning of a long one")
	}
	if bytes.Equal(a[n-8:], make([]byte, 8)) {
		t.Error("the end was not written")
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, bytes.NewReader(a)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if packed.Len() < n*99/100 {
		t.Errorf("%d bytes pack to %d", n, packed.Len())
	}
	seen := map[string]int{} // eight bytes anywhere that were there before, at any distance
	for i := 0; i+8 <= n; i += 8 {
		if before, ok := seen[string(a[i:i+8])]; ok {
			t.Fatalf("the bytes at %d were there at %d", i, before)
		}
		seen[string(a[i:i+8])] = i
	}
}

// After a second of bytes at the rate, the next one is due a second after the beginning, and a message never lasts
// longer than a millisecond.
func TestPacer(t *testing.T) {
	p := NewPacer(80e6, 1000)
	if got := p.due(10e6); got != 1000+1e9 {
		t.Errorf("due after 10 MB at 80 Mb/s: %d, want one second after the beginning", got)
	}
	if got := p.Message(1 << 20); got != 10000 {
		t.Errorf("message %d bytes, want 10000 (1 ms at 80 Mb/s)", got)
	}
	if got := NewPacer(0, 0).Message(1 << 20); got != 1<<20 {
		t.Errorf("an unpaced message was cut to %d", got)
	}
	if got := NewPacer(100, 0).Message(1 << 20); got != 1 {
		t.Errorf("a message of %d bytes at 100 b/s, want 1", got)
	}
}
