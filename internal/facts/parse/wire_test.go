package parse

import (
	"testing"
)

// TestCountsWithSeparators reads numbers with separators of thousands.
func TestCountsWithSeparators(t *testing.T) {
	for _, s := range []string{"1234567", "1,234,567", "1 234 567", "1'234'567", "1\u00a0234\u00a0567",
		"1\u202f234\u202f567"} {
		if v, ok := Number(s); !ok || v != 1234567 {
			t.Errorf("%q: %d %t", s, v, ok)
		}
	}
	for _, s := range []string{"", "n/a", "-1", "1.5G"} {
		if v, ok := Number(s); ok {
			t.Errorf("%q: %d", s, v)
		}
	}
}
