package compare

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
)

// overPaths returns two runs over all paths among hosts, with the same figures.
func overPaths(hosts ...string) []*record.Run {
	var runs []*record.Run
	for _, id := range []string{"aaaa", "bbbb"} {
		r := runOf(id)
		for _, from := range hosts {
			for _, to := range hosts {
				if from == to {
					continue
				}
				e := reporttest.Measured("", "", 0, 1, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9)
				e.ID, e.From, e.To, e.Settings = from+to, from, to, map[string]string{}
				r.Experiments = append(r.Experiments, e)
			}
		}
		runs = append(runs, r)
	}
	return runs
}

var (
	charts     = regexp.MustCompile(`(?s)<svg class="chart".*?</svg>`)
	chartTexts = regexp.MustCompile(`<text class="tick" text-anchor="middle" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>`)
	ratioTicks = regexp.MustCompile(`<text class="tick" text-anchor="end" x="[\d.]+" y="[\d.]+">([\d.]+)</text>`)
)

// labelsBelow returns the labels below the x axis of a chart, their lines joined, from left to right.
func labelsBelow(t *testing.T, chart string) []string {
	t.Helper()
	of := map[float64]string{}
	for _, m := range chartTexts.FindAllStringSubmatch(chart, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		if m[3] != "path" && !strings.HasPrefix(m[3], "filled") {
			of[x] = strings.TrimSpace(of[x] + " " + m[3])
		}
	}
	var xs []float64
	for x := range of {
		xs = append(xs, x)
	}
	slices.Sort(xs)
	var out []string
	for _, x := range xs {
		out = append(out, of[x])
	}
	return out
}

// The bars of six paths have their whole names; names that have no room are told apart by numbers.
func TestCompareLabels(t *testing.T) {
	runs := overPaths("desktop", "nas", "homelab")
	text := comparePage(t, runs, NewSet(runs, Runs(runs)))
	want := []string{"desktop → nas", "desktop → homelab", "nas → desktop", "nas → homelab", "homelab → desktop",
		"homelab → nas"}
	found := charts.FindAllString(text, -1)
	if len(found) == 0 {
		t.Fatal("no charts")
	}
	for _, c := range found[:2] {
		if got := labelsBelow(t, c); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	}
	long := strings.Repeat("rack-with-a-long-name-", 3)
	var hosts []string
	for i := range 3 {
		hosts = append(hosts, fmt.Sprintf("%s%d", long, i))
	}
	runs = overPaths(hosts...)
	for _, c := range charts.FindAllString(comparePage(t, runs, NewSet(runs, Runs(runs))), -1) {
		got := labelsBelow(t, c)
		if n := len(slices.Compact(slices.Sorted(slices.Values(got)))); n != len(got) || n < 2 {
			t.Errorf("%q", got)
		}
	}
}

// Where all ratios are 1, the y axis goes a tenth to both sides, with 1 near its middle.
func TestEvenRatios(t *testing.T) {
	runs := overPaths("desktop", "nas", "homelab")
	text := comparePage(t, runs, NewSet(runs, Runs(runs)))
	reporttest.Has(t, text, "Goodput of run bbbb: no difference shown in 6 comparisons (1.000 times run aaaa).")
	i := strings.Index(text, "<title>Ratio of Goodput")
	if i < 0 {
		t.Fatal("no chart of ratios")
	}
	low, high := math.Inf(1), 0.0
	chart, _, _ := strings.Cut(text[i:], "</svg>")
	for _, m := range ratioTicks.FindAllStringSubmatch(chart, -1) {
		v, _ := strconv.ParseFloat(m[1], 64)
		low, high = min(low, v), max(high, v)
		if len(m[1]) != len("1.00") {
			t.Errorf("a tick of %s", m[1])
		}
	}
	if low != 0.9 || high != 1.1 {
		t.Errorf("from %v to %v", low, high)
	}
}
