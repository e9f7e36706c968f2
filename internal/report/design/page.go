package design

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"linerate/internal/design/plan"
	"linerate/internal/report/format"
	"linerate/internal/report/style"
)

//go:embed planpage.html
var planTemplate string

//go:embed labels.html
var labelsTemplate string

//go:embed labels.css
var labelsStyle string

// HTML writes a plan as one self-contained page: the drawing of the fabric, the bill of materials, cables, addresses,
// hosts files, problems.
func HTML(w io.Writer, p *plan.Plan, version string) error {
	return planPage(w, p, version, planTemplate, style.Colours()+style.Page+style.Drawing)
}

// LabelsHTML writes the labels of a plan as a page to print and cut: both ends of every cable, and the list of every
// machine.
func LabelsHTML(w io.Writer, p *plan.Plan, version string) error {
	return planPage(w, p, version, labelsTemplate, style.Colours()+style.Page+labelsStyle)
}

func planPage(w io.Writer, p *plan.Plan, version, text, css string) error {
	t, err := template.New("plan").
		Funcs(template.FuncMap{"clean": format.Clean,
			"say": func(s string) string { return format.Arrows(format.Clean(s)) }}).
		Parse(text)
	if err != nil {
		return fmt.Errorf("report: the template of a plan's page: %w", err)
	}
	v := newPlanView(p, version)
	v.Style = template.CSS(css)
	v.Policy = "default-src 'none'; style-src '" + style.Hash(css) + "'; base-uri 'none'; form-action 'none'"
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report: the page of plan %s: %w", format.Clean(p.Name), err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report: the page of plan %s could not be written: %w", format.Clean(p.Name), err)
	}
	return nil
}

// labelSize is one size of labels to print.
type labelSize struct {
	Class, Name, Size string // Size: width and height
	For               string // the cables that it fits
	Whole             bool   // it has room for the kind of cable, interfaces and the address
}

// labelSizes are the sizes of the page of labels. The middle of a label wraps around the cable: 16 mm around 5 mm, 11
// mm around 3.5 mm.
func labelSizes() []labelSize {
	return []labelSize{
		{Class: "wide", Name: "Wide labels", Size: "92 x 12 mm", For: "for cables up to 5 mm thick", Whole: true},
		{Class: "small", Name: "Small labels", Size: "61 x 9 mm", For: "for cables up to 3.5 mm thick"},
	}
}
