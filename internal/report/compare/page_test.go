package compare

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/testenv"
)

func comparePage(t *testing.T, runs []*record.Run, s ComparisonSet) string {
	t.Helper()
	b := reporttest.Written(t, func(w io.Writer) error { return HTML(w, runs, s) })
	return b
}

// compared2 returns two runs over sizes, of which one is faster, with a hostile name.
func compared2(name string) []*record.Run {
	var runs []*record.Run
	for i, id := range []string{"aaaa", "bbbb"} {
		r := runOf(id)
		r.Fabric, r.Hosts = name, []record.HostState{{Name: "a", Kernel: name + id}}
		for k, size := range []string{"512B", "1KiB", "2KiB"} {
			g := float64(k+1) * float64(i+1) * 1e9
			e := with(reporttest.Measured("", "4", 20*i, 1, g, g*1.01, g*0.99, g, g, g*1.02), "raw"+name, "size", size)
			e.Ceiling = reporttest.Chain("a", "b", "link l", 10e9, false)
			r.Experiments = append(r.Experiments, e)
		}
		runs = append(runs, r)
	}
	return runs
}

// The page has the differences, a chart of both systems and one of their ratio for each figure, and the same numbers in
// its table.
func TestComparePage(t *testing.T) {
	runs := compared2("")
	s := NewSet(runs, Runs(runs))
	text := comparePage(t, runs, s)
	reporttest.Has(t, text, "What differs", "kernel of a",
		"Goodput of run bbbb: better in 3 comparisons (up to 2.00 times run aaaa: a → b",
		"<title>Goodput, a → b, streams 4</title>", "<title>Ratio of Goodput", "2 KiB", "6.00 Gb/s", "How to read it",
		`id="compare"`, "Content-Security-Policy", "style-src &#39;sha256-")
	if n := strings.Count(text, "<svg"); n != 4 { // goodput and CPU time, each with its ratio
		t.Errorf("%d charts", n)
	}
	// 3 sizes of 2 systems, and the two squares of the legend, in each of the two charts of bars; one square in
	// those of ratios.
	if n := strings.Count(text, `class="barmark`); n != 2*(6+2)+2*1 {
		t.Errorf("%d bars", n)
	}
	reporttest.HasNot(t, strings.ReplaceAll(text, "http://www.w3.org", ""), "http://", "https://", "NaN", "Inf")
	if same := []*record.Run{runs[0],
		runs[0]}; strings.Count(comparePage(t, same, NewSet(same, Runs(same))), "<svg") != 4 {
		t.Error("a run compared with itself")
	}
	three := append(compared2(""), runOf("cccc", runs[1].Experiments...))
	if text := comparePage(t, three, NewSet(three, Runs(three))); strings.Count(text, `class="barmark`) != 2*(9+3)+2*2 ||
		!strings.Contains(text, "run cccc") {
		t.Errorf("three runs: %d bars", strings.Count(text, `class="barmark`))
	}
	// A repeat far above the medians is inside the chart.
	high := compared2("")
	high[0].Experiments[0].Repeats[2].Goodput = 50e9
	if !strings.Contains(comparePage(t, high, NewSet(high, Runs(high))), ">40.0 Gb/s<") {
		t.Error("the chart ends below a repeat")
	}
	empty := comparePage(t, runs[:1], ComparisonSet{Comparisons: []record.Comparison{}})
	if !strings.Contains(empty, "Nothing can be compared") {
		t.Error("a page of nothing says so")
	}
}

// hostilePage returns a page with hostile names from files and devices.
func hostilePage(t *testing.T) string {
	t.Helper()
	runs := compared2(reporttest.Hostile)
	s := NewSet(runs, Runs(runs))
	s.Documents = nil
	return comparePage(t, runs, s)
}

// Hostile names are harmless in the page.
func TestComparePageHostile(t *testing.T) {
	text := hostilePage(t)
	if strings.Contains(text, "<script>alert") || strings.Contains(text, "<img") {
		t.Error("a name became an element")
	}
}

// They are also harmless in a browser.
func TestComparePageHostileInBrowser(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dom, console := reporttest.Load(t, reporttest.Browser(t), hostilePage(t))
	if len(console) > 0 || strings.Count(dom, "<script") != 1 || !strings.Contains(dom, "<svg") {
		t.Errorf("%d scripts, console %s", strings.Count(dom, "<script"), strings.Join(console, "\n"))
	}
}

// A run next to published figures has them in a table with the document's words.
func TestPublishedPage(t *testing.T) {
	r := 0.98
	s := ComparisonSet{Runs: []string{"aaaa"}, Documents: []Document{{Name: "nas-40g", Source: "a post"}},
		Facts: []string{"nas: linux"},
		Comparisons: []record.Comparison{
			{Experiment: "TCP, 4 streams", Metric: "goodput", Ratio: &r, Base: record.ComparisonSide{Median: 24.5e9},
				Other: record.ComparisonSide{Label: "run aaaa", Median: 24.1e9},
				Published: &record.Published{Text: "24.5 Gbits/sec", Low: 24.5e9, High: 24.5e9,
					Same: []string{"MTU 9000"}, Differs: []string{"link 40.0 Gb/s to 25.0 Gb/s"}}},
		}}
	text := comparePage(t, []*record.Run{{ID: "aaaa"}}, s)
	reporttest.Has(t, text, "your 24.1 Gb/s at MTU 9000; the document has 24.5 Gb/s", "24.5 Gbits/sec",
		"link 40.0 Gb/s to 25.0 Gb/s", "0.980 times", "a post")
}

// Two runs of 10,000 experiments are compared, and their page stays small.
func TestCompareMany(t *testing.T) {
	var runs []*record.Run
	for i, id := range []string{"aaaa", "bbbb"} {
		r := runOf(id)
		for n := range 10_000 {
			r.Experiments = append(r.Experiments,
				with(reporttest.Measured("", fmt.Sprint(n%8+1), 50*i, 1, 1e9, 1.1e9, 0.9e9), "raw", "size", fmt.Sprint(n+i*5000),
					"mtu", fmt.Sprint(1500+i)))
		}
		runs = append(runs, r)
	}
	s := NewSet(runs, Runs(runs))
	text := comparePage(t, runs, s)
	if len(s.Comparisons) == 0 || len(text) > 900_000 {
		t.Errorf("%d comparisons, a page of %d bytes", len(s.Comparisons), len(text))
	}
}
