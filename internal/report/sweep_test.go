package report

import (
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// sweepOf is one experiment over sizes; low is the low end of each cell's interval as a share of its ceiling, below 0: not run.
func sweepOf(ceiling float64, low ...float64) []row {
	r := &record.Run{}
	for i, v := range low {
		if v < 0 {
			continue
		}
		e := &record.Experiment{Name: "x", Method: "stream", From: "a", To: "b", Direction: "out",
			Settings: map[string]string{"size": strconv.Itoa(512<<i) + "B", "streams": "1"},
			Goodput:  &record.Estimate{Median: (v + 0.01) * 10e9, Low: v * 10e9, High: (v + 0.02) * 10e9, Interval: "range", Repeats: 3}}
		if ceiling > 0 {
			e.Ceiling = &record.Chain{Limit: unit.BitRate(ceiling)}
		}
		r.Experiments = append(r.Experiments, e)
	}
	return rows(r)
}

func TestLineRateFrom(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []row
		want string
	}{
		{"from the third on", sweepOf(10e9, 0.3, 0.96, 0.98, 0.97, 0.99), "line rate from 2 KiB on"},
		{"a dip counts", sweepOf(10e9, 0.98, 0.98, 0.90, 0.98), "line rate at 4 KiB only"},
		{"never at the end", sweepOf(10e9, 0.98, 0.98, 0.98, 0.96), "below the line rate up to 4 KiB"},
		{"all", sweepOf(10e9, 0.97, 0.99, 0.98), "line rate from 512 B on"},
		{"no ceiling", sweepOf(0, 0.97, 0.99, 0.98), "line rate not known: the ceiling is not known"},
	} {
		got := sweeps(c.rows, "")
		if len(got) != 1 || len(got[0].Said) != 1 || !strings.HasSuffix(got[0].Said[0], c.want) {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
	if got := sweeps(sweepOf(10e9, 0.9, 0.9), ""); len(got) != 0 {
		t.Errorf("two sizes are no sweep: %+v", got)
	}
}

// The charts say in words what they draw, and no text of a cell can leave its place.
func TestSweepCharts(t *testing.T) {
	s := sweeps(rows(sweepRun()), " (lab 1/10)")[0]
	if len(s.Charts) != 6 {
		t.Fatalf("%d charts, want goodput and processor time of three directions", len(s.Charts))
	}
	for i, want := range []string{"line rate 37.7 Gb/s (lab 1/10)", "processor seconds a gigabit", "8 streams: line rate from 8 KiB on"} {
		if !strings.Contains(string(s.Charts[i%2]), want) {
			t.Errorf("chart %d lacks %q", i%2, want)
		}
	}
	if n := strings.Count(string(s.Charts[0]), `class="repeat"`); n != 12*3*3 {
		t.Errorf("%d points, want one a repeat: 12 sizes, 3 numbers of streams, 3 repeats", n)
	}
	bad := sweepOf(10e9, 0.9, 0.9, 0.9)
	for i := range bad[0].Cells {
		bad[0].Cells[i].Streams = `<script>"`
	}
	for _, c := range sweeps(bad, "")[0].Charts {
		if strings.Contains(string(c), "<script") {
			t.Error("a setting left its place")
		}
	}
}
