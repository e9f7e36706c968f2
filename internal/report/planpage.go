package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"linerate/internal/design/plan"
)

//go:embed planpage.html
var planTemplate string

//go:embed labels.html
var labelsTemplate string

//go:embed labels.css
var labelsStyle string

// PlanHTML writes a plan as one page that needs nothing but itself: the drawing of
// the fabric, the bill of materials, cables, addresses, hosts files, problems.
func PlanHTML(w io.Writer, p *plan.Plan, version string) error {
	return planPage(w, p, version, planTemplate, colours()+pageStyle+drawingStyle)
}

// LabelsHTML writes the labels of a plan as a page to print and cut up: both ends
// of every cable, and for every machine what plugs in where.
func LabelsHTML(w io.Writer, p *plan.Plan, version string) error {
	return planPage(w, p, version, labelsTemplate, colours()+pageStyle+labelsStyle)
}

func planPage(w io.Writer, p *plan.Plan, version, text, style string) error {
	t, err := template.New("plan").Funcs(template.FuncMap{"clean": clean, "say": func(s string) string { return arrows(clean(s)) }}).Parse(text)
	if err != nil {
		return fmt.Errorf("report: the template of a plan's page: %w", err)
	}
	v := newPlanView(p, version)
	v.Style = template.CSS(style)
	v.Policy = "default-src 'none'; style-src '" + hash(style) + "'; base-uri 'none'; form-action 'none'"
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report: the page of plan %s: %w", clean(p.Name), err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report: the page of plan %s could not be written: %w", clean(p.Name), err)
	}
	return nil
}
