package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"linerate/result"
	"linerate/unit"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed drawing.css
var drawingStyle string

//go:embed page.js
var pageScript string

// dataLimit is the most bytes of data that a page carries in itself.
const dataLimit = 200_000

// HTML writes a run as one page that needs nothing but itself: no request, no
// script to be read, a policy that allows its own style and script alone.
func HTML(w io.Writer, r *result.Run) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"clean":   clean,
		"say":     func(s string) string { return arrows(clean(s)) },
		"lines":   func(s string) string { return strings.Join(cleanLines(s), "\n") },
		"words":   limiterWords,
		"percent": unit.Percent,
		"value":   valueOrNot,
		"closes":  closesText,
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: the page's template: %w", err)
	}
	style, script := colours()+pageStyle+drawingStyle, pageScript
	v := view(r)
	v.Style, v.Script = template.CSS(style), template.JS(script)
	v.Policy = "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script) + "'; base-uri 'none'; form-action 'none'"
	data, note := pageData(r)
	v.DataNote = note
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report: the page of run %s: %w", clean(r.ID), err)
	}
	// The data stand outside the template: JSON with <, > and & escaped cannot end the element.
	if data != nil {
		b.WriteString(`<script type="application/json" id="run">`)
		b.Write(data)
		b.WriteString("</script>\n")
	}
	b.WriteString("</body>\n</html>\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report: the page could not be written: %w", err)
	}
	return nil
}

// valueOrNot prints a value of a table, or that it is not known.
func valueOrNot(v *float64, u string) string {
	if v == nil {
		return notKnown
	}
	return number(*v, u)
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pageData is the run as JSON that is safe inside a script element, with what
// was left out of it to keep the page small.
func pageData(r *result.Run) (data []byte, note string) {
	data, err := json.Marshal(r) // escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return nil, "This page carries no data: " + clean(err.Error()) + "."
	}
	if len(data) <= dataLimit {
		return escapeControls(data), "This page carries the run's data as JSON (element run)."
	}
	const where = "; manifest.json and samples.parquet of the run's folder have everything."
	for _, c := range []struct {
		repeats, series bool
		lacks           string
	}{{true, true, "streams and histograms"}, {true, false, "streams, histograms, time series and processors of each repeat"},
		{false, false, "its repeats and histograms"}} {
		if data, err = json.Marshal(thin(r, c.repeats, c.series)); err == nil && len(data) <= dataLimit {
			return escapeControls(data), "This page carries the run's data as JSON (element run) without " + c.lacks + where
		}
	}
	return nil, "The data are too large for this page" + where
}

// thin is a copy of a run without its largest parts.
func thin(r *result.Run, repeats, series bool) *result.Run {
	out := *r
	out.Experiments = thinned(r.Experiments, repeats, series)
	return &out
}

func thinned(all []*result.Experiment, repeats, series bool) []*result.Experiment {
	out := make([]*result.Experiment, len(all))
	for i, e := range all {
		c := *e
		c.Repeats = nil
		if len(e.Chase) > 0 {
			c.Chase = thinned(e.Chase, repeats, series)
		}
		for _, p := range e.Repeats {
			if !repeats {
				break
			}
			p.Streams = nil
			if !series {
				p.SeriesOut, p.SeriesIn, p.CPU = nil, nil, nil
			}
			c.Repeats = append(c.Repeats, p)
		}
		if e.Latency != nil {
			l := *e.Latency
			l.Histogram = ""
			c.Latency = &l
		}
		out[i] = &c
	}
	return out
}

// Command joins the words of a command line as a shell would have to read them.
func Command(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		w = clean(w)
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}
