package chart

import (
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/result"
)

func TestLineRateFrom(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []result.Row
		want string
	}{
		{"from the third on", reporttest.SweepOf(10e9, 0.3, 0.96, 0.98, 0.97, 0.99), "line rate from 2 KiB on"},
		{"a dip counts", reporttest.SweepOf(10e9, 0.98, 0.98, 0.90, 0.98), "line rate at 4 KiB only"},
		{"one slow repeat between", reporttest.SweepOf(10e9, 0.98, 0.965, 0.98), "line rate from 512 B on"},
		{"never at the end", reporttest.SweepOf(10e9, 0.98, 0.98, 0.98, 0.96), "below the line rate up to 4 KiB"},
		{"all", reporttest.SweepOf(10e9, 0.97, 0.99, 0.98), "line rate from 512 B on"},
		{"no ceiling", reporttest.SweepOf(0, 0.97, 0.99, 0.98), "line rate not known: the ceiling is not known"},
	} {
		got := Sweeps(c.rows, "")
		if len(got) != 1 || len(got[0].Said) != 1 || !strings.HasSuffix(got[0].Said[0], c.want) {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
	if got := Sweeps(reporttest.SweepOf(10e9, 0.9, 0.9), ""); len(got) != 0 {
		t.Errorf("two sizes make a sweep: %+v", got)
	}
}

// The charts describe what they draw, and no text of a combination leaves its place.
func TestSweepCharts(t *testing.T) {
	s := Sweeps(result.Rows(reporttest.SweepRun()), " (lab 1/10)")[0]
	if len(s.Charts) != 6 {
		t.Fatalf("%d charts, want goodput and CPU time of three directions", len(s.Charts))
	}
	for i, want := range []string{"line rate 37.7 Gb/s (lab 1/10)", "CPU seconds a gigabit",
		"8 streams: line rate from 8 KiB on"} {
		if !strings.Contains(string(s.Charts[i%2]), want) {
			t.Errorf("chart %d has no %q", i%2, want)
		}
	}
	if n := strings.Count(string(s.Charts[0]), `class="repeat"`); n != 12*3*3 {
		t.Errorf("%d points, want one a repeat: 12 sizes, 3 numbers of streams, 3 repeats", n)
	}
	bad := reporttest.SweepOf(10e9, 0.9, 0.9, 0.9)
	for i := range bad[0].Combinations {
		bad[0].Combinations[i].Streams = `<script>"`
	}
	for _, c := range Sweeps(bad, "")[0].Charts {
		if strings.Contains(string(c), "<script") {
			t.Error("a setting left its place")
		}
	}
}

// The text below a repeat has room, also where there are many repeats.
func TestRepeatName(t *testing.T) {
	for _, c := range []struct {
		wide float64
		want string
	}{{170, "repeat 2, 0.800 s"}, {130, "repeat 2"}, {50, "2"}} {
		if have := repeatName(2, 0.8, c.wide); have != c.want {
			t.Errorf("%v wide: %q, want %q", c.wide, have, c.want)
		}
	}
}

func TestRetransmits(t *testing.T) {
	p := record.Repeat{Slice: 0.1, SeriesOut: make([]float64, 4), RetransOut: []int64{0, 0, 0, 0}}
	none := newRetransmits([]panel{{again: again(p, result.Row{}, result.Combination{})}}, 100)
	if !none.known || none.most != 0 || none.height() != 22 {
		t.Errorf("%+v", none)
	}
	p.RetransOut[2] = 5
	if some := newRetransmits([]panel{{again: again(p, result.Row{}, result.Combination{})}}, 100); some.most != 50 ||
		some.height() < retransmitPlot {
		t.Errorf("%+v; want 50 a second", some)
	}
	if back := newRetransmits([]panel{{again: again(p, result.Row{}, result.Combination{Back: true})}}, 100); back.known ||
		back.height() != 0 {
		t.Errorf("the other end's are not known: %+v", back)
	}
	if both := again(p, result.Row{Both: true}, result.Combination{}); both != nil {
		t.Errorf("one direction is not known, the sum is %v", both)
	}
	p.RetransIn = []int64{1, 1}
	if both := again(p, result.Row{Both: true}, result.Combination{}); len(both) != 2 || both[0] != 10 {
		t.Errorf("%v", both)
	}
	for v, want := range map[float64]string{0: "0", 950: "950", 9999: "9999", 23000: "23k", 1.24e6: "1.2M"} {
		if got := short(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
