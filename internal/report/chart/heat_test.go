package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/result"
)

// meshRows are the paths among n hosts, all of them full, and the names of the hosts. without leaves paths out.
func meshRows(n int, without ...string) (rows []result.Row, names []string) {
	r := &record.Run{}
	for i := range n {
		names = append(names, fmt.Sprintf("h%d", i))
	}
	for _, from := range names {
		for _, to := range names {
			if from != to && !slices.Contains(without, from+to) {
				r.Experiments = append(r.Experiments, &record.Experiment{Name: "x", Method: "throughput", From: from, To: to,
					Direction: "out", Settings: map[string]string{"streams": "1"}, Goodput: &record.Estimate{Median: 9.41e9},
					Ceiling: &record.Chain{Limit: 9.41e9}, Verdict: &record.Verdict{Limiter: record.LimiterLink}})
			}
		}
	}
	return result.Rows(r), names
}

// From eight hosts on, every path has its field with its share as text, and a path without a measurement says so.
func TestHeatMap(t *testing.T) {
	rows, names := meshRows(8, "h2h5")
	rows[0].Combinations[0].Goodput.Median /= 2 // h0 to h1
	v := HeatMapOf(rows, append(slices.Clone(names), "spare"))
	if v == nil || !slices.Equal(v.Hosts, names) || len(v.Rows) != 8 ||
		v.Note != "1 host without a measured path: not in the map." {
		t.Fatalf("%+v", v)
	}
	count := map[HeatField]int{}
	for i, row := range v.Rows {
		if row.Host != names[i] || len(row.Fields) != 8 || row.Fields[i].Class != "same" {
			t.Errorf("%+v", row)
		}
		for _, c := range row.Fields {
			count[c]++
		}
	}
	if v.Rows[0].Fields[1] != (HeatField{"50 %", "h5"}) || v.Rows[2].Fields[5] != (HeatField{"not measured", "none"}) ||
		count[HeatField{"100 %", "h0"}] != 54 {
		t.Errorf("%v", count)
	}
	if few, names := meshRows(7); HeatMapOf(few, names) != nil {
		t.Error("seven hosts have a heat map")
	}
	many, names := meshRows(45)
	for i := range many {
		if many[i].To == "h44" {
			many[i].Combinations[0].Goodput.Median *= 0.7
		}
	}
	v = HeatMapOf(many, names)
	if len(v.Hosts) != mostHeatHosts || !slices.Contains(v.Hosts, "h44") || !strings.HasPrefix(v.Note, "5 more hosts") {
		t.Errorf("%d hosts, %s", len(v.Hosts), v.Note)
	}
}
