package facts

import (
	"context"
	"testing"
)

func BenchmarkCollectCounters(b *testing.B) { benchmarkCollect(b, Counters) }
func BenchmarkCollectFull(b *testing.B)     { benchmarkCollect(b, Full) }

func benchmarkCollect(b *testing.B, level Level) {
	for b.Loop() {
		c, err := Collect(context.Background(), level)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(c)), "capture-bytes")
	}
}
