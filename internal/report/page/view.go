package page

import (
	"html/template"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/chart"
	"linerate/internal/report/compare"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/highlight"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
)

// pageView is what the page's template prints; every text in it is ready.
type pageView struct {
	Policy string
	Style  template.CSS
	Script template.JS
	Icon   template.URL

	Name, Head, When, ID, Lab string
	Sentence, More            string
	Do                        *report.Cause // the verdict of the first sentence
	Incomplete                []string
	Strip                     []goalGroup
	Goals                     []goalView
	LabNotes                  []string
	Emulated                  []string            // the emulated things, if many
	Overview                  []chart.OverviewRow // all paths against their ceilings
	FullerPaths               int                 // that it does not have
	Heat                      *chart.HeatMap
	Fabric                    template.HTML
	FabricNote                string
	Links                     []linkView
	Tables                    []report.Summary
	Blocks                    []block
	Quiet                     []block        // those of full paths alone, where they are many
	Causes                    []report.Cause // of what is in no block: storage, copies, exchanges
	Verbs                     []tables.VerbsTable
	Halos                     []tables.HaloTable
	Apps                      []tables.AppTable
	Storage                   []tables.BlockTable
	Sweeps                    []chart.Sweep
	Systems                   []systemsView
	Keys                      keyView
	Proofs                    []tables.ProofView
	Costs                     []tables.CostView
	Missing                   []missingView
	Problems                  []record.Problem
	Found                     []record.Finding
	Unchecked                 []record.Unknown
	Notes                     []noteView
	Comparisons               []compare.ComparisonView
	ComparisonNotes           []string
	Instrument                []report.InstrumentView
	FollowUp                  string        // its summary; empty: verdicts were not followed up
	Evidence                  string        // cost of observing the ends
	Settings                  []settingView // requested ones
	AsAsked                   []settingView // those that are in effect as requested, where they are many
	Unasked                   []settingView // others in effect
	UnaskedText               string
	HostSettings              []settingView
	AsPlanned                 []settingView // of hosts, where they are many
	Hosts                     []hostView
	Command, FabricPath       string
	FabricText                string
	Version, DataNote         string
	LeftOut                   int
}

type linkView struct{ Label, Name, From, To, Cable, Rate, There, Back string }

type noteView struct{ Label, Text string }

type missingView struct {
	Head   string
	Groups []report.Gone
}

type settingView struct {
	Of, Key, Want, Have string
	Differs             bool
}

type hostView struct {
	record.HostState
	Ports []record.PicturePort
	Cores string
}

// maker makes the view of a page, and counts the drawn bytes.
type maker struct {
	chart.Budget
	run   *record.Run
	found *highlight.Found
	mark  string // of every ceiling: " (lab 1/10)"
	// anchors are the elements of the page that show an experiment.
	anchors map[*record.Experiment]string
	// reported reports whether the page has explained how the ceilings of a path are drawn.
	reported bool
}

func view(found *highlight.Found) pageView {
	r := found.Run()
	m := &maker{run: r, found: found, anchors: map[*record.Experiment]string{}}
	if r.Lab != nil {
		m.mark = " (" + result.LabShort(r.Lab) + ")"
	}
	all := result.Rows(r)
	v := pageView{Name: format.Clean(r.Fabric), Head: result.Head(&r.Plan), When: when(r),
		ID: format.Clean(r.ID), Lab: result.LabText(r.Lab), Incomplete: report.Incomplete(r),
		Strip: goalStrip(r.Goals), Goals: goalViews(r.Goals), Problems: r.Problems, Found: r.Findings, Unchecked: r.Unchecked,
		Command: format.Command(r.Arguments), FabricPath: format.Clean(r.FabricPath),
		FabricText: strings.Join(format.CleanLines(r.FabricText), "\n"), Version: format.Clean(r.Version)}
	head := headline.Of(r)
	v.Sentence = format.Unbroken(format.Arrows(head.First()))
	v.More = format.Unbroken(format.Arrows(head.Rest()))
	if lead := report.Lead(head, report.Causes(r)); lead != nil && lead.Verdict.Fix != "" {
		v.Do = lead
	}
	if r.Variant != "" {
		v.Name += " [" + format.Clean(r.Variant) + "]"
	}
	if r.Lab != nil {
		v.LabNotes = labNotes(r)
		if len(r.Lab.Emulated) > fewEmulated {
			v.Emulated = format.Cleaned(r.Lab.Emulated)
		}
	}
	drawn, note := diagram.FabricDrawing(r, all)
	v.Fabric, v.FabricNote = m.Chart(drawn), note
	v.Overview, v.FullerPaths = chart.Overview(all, bottleneck)
	v.Heat = chart.HeatMapOf(all, xslices.Map(r.Plan.Hosts, func(h record.PictureHost) string { return h.Name }))
	v.Links = links(r, all)
	v.Tables = report.Summaries(all)
	m.series(&v, all)
	v.Blocks, v.Quiet = quietBlocks(m.blocks(all))
	v.Causes = elsewhere(r, all)
	v.Keys = m.keys()
	v.Costs, v.Proofs = tables.CostViews(r.Costs), tables.Proofs(r)
	for _, k := range []struct {
		head   string
		reason func(*record.Experiment) string
	}{{"Failed", report.ReasonFailed}, {"Not run", report.ReasonNotRun}} {
		if g := report.Missing(r, k.reason); len(g) > 0 {
			v.Missing = append(v.Missing, missingView{k.head, g})
		}
	}
	for _, w := range report.Warnings(r) {
		v.Notes = append(v.Notes, noteView{"warning", format.Arrows(format.Clean(w))})
	}
	for _, s := range r.Shortened {
		v.Notes = append(v.Notes, noteView{"shortened", format.Clean(s)})
	}
	if len(v.Keys.Findings) == 0 {
		for _, n := range v.Keys.Notes {
			v.Notes = append(v.Notes, noteView{"highlights", n})
		}
	}
	v.FollowUp = report.FollowUpNote(r)
	v.Evidence = report.EvidenceCostText(r.Evidence)
	v.Comparisons, v.ComparisonNotes, v.Instrument = compare.ComparisonViews(r.Comparisons), compare.ComparisonNotes(
		r.Comparisons,
	), report.InstrumentViews(r.Instrument)
	v.Settings, v.HostSettings = settingViews(r)
	v.HostSettings, v.AsPlanned = asPlanned(v.HostSettings)
	v.Settings, v.Unasked = asked(v.Settings)
	v.Settings, v.AsAsked = asPlanned(v.Settings)
	v.UnaskedText = unit.Counted(len(v.Unasked), "default setting")
	v.Hosts = hostViews(r)
	v.LeftOut = m.Left
	return v
}

// elsewhere returns the verdicts that no block of a path has. The terminal lists them among the others.
func elsewhere(r *record.Run, all []result.Row) []report.Cause {
	inBlock := map[*record.Experiment]bool{}
	for _, w := range all {
		for _, c := range w.Combinations {
			inBlock[c.E] = true
		}
	}
	return xslices.Filter(report.Causes(r), func(c report.Cause) bool { return !inBlock[c.Worst] })
}

// bottleneck returns the words for what limits an experiment. It is empty where its link is full, and not found where
// no cause was found.
func bottleneck(e *record.Experiment) (words string, found bool) {
	v := e.Verdict
	switch {
	case v == nil || v.Limiter == record.LimiterUnexplained || v.Limiter == record.LimiterUnknown || v.Limiter == "":
		return "cause not found", false
	case result.Healthy(v):
		return "", true
	}
	return report.LimitedBy(e, false), true
}

func when(r *record.Run) string {
	if r.Started.IsZero() {
		return "time " + format.NotKnown
	}
	s := r.Started.UTC().Format("2 January 2006, 15:04 UTC")
	if d := r.Ended.Sub(r.Started); !r.Ended.IsZero() && d > 0 {
		s += ", " + format.Took(d)
	}
	return s
}

// fewEmulated is the number of emulated things that one sentence lists.
const fewEmulated = 2

func labNotes(r *record.Run) []string {
	lab := r.Lab
	var out []string
	if s := result.Scale(lab); s != "" {
		out = append(out, "All rates are at "+s+" of the planned hardware's; latency, MTU and percentages are not scaled.")
	}
	out = append(out, "All hosts share the CPU of one machine.")
	if len(lab.Guests) > 0 {
		out = append(out,
			"Figures of "+unit.List(format.Cleaned(lab.Guests))+" are those of emulated machines: "+compare.NotOfSpeed+".")
	}
	if len(lab.Shaped) > 0 {
		out = append(out, "Shaped: a shaper holds the rate of "+report.ShapedLinks(r)+".")
	}
	if n := len(lab.Emulated); n > 0 && n <= fewEmulated {
		out = append(out, "Emulated: "+unit.List(format.Cleaned(lab.Emulated))+".")
	}
	return out
}

func links(r *record.Run, all []result.Row) []linkView {
	carried := diagram.Flows(r, all)
	var out []linkView
	for i := range r.Plan.Links {
		l := &r.Plan.Links[i]
		f := carried[l.Name]
		v := linkView{Label: format.Clean(l.Label), Name: format.Clean(l.Name), From: format.Clean(l.Ends[0]),
			To: format.Clean(l.Ends[1]), Cable: format.Clean(l.Cable), Rate: format.NotKnown, There: flowText(f[0]),
			Back: flowText(f[1])}
		if l.Rate > 0 {
			v.Rate = l.Rate.String()
		}
		out = append(out, v)
	}
	return out
}

func flowText(f diagram.Flow) string {
	switch {
	case !f.Known:
		return "not measured"
	case !f.Ceiling:
		return format.Rate(f.Goodput)
	}
	return format.Rate(f.Goodput) + ", " + unit.Percent(f.Share)
}
