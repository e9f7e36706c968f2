package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// pacedRun is one path over paces, with several sizes of messages.
func pacedRun(paces, sizes []string) *record.Run {
	r := &record.Run{Fabric: "paced", Complete: true, Sentence: "It ran."}
	for _, pace := range paces {
		for _, size := range sizes {
			v, _ := unit.ParseBitRate(pace)
			g := min(float64(v), 9.4e9)
			e := &record.Experiment{Name: "x", Method: "throughput", From: "a", To: "b", Direction: "out",
				Settings: map[string]string{"pace": pace, "size": size, "streams": "1"},
				InEffect: map[string]string{"pace_by": "kernel"},
				Goodput:  &record.Estimate{Median: g, Low: g, High: g, Interval: "range", Repeats: 3},
				Ceiling:  &record.Chain{Limit: 9.4e9}}
			r.Experiments = append(r.Experiments, e)
		}
	}
	return r
}

// A pace is a rate and not an amount of bytes. The common pacing of all combinations is printed once, and no two
// columns have one header.
func TestSweepOverPace(t *testing.T) {
	r := pacedRun([]string{"1G", "2G", "900M", "42G"}, []string{"16384B", "32768B", "163840B"})
	got := printed(t, r, terminal.Terminal{Width: 80})
	for _, want := range []string{"a -> b: each stream paced to 900 Mb/s, 1.00 Gb/s, 2.00 Gb/s and 42.0 Gb/s by the " +
		"kernel", "line rate at 42.0 Gb/s only", "1, 16 KiB  1, 32 KiB  1, 160 KiB"} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "paced to"); n != 1 {
		t.Errorf("the paces are printed %d times\n%s", n, got)
	}
	reporttest.HasNot(t, got, "1 GiB", "42 GiB", "…")
	s := chart.Sweeps(result.Rows(r), "")[0]
	if s.Rows[0][0] != "900 Mb/s" || s.Rows[3][0] != "42.0 Gb/s" || s.Detail[0].X != "900 Mb/s" ||
		!strings.Contains(string(s.Charts[0]), ">2.00 Gb/s<") {
		t.Errorf("%v, %+v", s.Rows, s.Detail[0])
	}
	one := printed(t, pacedRun([]string{"1G"}, []string{"1KiB", "2KiB", "4KiB"}), terminal.Terminal{Width: 80})
	if !strings.Contains(one, "a -> b: each stream paced to 1G by the kernel") {
		t.Errorf("one pace:\n%s", one)
	}
}

// Of a sweep with hundreds of combinations the text has only the summary, and says where the shares are.
func TestSweepTextMany(t *testing.T) {
	var paces, sizes []string
	for i := range 40 {
		paces, sizes = append(paces, fmt.Sprintf("%dG", i+1)), append(sizes, fmt.Sprintf("%dB", i+1))
	}
	got := printed(t, pacedRun(paces, sizes), terminal.Terminal{Width: 80})
	if n := strings.Count(got, "\n"); n > 120 {
		t.Errorf("%d lines", n)
	}
	reporttest.Has(t, strings.Join(strings.Fields(got), " "), "one of 40 paces from 1.00 Gb/s to 40.0 Gb/s",
		"The 1600 shares of the ceiling are in the report's page")
	for line := range strings.Lines(got) {
		if format.Width(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
}

// Headers are shortened only if they remain distinct.
func TestShortHeaders(t *testing.T) {
	headers := func(names ...string) (out []string) {
		var c []terminal.Column
		for _, n := range names {
			c = append(c, terminal.Column{Head: n})
		}
		shortHeaders(c)
		for _, one := range c {
			out = append(out, one.Head)
		}
		return out
	}
	if got := headers("a long name of many words", "b"); got[0] != "a long name of …" {
		t.Errorf("%q", got)
	}
	if same := []string{"a long name of many words", "a long name of many more"}; !slices.Equal(headers(same...), same) {
		t.Errorf("%q", headers(same...))
	}
}
