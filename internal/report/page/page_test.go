package page

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/compare"
	"linerate/internal/report/highlight"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/style"
	"linerate/internal/report/terminal"
	"linerate/internal/testenv"
)

// The page has the picture and then the verdict in this order: the fault, its meaning, the fix, and the evidence.
func TestVerdictOnThePage(t *testing.T) {
	r := reporttest.Fixture(t, "mesh")
	for _, e := range r.Experiments {
		if e.Verdict != nil && e.Verdict.Limiter == "receive-window-cap" {
			r.Sentence = e.Verdict.Sentence
		}
	}
	text := page(t, r)
	at := -1
	for _, want := range []string{`<p class="answer">`, "Fix", "<section", `class="verdict cause"`,
		"limits how much may be on its way", "Fix, on ", "sysctl -w net.ipv4.tcp_rmem",
		"The next limit after the fix: ", "How it is known", "Likely: two independent", "Evidence", "rwnd_limited",
		"Undo", `<figure class="way">`, "program on ", "<b>lowest ceiling</b>", "receives"} {
		i := strings.Index(text[at+1:], want)
		if i < 0 {
			t.Fatalf("%q does not follow what goes before it", want)
		}
		at += 1 + i
	}
	if strings.Contains(text, " style=") {
		t.Error("a style of its own, which the page's policy forbids")
	}
}

// Each highlight of the page leads to an existing element.
func TestHighlightsLead(t *testing.T) {
	for name, r := range map[string]*record.Run{"keys": reporttest.HighlightRun(8), "mesh": reporttest.MeshRun(),
		"sweep": reporttest.SweepRun(), "hostile": reporttest.HostileRun()} {
		text := page(t, r)
		v := view(highlight.Find(r))
		if len(v.Keys.Findings) == 0 {
			t.Errorf("%s has none", name)
		}
		for _, f := range v.Keys.Findings {
			if f.Chart == "" || !strings.Contains(text, `id="`+f.Chart+`"`) ||
				!strings.Contains(text, `<a href="#`+f.Chart+`">chart</a>`) {
				t.Errorf("%s: %q leads to %q", name, f.Text, f.Chart)
			}
		}
	}
	if found := highlight.Findings(reporttest.HostileRun()); strings.ContainsAny(reporttest.Said(found), "\x1b\u202e") {
		t.Errorf("%q", reporttest.Said(found))
	}
}

// TestFolds: a healthy path is one closed row; one below its ceiling is open, and first in the overview.
func TestFolds(t *testing.T) {
	r := reporttest.Fixture(t, "mesh")
	for _, e := range r.Experiments {
		if e.To == "homelab" && e.Goodput != nil && e.Verdict != nil && e.Verdict.Limiter == "link" {
			e.Verdict.Limiter, e.Goodput.Median = "policer", e.Goodput.Median/3
		}
	}
	v := view(highlight.Find(r))
	text := page(t, r)
	for _, b := range v.Blocks {
		for _, d := range b.Directions {
			if closed := strings.Contains(text, `<article id="`+d.Anchor+`">`+"\n<h3>"); closed == d.Healthy {
				t.Errorf("%s is open: %t, and healthy: %t", d.Title, closed, d.Healthy)
			}
		}
	}
	if len(v.Overview) < 2 || v.Overview[0].By == "" || v.Overview[len(v.Overview)-1].By != "" {
		t.Errorf("the overview: %+v", v.Overview)
	}
	if strings.Count(text, "<details") != strings.Count(text, "</details>") {
		t.Error("a fold is not closed")
	}
}

func page(t *testing.T, r *record.Run) string {
	t.Helper()
	return reporttest.Written(t, func(w io.Writer) error { return HTML(w, r) })
}

// printed returns the text of a run on a terminal of this width.
func printed(t *testing.T, width int, r *record.Run) string {
	t.Helper()
	return reporttest.Written(t, func(w io.Writer) error {
		return report.PrintRun(terminal.Terminal{Width: width, Out: w}, r)
	})
}

// LINERATE_PAGES=DIR keeps the pages for inspection.
func TestPage(t *testing.T) {
	for name := range reporttest.Fixtures() {
		t.Run(name, func(t *testing.T) {
			r := reporttest.Fixture(t, name)
			text := page(t, r)
			if dir := os.Getenv("LINERATE_PAGES"); dir != "" {
				if err := os.WriteFile(dir+"/"+name+".html", []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(text) > 500_000 {
				t.Errorf("%d bytes", len(text))
			}
			reporttest.Safe(t, text)
			for _, no := range []string{"http://", "https://", "src=", "@import", "url(", "javascript:", " style=", " onclick",
				"<script>x", "NaN"} {
				body, _, _ := strings.Cut(text, `<script type="application/gzip"`)
				if strings.Contains(body, no) {
					t.Errorf("%q in the page", no)
				}
			}
			carried(t, text, r)
			golden.Compare(t, "testdata/"+name+".outline.txt", reporttest.Outline(t, text))
		})
	}
}

// carried checks that the data of a page are the run's, and that nothing after them was changed.
func carried(t *testing.T, text string, r *record.Run) {
	t.Helper()
	_, data, ok := strings.Cut(text, `<script type="application/gzip" id="run"`)
	if !ok {
		t.Error("no data")
		return
	}
	_, data, _ = strings.Cut(data, ">")
	data, _, _ = strings.Cut(data, "</script>")
	if rest := strings.Trim(data, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=\n"); rest != "" {
		t.Errorf("%.20q in the data", rest)
	}
	o := reopened(t, text)
	if back := o.Run; back.ID != r.ID || len(back.Experiments) != len(r.Experiments) || back.FabricText != r.FabricText {
		t.Errorf("run %s with %d experiments", back.ID, len(back.Experiments))
	}
	if len(o.Notes) > 0 {
		t.Errorf("%q", o.Notes)
	}
	// Writing the run that was read gives the same page.
	if again := page(t, o.Run); again != text {
		t.Error("the page of what was read from the page is another one")
	}
}

// reopened reads a run out of its page.
func reopened(t *testing.T, text string) *runfolder.Opened {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sent by mail.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	o, err := runfolder.Open(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The policy must name exactly the style and the script that the page has.
func TestPolicy(t *testing.T) {
	text := page(t, reporttest.Fixture(t, "mesh"))
	for _, c := range []struct{ element, directive string }{{"style", "style-src"}, {"script", "script-src"}} {
		inner := regexp.MustCompile(`(?s)<` + c.element + `>(.*?)</` + c.element + `>`).FindStringSubmatch(text)
		if inner == nil {
			t.Fatalf("no %s", c.element)
		}
		policy := strings.ReplaceAll(strings.ReplaceAll(text, "&#43;", "+"), "&#39;", "'")
		if want := c.directive + " '" + style.Hash(inner[1]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy has no %s", want)
		}
	}
	if !strings.Contains(text, "default-src &#39;none&#39;") {
		t.Error("the policy allows by default")
	}
}

// A figure has one form everywhere.
func TestSameFigures(t *testing.T) {
	r := reporttest.Fixture(t, "mesh")
	text, shown := page(t, r), printed(t, 160, r)
	for _, figure := range []string{"941 Mb/s", "482 Mb/s", "51 %", "54.5 us", "120.00 USD",
		"desktop: receive window (likely)", "at most 941 Mb/s"} {
		if !strings.Contains(text, figure) || !strings.Contains(shown, figure) {
			t.Errorf("%q: on the page %v, on the terminal %v", figure, strings.Contains(text, figure),
				strings.Contains(shown, figure))
		}
	}
}

func TestLargeRun(t *testing.T) {
	r := reporttest.Fixture(t, "mesh")
	one := r.Experiments
	for i := range 40 {
		for _, e := range one {
			c := *e
			c.Variant = fmt.Sprintf("v%d", i)
			r.Experiments = append(r.Experiments, &c)
		}
	}
	text := page(t, r)
	if !strings.Contains(text, "further drawings are left out") {
		t.Error("a large run's page does not say what is missing")
	}
	for _, e := range r.Experiments { // figures that do not compress
		for i := range e.Repeats {
			e.Repeats[i].SeriesOut = nil
			for k := range 400 {
				e.Repeats[i].SeriesOut = append(e.Repeats[i].SeriesOut, math.Sqrt(float64(k+i)*e.Repeats[i].Goodput))
			}
		}
	}
	text = page(t, r)
	if missing := "it is without histograms and curves, what each stream&#39;s sockets said"; !strings.Contains(text,
		missing) {
		t.Errorf("a large run's page does not say that %s", missing)
	}
	if o := reopened(t,
		text); len(o.Run.Experiments) != len(r.Experiments) || o.Run.Experiments[3].Repeats[0].Goodput == 0 ||
		len(o.Notes) != 1 {
		t.Errorf("%d experiments, %q", len(o.Run.Experiments), o.Notes)
	}
	nan := reporttest.Fixture(t, "pair")
	nan.Experiments[0].Goodput.Median = math.NaN()
	nan.Experiments[1].Goodput.High = math.Inf(1)
	nan.Experiments[2].Repeats[0].SeriesOut[0] = math.NaN()
	text = page(t, nan)
	if !strings.Contains(text, "This page carries no data") {
		t.Error("a run that JSON cannot hold is not said to be one")
	}
	reporttest.Safe(t,
		reporttest.Written(t, func(w io.Writer) error { return report.PrintRun(terminal.Terminal{Out: w}, nan) }))
	if text = page(t, &record.Run{}); !strings.Contains(text, "Nothing was measured.") {
		t.Error("an empty run")
	}
}

// For any name the page parses, and the name controls neither page nor terminal.
func FuzzNames(f *testing.F) {
	f.Add(reporttest.Hostile, "10.0.0.1/24", "")
	f.Add("</title><svg onload=x>", "--></style>", "]]>{{.}}")
	f.Fuzz(func(t *testing.T, name, address, text string) {
		r := &record.Run{ID: name, Fabric: name, FabricText: text, Sentence: text, Variant: name, Arguments: []string{name}}
		r.Plan.Hosts = []record.PictureHost{
			{Name: name, OS: text, Ports: []record.PicturePort{{ID: name + ".1", Address: address}}},
			{Name: "b"},
		}
		r.Plan.Links = []record.PictureLink{{Name: text, Label: name, Ends: [2]string{name + ".1", "b.1"}, Cable: text}}
		r.Experiments = []*record.Experiment{
			{Name: name, Method: "throughput", From: name, To: "b", Links: []string{text},
				Settings: map[string]string{name: text, "streams": text},
				Goodput:  &record.Estimate{Median: 1e9, Low: 1e9, High: 1e9, Interval: text, Repeats: 6},
				Verdict: &record.Verdict{Limiter: text, Sentence: text, Fix: text,
					Evidence: []record.Evidence{{Text: text, Unit: name, After: new(1.0)}}}},
		}
		r.Goals = []record.Goal{{Name: name, Want: text, Why: text}}
		html := page(t, r)
		reporttest.Safe(t, html)
		reporttest.Outline(t, html)
		reporttest.Safe(t, printed(t, 80, r))
	})
}

func TestBrowser(t *testing.T) {
	testenv.Need(t, testenv.Live)
	chromium := reporttest.Browser(t)
	dom, console := reporttest.Load(t, chromium, page(t, reporttest.Fixture(t, "hostile")))
	if len(console) > 0 {
		t.Errorf("console: %s", strings.Join(console, "\n"))
	}
	if n := strings.Count(dom, "<script"); n != 2 {
		t.Errorf("%d scripts, want 2", n)
	}
	if !strings.Contains(dom, `class="copybox"`) {
		t.Error("the script did not run")
	}
	// The same check must detect a page that breaks its policy.
	broken := strings.Replace(page(t, reporttest.Fixture(t, "pair")), "<main>", "<main><script>alert(1)</script>", 1)
	if _, console := reporttest.Load(t, chromium, broken); len(console) == 0 {
		t.Error("a script that the policy forbids left no line on the console")
	}
}

// Comparisons and the selftest are on the page and in the terminal's text.
func TestComparisonOnPage(t *testing.T) {
	r := &record.Run{Complete: true, Variants: []string{"fast"},
		Experiments: []*record.Experiment{reporttest.Measured("", "1", 0, 2, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9),
			reporttest.Measured("fast", "1", 1, 2, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9)},
		Instrument: &record.Instrument{ClockResolution: 4e-8, CopyCached: 1e10,
			Unknown: []record.Unknown{{Subject: "loopback", Reason: "not part of a run"}}}}
	r.Comparisons = compare.Variants(r)
	page := page(t, r)
	text := printed(t, 120, r)
	reporttest.Has(t, page, "<h2>Compared</h2>", "<h2>Measurement accuracy</h2>", "2.00", "not part of a run")
	reporttest.Has(t, text, "2.00 .. 2.00", "instrument")
}

// Findings before the measurement are in the report: those whose fix a verdict has take one line, and information is
// only on the page.
func TestFound(t *testing.T) {
	f := func(id string, s record.Severity, subject string) record.Finding {
		return record.Finding{ID: id, Severity: s, Subject: record.ReadSubject(subject), Have: "have-" + id,
			Want: "w", Consequence: "costs-" + id, Fix: "fix-" + id,
			Evidence: []record.EvidenceLine{{Host: "nas", Source: "ip link", Line: "line-" + id}}}
	}
	r := &record.Run{Fabric: "home", FabricPath: "my home.yaml",
		Experiments: []*record.Experiment{{Verdict: &record.Verdict{Limiter: "local-shaper",
			Component: "shaper on nas: eth3", Fix: "fix-local-shaper"}}},
		Findings: []record.Finding{f("mtu", record.Error, "nas: eth2"), f("local-shaper", record.Error, "nas: eth3"),
			f("pcie-errors", record.Info, "nas: eth4"), f("a", record.Warning, "x"), f("b", record.Warning, "x"),
			f("c", record.Warning, "x"), f("d", record.Warning, "x")},
		Unchecked: []record.Unknown{{Subject: "lab", Reason: "its facts were not kept"}}}
	var b strings.Builder
	l := terminal.Terminal{Out: &b, Width: 80}.Lines()
	report.PrintFoundOnHosts(l, r)
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	reporttest.Has(t, text, "error    nas: eth2: have-mtu; wanted: w (mtu)", "costs-mtu", "fix-mtu",
		"error    nas: eth3: have-local-shaper", "and 2 more: linerate check 'my home.yaml'")
	reporttest.HasNot(t, text, "costs-local-shaper", "fix-local-shaper", "have-pcie-errors", "have-d")
	page := page(t, r)
	reporttest.Has(t, page, "Checks of the hosts", "have-local-shaper", "have-pcie-errors",
		"nas, ip link: line-mtu", "1 could not be checked", "its facts were not kept")
}
