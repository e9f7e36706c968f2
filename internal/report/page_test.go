package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

func page(t *testing.T, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// LINERATE_PAGES=DIR keeps the pages, to be looked at.
func TestPage(t *testing.T) {
	for name := range fixtures {
		t.Run(name, func(t *testing.T) {
			r := fixture(t, name)
			text := page(t, r)
			if dir := os.Getenv("LINERATE_PAGES"); dir != "" {
				if err := os.WriteFile(dir+"/"+name+".html", []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(text) > 500_000 {
				t.Errorf("%d bytes", len(text))
			}
			safe(t, text)
			for _, no := range []string{"http://", "https://", "src=", "@import", "url(", "javascript:", " style=", " onclick", "<script>x", "NaN"} {
				body, _, _ := strings.Cut(text, `<script type="application/gzip"`)
				if strings.Contains(body, no) {
					t.Errorf("%q in the page", no)
				}
			}
			carried(t, text, r)
			golden(t, name+".outline.txt", outline(t, text))
		})
	}
}

// carried checks that the data of a page are the run's, and that nothing was changed behind them.
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
	// What was read of the page is the same page again.
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

// outline is the structure of a page: headings, captions, heads of tables and
// titles of drawings. It fails where elements are not closed in order.
func outline(t *testing.T, text string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	var b strings.Builder
	var open []string
	want := map[string]bool{"h1": true, "h2": true, "h3": true, "caption": true, "summary": true, "title": true, "thead": true}
	var collected *strings.Builder
	described := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page does not parse: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			open = append(open, x.Name.Local)
			if want[x.Name.Local] {
				collected = new(strings.Builder)
			} else if collected != nil && x.Name.Local == "th" {
				collected.WriteString(" | ")
			}
			if x.Name.Local == "desc" {
				described++
			}
			if x.Name.Local == "svg" && !slices.Contains(x.Attr, xml.Attr{Name: xml.Name{Local: "aria-hidden"}, Value: "true"}) { // words of the page stand beside it
				described--
			}
		case xml.CharData:
			if collected != nil {
				collected.Write(x)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != x.Name.Local {
				t.Fatalf("</%s> closes %v", x.Name.Local, open)
			}
			open = open[:len(open)-1]
			if want[x.Name.Local] && collected != nil {
				fmt.Fprintf(&b, "%-8s %s\n", x.Name.Local, strings.Join(strings.Fields(collected.String()), " "))
				collected = nil
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("not closed: %v", open)
	}
	if described != 0 {
		t.Errorf("%d drawings without a description", -described)
	}
	return b.String()
}

// The policy must name exactly the style and the script that the page has.
func TestPolicy(t *testing.T) {
	text := page(t, fixture(t, "mesh"))
	for _, c := range []struct{ element, directive string }{{"style", "style-src"}, {"script", "script-src"}} {
		inner := regexp.MustCompile(`(?s)<` + c.element + `>(.*?)</` + c.element + `>`).FindStringSubmatch(text)
		if inner == nil {
			t.Fatalf("no %s", c.element)
		}
		policy := strings.ReplaceAll(strings.ReplaceAll(text, "&#43;", "+"), "&#39;", "'")
		if want := c.directive + " '" + hash(inner[1]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	if !strings.Contains(text, "default-src &#39;none&#39;") {
		t.Error("the policy allows by default")
	}
}

// A figure has one form wherever it stands.
func TestSameFigures(t *testing.T) {
	r := fixture(t, "mesh")
	text, shown := page(t, r), printed(t, r, Terminal{Width: 160})
	for _, figure := range []string{"941 Mb/s", "482 Mb/s", "51.2 %", "54.5 us", "120 USD", "desktop: receive window (likely)", "at most 941 Mb/s"} {
		if !strings.Contains(text, figure) || !strings.Contains(shown, figure) {
			t.Errorf("%q: on the page %v, on the terminal %v", figure, strings.Contains(text, figure), strings.Contains(shown, figure))
		}
	}
}

func TestLargeRun(t *testing.T) {
	r := fixture(t, "mesh")
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
		t.Error("a large run's page does not say what it lacks")
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
	if lacks := "it is without histograms and curves, what each stream&#39;s sockets said"; !strings.Contains(text, lacks) {
		t.Errorf("a large run's page does not say that %s", lacks)
	}
	if o := reopened(t, text); len(o.Run.Experiments) != len(r.Experiments) || o.Run.Experiments[3].Repeats[0].Goodput == 0 || len(o.Notes) != 1 {
		t.Errorf("%d experiments, %q", len(o.Run.Experiments), o.Notes)
	}
	nan := fixture(t, "pair")
	nan.Experiments[0].Goodput.Median = math.NaN()
	nan.Experiments[1].Goodput.High = math.Inf(1)
	nan.Experiments[2].Repeats[0].SeriesOut[0] = math.NaN()
	text = page(t, nan)
	if !strings.Contains(text, "This page carries no data") {
		t.Error("a run that JSON cannot hold is not said to be one")
	}
	safe(t, printed(t, nan, Terminal{}))
	if text = page(t, &record.Run{}); !strings.Contains(text, "Nothing was measured.") {
		t.Error("an empty run")
	}
}

func TestCommand(t *testing.T) {
	if got, want := Command([]string{"linerate", "run", "my file.yaml", "it's", "$(touch /tmp/p)", ""}), `linerate run 'my file.yaml' 'it'\''s' '$(touch /tmp/p)' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever a name is, the page parses, and neither page nor terminal is told
// anything by it.
func FuzzNames(f *testing.F) {
	f.Add(bad, "10.0.0.1/24", "")
	f.Add("</title><svg onload=x>", "--></style>", "]]>{{.}}")
	f.Fuzz(func(t *testing.T, name, address, text string) {
		r := &record.Run{ID: name, Fabric: name, FabricText: text, Sentence: text, Variant: name, Arguments: []string{name}}
		r.Plan.Hosts = []record.PictureHost{{Name: name, OS: text, Ports: []record.PicturePort{{ID: name + ".1", Address: address}}}, {Name: "b"}}
		r.Plan.Links = []record.PictureLink{{Name: text, Label: name, Ends: [2]string{name + ".1", "b.1"}, Cable: text}}
		r.Experiments = []*record.Experiment{{Name: name, Method: "stream", From: name, To: "b", Links: []string{text}, Settings: map[string]string{name: text, "streams": text},
			Goodput: &record.Estimate{Median: 1e9, Low: 1e9, High: 1e9, Interval: text, Repeats: 6},
			Verdict: &record.Verdict{Limiter: text, Sentence: text, Fix: text, Evidence: []record.Evidence{{Text: text, Unit: name, After: to(1.0)}}}}}
		r.Goals = []record.Goal{{Name: name, Want: text, Why: text}}
		html := page(t, r)
		safe(t, html)
		outline(t, html)
		safe(t, printed(t, r, Terminal{Width: 80}))
	})
}
