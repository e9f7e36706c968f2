package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/highlight"
	"linerate/internal/report/style"
)

//go:embed page.html
var pageTemplate string

//go:embed page.js
var pageScript string

// HTML writes a run as one self-contained page: it makes no requests, is readable without its script, and has a policy
// that allows only its own style and script.
func HTML(w io.Writer, r *record.Run) error { return FoundHTML(w, highlight.Find(r)) }

// FoundHTML writes the page of the run whose highlights are given; see HTML.
func FoundHTML(w io.Writer, f *highlight.Found) error {
	r := f.Run()
	t, err := template.New("page").Funcs(template.FuncMap{"clean": format.Clean,
		"say":   func(s string) string { return format.Arrows(format.Clean(s)) },
		"lines": func(s string) string { return strings.Join(format.CleanLines(s), "\n") }, "words": headline.LimiterWords,
		"apart": unit.Apart, "value": valueOrNot, "closes": report.ClosesText}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: the page's template: %w", err)
	}
	type written struct {
		data *runfolder.PageData
		note string
	}
	data := make(chan written, 1)
	go func() { // concurrently: for ten thousand experiments it is a third of the work
		d, note := pageData(r)
		data <- written{d, note}
	}()
	css, script := style.Colours()+style.Page+style.Drawing, pageScript
	v := view(f)
	v.Style, v.Script = template.CSS(css), template.JS(script)
	v.Policy = "default-src 'none'; style-src '" + style.Hash(css) + "'; script-src '" + style.Hash(
		script,
	) + "'; img-src data:; base-uri 'none'; form-action 'none'"
	v.Icon = template.URL(style.Icon())
	carried := <-data
	v.DataNote = carried.note
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report: the page of run %s: %w", format.Clean(r.ID), err)
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

// valueOrNot formats a value of a table, or says that it is not known.
func valueOrNot(v *float64, u string) string {
	if v == nil {
		return format.NotKnown
	}
	return format.Number(*v, u)
}

// pageData returns the data of the run in its page, with a note; nil: none.
func pageData(r *record.Run) (*runfolder.PageData, string) {
	d, err := runfolder.NewPageData(r)
	if err != nil {
		return nil, "This page carries no data of the run: " + format.Clean(
			err.Error(),
		) + ". manifest.json and samples.parquet of the run's folder have them."
	}
	note := "This page carries the run (element run: JSON, gzip, base64): linerate compare, share, report and whatif " +
		"take this file in place of the run's folder."
	if d.LeftOut != "" {
		note += " To keep it small it is without " + d.LeftOut + "."
	}
	return d, note + " Snapshots and samples are in the folder alone."
}
