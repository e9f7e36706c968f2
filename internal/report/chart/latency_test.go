package chart

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/svg"
)

var placed = regexp.MustCompile(`<text class="word beside" text-anchor="start" x="([-\d.]+)" y="([-\d.]+)">([^<]*)</text>`)

// The names of percentiles do not cover each other, neither on a flat curve nor on a steep one, with few samples or
// many, and the x axis has a name.
func TestPercentileLabels(t *testing.T) {
	for _, count := range []int64{1000, 100_000, 10_000_000} {
		for _, steep := range []float64{1.0001, 1.05, 1.3, 2, 30} {
			l := &record.Latency{P50: 20e-6, P99: 20e-6 * steep, P999: 20e-6 * steep * steep, Max: 20e-6 * steep * steep * steep,
				Count: count}
			l.Curve = []record.Quantile{{Q: 0, Seconds: 19e-6}, {Q: .5, Seconds: l.P50}, {Q: .99, Seconds: l.P99},
				{Q: .999, Seconds: l.P999}, {Q: 1, Seconds: l.Max}}
			drawn := string(LatencyChart(&record.Experiment{Method: "latency", From: "a", To: "b", Latency: l}))
			name := fmt.Sprintf("%d samples, factor %g", count, steep)
			if !strings.Contains(drawn, "percentile: share of round trips at most this long") {
				t.Errorf("%s: the x axis has no name", name)
			}
			var boxes [][4]float64
			for _, m := range placed.FindAllStringSubmatch(drawn, -1) {
				x, _ := strconv.ParseFloat(m[1], 64)
				y, _ := strconv.ParseFloat(m[2], 64)
				boxes = append(boxes, [4]float64{x, y - 11, x + svg.TextWidth(m[3], false), y + 3})
			}
			if len(boxes) != 3 {
				t.Errorf("%s: %d names", name, len(boxes))
			}
			for i, a := range boxes {
				for _, b := range boxes[:i] {
					if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
						t.Errorf("%s: %v covers %v", name, a, b)
					}
				}
				if a[2] > ChartWidth+8 || a[0] < 0 || a[1] < 0 {
					t.Errorf("%s: %v is off the drawing", name, a)
				}
			}
		}
	}
}
