package fabric

import (
	"fmt"
	"testing"
)

func TestParseWant(t *testing.T) {
	for in, want := range map[string]string{"800MB/s": "goodput >= value 6.4e+09",
		"95% of ceiling":                       "goodput >= ceiling 0.95",
		"goodput >= 90% of link":               "goodput >= link 0.9",
		"iops >= 95% of ceiling":               "iops >= ceiling 0.95",
		"latency.p99 <= 60us":                  "latency.p99 <= value 6e-05",
		"latency.p50 ≤ 0.167 x via infinihost": "latency.p50 <= other 0.167 via infinihost",
		"iops/cpu >= 4.1 × variant a+b":        "iops/cpu >= other 4.1 variant a+b",
		"goodput>=1.2 x video":                 "goodput >= other 1.2 video",
		"cpu <= 41%":                           "cpu <= value 0.41",
		"seconds <= 1.7s":                      "seconds <= value 1.7",
		"figure <= 12.5":                       "figure <= value 12.5",
		"cost <= 25.33 USD / 2":                "cost <= value 12.665",
		"watts <= 90 W":                        "watts <= value 90"} {
		w, err := parseWant(in)
		got := fmt.Sprintf("%s %s %s %g", w.metric, w.op, w.kind, w.value)
		if w.other != "" {
			got += " " + w.other
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", ">=", "goodput", "goodput >=", "goodput = 1G", "latency <= 1ms", "goodput >= 0G",
		"goodput >= -1G", "iops >= 1e6", "goodput >= 0 x video", "goodput >= 2 x ", "cpu <= 41", "latency.p50 <= 60",
		"latency.p50 <= 90% of link", "iops >= 5% of link", "goodput >= 95% of nothing", "cost <= 100"} {
		if w, err := parseWant(in); err == nil {
			t.Errorf("%q: %+v; want an error", in, w)
		}
	}
}
