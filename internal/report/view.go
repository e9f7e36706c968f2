package report

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// drawings is how many bytes of charts a page may have: further ones are left
// out, and said to be, because every chart has its table.
const drawings = 200_000

// pageView is what the page's template prints; every text in it is ready.
type pageView struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Name, Head, When, ID, Lab string
	Sentence, More            string
	Do                        *cause // the verdict that the first sentence is of
	Incomplete                []string
	GoalCount, GoalSentence   string
	Goals                     []goalView
	LabNotes                  []string
	Emulated                  []string // what is, where it is much
	Fabric                    template.HTML
	FabricNote                string
	Links                     []linkView
	Tables                    []summary
	Blocks                    []block
	Causes                    []cause
	Verbs                     []verbsTable
	Halos                     []haloTable
	Apps                      []appTable
	Storage                   []blockTable
	Sweeps                    []sweep
	Systems                   []systemsView
	Keys                      keyView
	Proofs                    []proofView
	Costs                     []costView
	Missing                   []missingView
	Problems                  []record.Problem
	Found                     []record.Finding
	Unchecked                 []record.Unknown
	Notes                     []noteView
	Comparisons               []comparisonView
	ComparisonNotes           []string
	Instrument                []instrumentView
	Chase                     string        // how it went; empty: verdicts were not chased
	Evidence                  string        // what looking at the ends cost
	Settings                  []settingView // that were asked for
	Unasked                   []settingView // what was in effect besides
	UnaskedText               string
	HostSettings              []settingView
	AsPlanned                 []settingView // of hosts, where they are many
	Hosts                     []hostView
	Command, FabricPath       string
	FabricText                string
	Version, DataNote         string
	LeftOut                   int
}

type goalView struct {
	Class, Word, Name, Want, Have, Why string
	Span                               int // rows that its reason stands for; 0: that of a row above does
}

type linkView struct{ Label, Name, From, To, Cable, Rate, There, Back string }

type noteView struct{ Label, Text string }

type missingView struct {
	Head   string
	Groups []gone
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

// maker counts how much has been drawn.
type maker struct {
	run   *record.Run
	found *Found
	mark  string // of every ceiling: " (lab 1/10)"
	drawn int
	left  int
	// anchors are the elements of the page that show an experiment.
	anchors map[*record.Experiment]string
	// told says that the page has explained how the ceilings of a path are drawn.
	told bool
}

func (m *maker) chart(h template.HTML) template.HTML {
	if h == "" {
		return ""
	}
	if m.drawn+len(h) > drawings {
		m.left++
		return ""
	}
	m.drawn += len(h)
	return h
}

func view(found *Found) pageView {
	r := found.run
	m := &maker{run: r, found: found, anchors: map[*record.Experiment]string{}}
	if r.Lab != nil {
		m.mark = " (" + labShort(r.Lab) + ")"
	}
	all := rows(r)
	v := pageView{
		Name: clean(r.Fabric), Head: head(&r.Plan), When: when(r), ID: clean(r.ID), Lab: labText(r.Lab),
		Incomplete: incomplete(r), GoalCount: goalCount(r.Goals), Problems: r.Problems, Found: r.Findings, Unchecked: r.Unchecked,
		Command: Command(r.Arguments), FabricPath: clean(r.FabricPath), FabricText: strings.Join(cleanLines(r.FabricText), "\n"), Version: clean(r.Version),
	}
	v.Sentence, v.More = firstSentence(unbroken(arrows(answer(r))))
	v.Do, v.GoalSentence = firstCause(r), goalSentence(r.Goals)
	if r.Variant != "" {
		v.Name += " [" + clean(r.Variant) + "]"
	}
	for _, g := range r.Goals {
		w := goalWord(g)
		v.Goals = append(v.Goals, goalView{Class: strings.ReplaceAll(w, " ", "-"), Word: w, Name: clean(g.Name), Want: clean(g.Want), Have: clean(g.Have), Why: arrows(clean(g.Why))})
	}
	for i, first := 0, 0; i < len(v.Goals); i++ {
		if v.Goals[i].Why == "" || v.Goals[i].Why != v.Goals[first].Why {
			first = i
		}
		v.Goals[first].Span++
	}
	if r.Lab != nil {
		v.LabNotes = labNotes(r)
		if len(r.Lab.Emulated) > fewEmulated {
			v.Emulated = cleaned(r.Lab.Emulated)
		}
	}
	drawn, note := fabricDrawing(r, all)
	v.Fabric, v.FabricNote = m.chart(drawn), note
	v.Links = links(r, all)
	v.Tables = summaries(all)
	m.series(&v, all)
	v.Blocks = m.blocks(all)
	v.Keys = m.keys()
	v.Costs, v.Proofs = costViews(r.Costs), proofs(r)
	for _, k := range []struct {
		head   string
		reason func(*record.Experiment) string
	}{{"Failed", reasonFailed}, {"Not run", reasonNotRun}} {
		if g := missing(r, k.reason); len(g) > 0 {
			v.Missing = append(v.Missing, missingView{k.head, g})
		}
	}
	for _, w := range warnings(r) {
		v.Notes = append(v.Notes, noteView{"warning", arrows(clean(w))})
	}
	for _, s := range r.Shortened {
		v.Notes = append(v.Notes, noteView{"shortened", clean(s)})
	}
	v.Chase = chaseNote(r)
	v.Evidence = evidenceCostText(r.Evidence)
	v.Comparisons, v.ComparisonNotes, v.Instrument = comparisonViews(r.Comparisons), comparisonNotes(r.Comparisons), instrumentViews(r.Instrument)
	v.Settings, v.HostSettings = settingViews(r)
	v.HostSettings, v.AsPlanned = asPlanned(v.HostSettings)
	v.Settings, v.Unasked = asked(v.Settings)
	v.UnaskedText = count(len(v.Unasked), "setting") + " that nobody asked for, as they were in effect"
	v.Hosts = hostViews(r)
	v.LeftOut = m.left
	return v
}

func when(r *record.Run) string {
	if r.Started.IsZero() {
		return "time " + notKnown
	}
	s := r.Started.UTC().Format("2 January 2006, 15:04 UTC")
	if d := r.Ended.Sub(r.Started); !r.Ended.IsZero() && d > 0 {
		s += ", " + tookText(d)
	}
	return s
}

// tookText is how long a run took, in words: "1 min 25 s".
func tookText(d time.Duration) string {
	d = max(d.Round(time.Second), time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d s", s)
}

// fewEmulated is how many things that are emulated one sentence tells of.
const fewEmulated = 2

func labNotes(r *record.Run) []string {
	lab := r.Lab
	var out []string
	if s := scale(lab); s != "" {
		out = append(out, "All rates are at "+s+" of the planned hardware's; latency, MTU and percentages are not scaled.")
	}
	out = append(out, "All hosts share the processor of one machine.")
	if len(lab.Guests) > 0 {
		out = append(out, "Figures of "+list(cleaned(lab.Guests))+" are those of emulated machines: "+notOfSpeed+".")
	}
	if len(lab.Shaped) > 0 {
		out = append(out, "Shaped: a shaper holds the rate of "+shapedLinks(r)+".")
	}
	if n := len(lab.Emulated); n > 0 && n <= fewEmulated {
		out = append(out, "Emulated: "+list(cleaned(lab.Emulated))+".")
	}
	return out
}

func links(r *record.Run, all []row) []linkView {
	carried := flows(r, all)
	var out []linkView
	for i := range r.Plan.Links {
		l := &r.Plan.Links[i]
		f := carried[l.Name]
		v := linkView{Label: clean(l.Label), Name: clean(l.Name), From: clean(l.Ends[0]), To: clean(l.Ends[1]), Cable: clean(l.Cable), Rate: notKnown, There: flowText(f[0]), Back: flowText(f[1])}
		if l.Rate > 0 {
			v.Rate = l.Rate.String()
		}
		out = append(out, v)
	}
	return out
}

func flowText(f flow) string {
	switch {
	case !f.known:
		return "not measured"
	case !f.ceiling:
		return rate(f.goodput)
	}
	return rate(f.goodput) + ", " + unit.Percent(f.share)
}
