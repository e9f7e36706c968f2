package page

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/testenv"
)

// meshOf is a run over every pair of n hosts. All paths are full but one, and one was not measured.
func meshOf(n int) *record.Run {
	r := &record.Run{Fabric: "cluster", ID: "mesh", Complete: true, Sentence: "h0 -> h1 gets 41 % of its link.",
		Plan: *reporttest.MeshPicture(n)}
	for _, l := range r.Plan.Links {
		a, _, _ := strings.Cut(l.Ends[0], ".")
		b, _, _ := strings.Cut(l.Ends[1], ".")
		for _, p := range [][2]string{{a, b}, {b, a}} {
			if p == [2]string{"h2", "h5"} {
				continue
			}
			share := 0.99
			if p == [2]string{"h0", "h1"} {
				share = 0.41
			}
			c := reporttest.Chain(p[0], p[1], "link "+l.Name, 10e9, false)
			g := share * float64(c.Limit)
			v := &record.Verdict{Limiter: record.LimiterLink, Component: "link " + l.Name, Confidence: "proved"}
			if share < 0.9 {
				v = &record.Verdict{Limiter: "receive-window-cap", Component: p[1], Confidence: "likely",
					Sentence: "The window is small."}
			}
			r.Experiments = append(r.Experiments, &record.Experiment{ID: p[0] + p[1], Name: "raw", Method: "throughput",
				From: p[0], To: p[1], Direction: "out", Links: []string{l.Name}, Settings: map[string]string{"streams": "8"},
				Goodput: &record.Estimate{Median: g, Low: g, High: g, Interval: "range", Repeats: 3}, Ceiling: c, Verdict: v})
		}
	}
	return r
}

// healthyMesh is the mesh of three hosts without its fault.
func healthyMesh(t *testing.T) *record.Run {
	t.Helper()
	r := reporttest.Fixture(t, "mesh")
	healthy := r.Experiments[0]
	for _, e := range r.Experiments {
		if e.Goodput != nil && e.Verdict.Limiter == record.LimiterLink {
			healthy = e
		}
	}
	for _, e := range r.Experiments {
		if e.Goodput != nil && e.Verdict.Limiter != record.LimiterLink {
			e.Goodput, e.Verdict, e.Accounts, e.Repeats = healthy.Goodput, healthy.Verdict, nil, healthy.Repeats
		}
	}
	r.Sentence = "All 6 paths run at the rate of their links."
	r.Goals[0].Met, r.Goals[0].Have, r.Goals[0].Why = new(true), "99.9 % to 100 %", ""
	return r
}

// kept writes a page into LINERATE_PAGES, for inspection.
func kept(t *testing.T, name, text string) string {
	t.Helper()
	if dir := os.Getenv("LINERATE_PAGES"); dir != "" {
		if err := os.WriteFile(dir+"/"+name+".html", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

// The page of eight hosts has a heat map, with the names of both its sides and a text in every field, and stays small.
func TestHeatMapOnPage(t *testing.T) {
	text := kept(t, "cluster", page(t, meshOf(8)))
	_, heat, ok := strings.Cut(text, `<table class="heat">`)
	if !ok {
		t.Fatal("no heat map")
	}
	heat, _, _ = strings.Cut(heat, "</table>")
	if n, m := strings.Count(heat, `<th scope="col">h`), strings.Count(heat, `<th scope="row">h`); n != 8 || m != 8 {
		t.Errorf("%d columns and %d rows", n, m)
	}
	fields := regexp.MustCompile(`<td class="(\w+)">([^<]*)</td>`).FindAllStringSubmatch(heat, -1)
	count := map[string]int{}
	for _, c := range fields {
		count[c[2]]++
	}
	if len(fields) != 64 || count["99.0 %"] != 54 || count["41 %"] != 1 || count["not measured"] != 1 ||
		count["\u2013"] != 8 {
		t.Errorf("%d fields: %v", len(fields), count)
	}
	if len(text) > 500_000 {
		t.Errorf("%d bytes", len(text))
	}
	reporttest.HasNot(t, page(t, meshOf(7)), `class="heat"`)
}

// A slow path has its waterfall, a full one has none, and the accent is on the bottleneck of a slow path alone.
func TestAccent(t *testing.T) {
	text := page(t, reporttest.Fixture(t, "mesh"))
	if n := strings.Count(text, `<figure class="fall">`); n != 1 {
		t.Errorf("%d waterfalls for one slow path", n)
	}
	reporttest.Has(t, text, "From the line rate to what was measured, nas → desktop", "lost, of the line rate",
		`<td class="prose limiting">desktop: receive window (likely)</td>`,
		"No step for memory of nas: its ceiling is not known.")
	text = kept(t, "healthy", page(t, healthyMesh(t)))
	if len(text) > 500_000 {
		t.Errorf("six healthy paths take %d bytes", len(text))
	}
	reporttest.HasNot(t, text, `class="fall"`, `class="lowest"`, `limiting"`, `class="verdict cause"`)
	reporttest.Has(t, text, `<rect class="full"`, "<b>lowest ceiling</b>")
}

// sized loads a page in screens of some widths, and returns the width and height of its document in each, and the
// percentage of its full size at which the drawing of the fabric is shown.
func sized(t *testing.T, chromium, text string, widths ...int) (wide, high, drawn []int) {
	t.Helper()
	text = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(text, "")
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><title></title>")
	for _, w := range widths { // Chromium itself is never as narrow as a phone
		fmt.Fprintf(&b, `<iframe width="%d" height="900" frameborder="0" srcdoc="%s"></iframe>`, w, html.EscapeString(text))
	}
	b.WriteString(`<script>onload = function () {
  document.title = "sizes" + [].map.call(document.querySelectorAll("iframe"), function (f) {
    var d = f.contentDocument.documentElement;
    var s = d.querySelector("svg.fabric");
    var drawn = s ? Math.round(100 * s.getBoundingClientRect().width / s.viewBox.baseVal.width) : 100;
    return " " + d.scrollWidth + "x" + d.scrollHeight + "x" + drawn;
  }).join("");
  document.querySelectorAll("iframe").forEach(function (f) { f.remove(); });
};</script>`)
	dom, _ := reporttest.Load(t, chromium, b.String())
	title := regexp.MustCompile(`<title>sizes[^<]*`).FindString(dom)
	for _, m := range regexp.MustCompile(` (\d+)x(\d+)x(\d+)`).FindAllStringSubmatch(title, -1) {
		w, _ := strconv.Atoi(m[1])
		h, _ := strconv.Atoi(m[2])
		percent, _ := strconv.Atoi(m[3])
		wide, high, drawn = append(wide, w), append(high, h), append(drawn, percent)
	}
	if len(wide) != len(widths) {
		t.Fatalf("the page was not measured: %.500s", dom)
	}
	return wide, high, drawn
}

// Nothing is off the screen of a phone, a tablet or a desk, and six healthy paths take less than three screens.
func TestScreens(t *testing.T) {
	testenv.Need(t, testenv.Live)
	chromium := reporttest.Browser(t)
	pages := map[string]string{"cluster": page(t, meshOf(8)), "healthy": page(t, healthyMesh(t))}
	for _, name := range []string{"mesh", "pair", "sweep"} {
		pages[name] = page(t, reporttest.Fixture(t, name))
	}
	widths := []int{390, 768, 1400}
	for name, text := range pages {
		wide, high, drawn := sized(t, chromium, text, widths...)
		for i, w := range widths {
			if drawn[i] < 65 {
				t.Errorf("%s: the drawing is at %d %% on a screen of %d", name, drawn[i], w)
			}
			if wide[i] > w {
				t.Errorf("%s is %d wide on a screen of %d", name, wide[i], w)
			}
		}
		if name == "healthy" && high[2] > 3*900 {
			t.Errorf("six healthy paths are %d high", high[2])
		}
	}
	// A page that is too wide is noticed.
	if wide, _, _ := sized(t, chromium, `<div style="width:500px">x</div>`, 390); wide[0] <= 390 {
		t.Errorf("500 pixels are %d wide", wide[0])
	}
}
