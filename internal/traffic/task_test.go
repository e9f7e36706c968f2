package traffic

import (
	"bytes"
	"compress/flate"
	"io"
	"testing"
)

// A payload is the same for the same seed, another for another connection, has no byte left out at odd ends, and neither repeats nor packs.
func TestFill(t *testing.T) {
	fill := func(index, n int) []byte {
		b := make([]byte, n)
		(&task{index: index, setup: Setup{Seed: 1}}).fill(b)
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
