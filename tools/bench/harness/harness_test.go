package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpread(t *testing.T) {
	double := func(v int) float64 { return float64(2 * v) }
	for _, c := range []struct {
		runs              []int
		median, low, high float64
	}{{nil, 0, 0, 0}, {[]int{3}, 6, 6, 6}, {[]int{3, 1, 2}, 4, 2, 6}, {[]int{1, 4, 2, 3}, 5, 2, 8}} {
		median, low, high := Spread(c.runs, double)
		if median != c.median || low != c.low || high != c.high || Median(c.runs, double) != c.median {
			t.Errorf("%v: %v, %v to %v; want %v, %v to %v", c.runs, median, low, high, c.median, c.low, c.high)
		}
	}
}

func TestRows(t *testing.T) {
	type row struct{ N int }
	name := filepath.Join(t.TempDir(), "rows.jsonl")
	for n := range 3 {
		if rows, err := ReadRows[row](name); err != nil || len(rows) != n {
			t.Fatalf("%d rows, want %d: %v", len(rows), n, err)
		}
		if err := AddRow(name, row{n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name, []byte("{\"N\":1}\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRows[row](name); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line that is not JSON: %v", err)
	}
}
