package result

import (
	"testing"
)

func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{{"64KiB", "64 KiB", true}, {"1KiB", "1024 B", true}, {"1KiB", "1024", true}, {"9000", "1500", false},
		{"tcp", "udp", false}, {"500M", "500Mb/s", true},
		{"1KiB", "not known", false}, {"tcp", "tcp", true}} {
		if SameValue(c.a, c.b) != c.same {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.same)
		}
	}
}
