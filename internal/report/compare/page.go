package compare

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/style"
)

//go:embed compare.html
var compareTemplate string

// compareStyle is what the page of a comparison has in addition to the style of a run's page.
const compareStyle = `ul{margin:0 0 .75rem;padding-left:1.25rem}
svg .barmark{stroke:var(--ink);stroke-width:1}
svg .even{stroke:var(--ink)}
svg .different{fill:var(--accent);stroke:var(--ink)}
svg .beside{paint-order:stroke;stroke:var(--page);stroke-width:4px}
section tbody th{white-space:normal;min-width:10rem}
@media (max-width:40rem){section tbody th{min-width:6rem}}
svg .undecided{fill:var(--page);stroke:var(--ink);stroke-width:1.4}
`

// mostCompareData is the most bytes of data that a page of a comparison carries in itself.
const mostCompareData = 200_000

// mostCompareRows bounds the rows of all tables of a page; --json has every comparison.
const mostCompareRows = 1500

// compareView is what the template prints; every text in it is ready.
type compareView struct {
	Policy         string
	Style          template.CSS
	Icon           template.URL
	Version, Title string
	Sentence, Same string
	Rest           []string // of the answer
	Documents      []Document
	Base, Other    string
	Differs        []differView
	Machines       []string
	Sections       []compareSection
	Charts         bool // a section has one
	Refused        []refusalView
	Notes          []string
	Runs           []comparedRun
	DataNote       string
}

type differView struct{ What, From, To string }

type refusalView struct{ What, Why string }

type comparedRun struct{ ID, Fabric, When, Version, Command string }

// compareSection is one experiment: its charts, and the same figures as a table.
type compareSection struct {
	Title, Caption, More string
	Charts               []template.HTML
	Headers              []compareValue
	Rows                 []compareRow
}

type compareValue struct {
	Text  string
	Right bool
}

type compareRow struct {
	Values    []compareValue
	Different bool
}

// HTML writes comparisons as one self-contained page. The runs are those that were compared, the first the base; their
// repeats and ceilings are drawn.
func HTML(w io.Writer, runs []*record.Run, s ComparisonSet) error {
	t, err := template.New("compare").Parse(compareTemplate)
	if err != nil {
		return fmt.Errorf("report: the template of a comparison: %w", err)
	}
	v := compareViewOf(runs, s)
	css := style.Colours() + style.Page + compareStyle
	v.Style = template.CSS(css)
	v.Policy = "default-src 'none'; style-src '" + style.Hash(css) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	v.Icon = template.URL(style.Icon())
	data, err := json.Marshal(s)
	switch {
	case err != nil:
		return fmt.Errorf("report: the comparison's data: %w", err)
	case len(data) > mostCompareData:
		data, v.DataNote = nil, "The data are too large for this page; linerate compare --json has them."
	default:
		v.DataNote = "This page carries the comparison as JSON (element compare)."
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report: the page of a comparison: %w", err)
	}
	if data != nil { // <, > and & are escaped and cannot end the element
		b.WriteString(`<script type="application/json" id="compare">`)
		b.Write(format.EscapeControls(data))
		b.WriteString("</script>\n")
	}
	b.WriteString("</body>\n</html>\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report: the page could not be written: %w", err)
	}
	return nil
}

func compareViewOf(runs []*record.Run, s ComparisonSet) compareView {
	sentences := compareSentences(s.Comparisons)
	v := compareView{Title: compareTitle(s), Sentence: sentences[0], Rest: sentences[1:], Documents: s.Documents,
		Notes: s.Notes, Base: "first", Other: "other"}
	if len(s.Comparisons) > 0 {
		v.Base, v.Other = s.Comparisons[0].Base.Label, s.Comparisons[0].Other.Label
		for _, c := range s.Comparisons {
			if c.Other.Label != v.Other {
				v.Other = "other"
			}
		}
	}
	for _, f := range s.Facts {
		if len(s.Documents) > 0 {
			v.Machines = append(v.Machines, format.Clean(f))
			continue
		}
		what, change, ok := strings.Cut(format.Clean(f), ": ")
		for ok && !strings.Contains(what, " -> ") && strings.HasPrefix(what, "run ") &&
			strings.Contains(change, ": ") { // run abcd: kernel: ..
			var more string
			more, change, _ = strings.Cut(change, ": ")
			what += ": " + more
			break
		}
		from, to, _ := strings.Cut(change, " -> ")
		v.Differs = append(v.Differs, differView{what, from, to})
	}
	if len(s.Facts) == 0 && len(runs) > 1 {
		v.Same = "No difference is known of the machines, the links and what was in effect."
	}
	for _, r := range refusals(s.Refused) {
		v.Refused = append(v.Refused, refusalView{format.Arrows(r.what), format.Arrows(r.why)})
	}
	if len(v.Refused) > 200 {
		v.Refused = append(v.Refused[:200],
			refusalView{fmt.Sprintf("and %d more", len(v.Refused)-200), "linerate compare --json has them"})
	}
	for _, r := range runs {
		v.Version = format.Clean(r.Version)
		v.Runs = append(v.Runs,
			comparedRun{format.Clean(r.ID), format.Clean(r.Fabric), r.Started.UTC().Format("2006-01-02 15:04 UTC"),
				format.Clean(r.Version), format.Command(r.Arguments)})
	}
	if len(s.Documents) > 0 {
		v.Sections = append(v.Sections, publishedSection(s))
		return v
	}
	v.Sections = compareSections(runs, s.Comparisons)
	v.Charts = slices.ContainsFunc(v.Sections, func(c compareSection) bool { return len(c.Charts) > 0 })
	return v
}

func compareTitle(s ComparisonSet) string {
	var names []string
	for _, c := range s.Comparisons {
		for _, l := range []string{c.Base.Label, c.Other.Label} {
			names = xslices.AppendNew(names, l)
		}
	}
	if len(s.Documents) > 0 {
		names = nil
		for _, r := range s.Runs {
			names = append(names, "run "+r)
		}
		for _, d := range s.Documents {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return "Compared"
	}
	return format.Shorten(strings.Join(names[:min(len(names), 6)], " · "), 100)
}

// publishedSection is a table of a run next to published figures.
func publishedSection(s ComparisonSet) compareSection {
	out := compareSection{Title: "Compared with published figures",
		Caption: "each figure with the document's own words, and what differs in conditions",
		Headers: []compareValue{
			{"figure", false},
			{"yours", true},
			{"document", true},
			{"yours over the document's", false},
			{"differs", false},
			{"in the document", false},
		}}
	for _, c := range s.Comparisons {
		if c.Published == nil {
			continue
		}
		p := c.Published
		there := p.Section + ": “" + p.Text + "”"
		if p.With != "" {
			there += "; " + p.With
		}
		others := publishedRatio(c)
		if p.Shares != nil {
			others += "; " + publishedShares(c)
		}
		out.Rows = append(out.Rows, compareRow{Values: []compareValue{
			{format.Clean(c.Experiment), false},
			{publishedText(c.Metric, c.Other.Median), true},
			{publishedValue(c), true},
			{others, false},
			{strings.Join(append([]string{}, p.Differs...), "; "), false},
			{format.Shorten(there, 400), false},
		}})
	}
	return out
}

// compareSections groups the comparisons by experiment.
func compareSections(runs []*record.Run, all []record.Comparison) []compareSection {
	k := newComparer(runs)
	name := func(c record.Comparison) string {
		return unit.If(c.Combination == "", "rows of the summaries", c.Experiment)
	}
	room := mostCompareRows
	var out []compareSection
	for _, group := range format.Groups(all, name) {
		s := compareSection{Title: format.Clean(name(group[0])),
			Caption: "the same figures; rows in bold differ by more than chance",
			Headers: []compareValue{
				{"compared", false},
				{"figure", false},
				{"ratio", true},
				{"first", true},
				{"other", true},
				{"95 % interval", false},
			}}
		panels := k.panels(group)
		for _, p := range panels[:min(len(panels), mostComparePanels)] {
			s.Charts = append(s.Charts, k.draw(p)...)
		}
		labels := map[string]bool{}
		for _, c := range group {
			labels[c.Base.Label+"\x00"+c.Other.Label] = true
		}
		if len(labels) == 1 {
			s.Headers[3].Text, s.Headers[4].Text = group[0].Base.Label, group[0].Other.Label
		}
		for i, c := range group {
			if room == 0 {
				s.More = fmt.Sprintf("%d more rows are in linerate compare --json.", len(group)-i)
				break
			}
			room--
			s.Rows = append(s.Rows, compareTableRow(c, len(labels) > 1))
		}
		if n := len(panels) - mostComparePanels; n > 0 {
			s.More = strings.TrimSpace(fmt.Sprintf("%d more charts are left out; the table has their figures. ", n) + s.More)
		}
		out = append(out, s)
	}
	return out
}

func compareTableRow(c record.Comparison, labelled bool) compareRow {
	what := cmp.Or(format.Arrows(c.Combination), format.Clean(c.Experiment))
	if len(c.Differs) > 0 {
		what += " (" + strings.Join(c.Differs, "; ") + ")"
	}
	a, b := metricText(c.Metric, c.Base.Median), metricText(c.Metric, c.Other.Median)
	if labelled {
		a, b = c.Base.Label+": "+a, c.Other.Label+": "+b
	}
	return compareRow{Different: c.Different != nil && *c.Different,
		Values: []compareValue{
			{what, false},
			{metricWords(c.Metric), false},
			{ratioText(c), true},
			{a, true},
			{b, true},
			{intervalWords(c), false},
		}}
}
