package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed drawing.css
var drawingStyle string

//go:embed page.js
var pageScript string

// HTML writes a run as one page that needs nothing but itself: no request, no
// script to be read, a policy that allows its own style and script alone.
func HTML(w io.Writer, r *record.Run) error { return Find(r).HTML(w) }

// HTML writes the page of the run; see HTML.
func (f *Found) HTML(w io.Writer) error {
	r := f.run
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
	type written struct {
		data *runfolder.PageData
		note string
	}
	data := make(chan written, 1)
	go func() { // beside the page: of ten thousand experiments it is a third of the work
		d, note := pageData(r)
		data <- written{d, note}
	}()
	style, script := colours()+pageStyle+drawingStyle, pageScript
	v := view(f)
	v.Style, v.Script = template.CSS(style), template.JS(script)
	v.Policy = "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script) + "'; base-uri 'none'; form-action 'none'"
	carried := <-data
	v.DataNote = carried.note
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report: the page of run %s: %w", clean(r.ID), err)
	}
	sum := sha256.Sum256(b.Bytes())
	_, err = w.Write(b.Bytes())
	if err == nil && carried.data != nil {
		err = carried.data.Write(w, hex.EncodeToString(sum[:]))
	}
	if err == nil {
		_, err = io.WriteString(w, "</body>\n</html>\n")
	}
	if err != nil {
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

// pageData is what the page carries of its run, and the words that say so; nil: nothing.
func pageData(r *record.Run) (*runfolder.PageData, string) {
	d, err := runfolder.NewPageData(r)
	if err != nil {
		return nil, "This page carries no data of the run: " + clean(err.Error()) + ". manifest.json and samples.parquet of the run's folder have them."
	}
	note := "This page carries the run (element run: JSON, gzip, base64): linerate compare, show, report and whatif take this file in place of the run's folder."
	if d.LeftOut != "" {
		note += " To keep it small it is without " + d.LeftOut + "."
	}
	return d, note + " Captures and samples are in the folder alone."
}

// Command joins the words of a command line as a shell would have to read them.
func Command(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		w = clean(w)
		if i == 0 && strings.Contains(w, "go-build") { // go run's: it is gone by now
			w = strings.TrimSuffix(w[strings.LastIndexAny(w, `/\\`)+1:], ".exe")
		}
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}
