package report

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"linerate/path"
	"linerate/plan"
	"linerate/result"
	"linerate/unit"
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
	Sentence                  string
	Incomplete                []string
	GoalCount                 string
	Goals                     []goalView
	LabNotes                  []string
	Fabric                    template.HTML
	Links                     []linkView
	Tables                    []summary
	Blocks                    []block
	Causes                    []cause
	Sweeps                    []sweep
	Missing                   []missingView
	Findings                  []plan.Problem
	Notes                     []noteView
	Settings                  []settingView
	HostSettings              []settingView
	Hosts                     []hostView
	Command, FabricPath       string
	FabricText                string
	Version, DataNote         string
	LeftOut                   int
}

type goalView struct{ Class, Word, Name, Want, Have, Why string }

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
	result.HostState
	Ports []result.PicturePort
	Cores string
}

// summary is the table of all paths of an experiment.
type summary struct {
	Name  string
	Heads []string
	Rows  []summaryRow
}

type summaryRow struct {
	Path, Anchor, Share, Ceiling, P50, P99, By string
	Figures                                    []string
	Sub, Limited                               bool
}

// block is a pair of hosts with what was measured between them.
type block struct {
	Title      string
	Text       []string
	Directions []direction
	Latency    []latencyView
}

// direction is one row of a block.
type direction struct {
	Anchor, Title, Mark string
	Headline            string
	Healthy             bool
	Hops                []hopView
	Charts              []template.HTML
	Verdicts            []cause
	Cells               []cellView
}

type hopView struct {
	Component, Kind, Rate, Layer, Formula, Inputs string
	Lowest, Unknown                               bool
	Marks                                         []string
}

type cellView struct {
	Label, Goodput, Spread, Ceiling, Share, FromCPU, ToCPU, Retrans, By, Foreign string
}

type latencyView struct {
	Title string
	Chart template.HTML
	Rows  [][2]string
}

// maker counts how much has been drawn.
type maker struct {
	run   *result.Run
	mark  string // of every ceiling: " (lab 1/10)"
	drawn int
	left  int
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

func view(r *result.Run) pageView {
	m := &maker{run: r}
	if r.Lab != nil {
		m.mark = " (" + labShort(r.Lab) + ")"
	}
	all := rows(r)
	v := pageView{
		Name: clean(r.Fabric), Head: head(&r.Plan), When: when(r), ID: clean(r.ID), Lab: labText(r.Lab),
		Sentence: answer(r), Incomplete: incomplete(r), GoalCount: goalCount(r.Goals), Findings: r.Problems,
		Command: command(r.Arguments), FabricPath: clean(r.FabricPath), FabricText: strings.Join(cleanLines(r.FabricText), "\n"), Version: clean(r.Version),
	}
	if r.Variant != "" {
		v.Name += " [" + clean(r.Variant) + "]"
	}
	for _, g := range r.Goals {
		w := goalWord(g)
		v.Goals = append(v.Goals, goalView{Class: strings.ReplaceAll(w, " ", "-"), Word: w, Name: clean(g.Name), Want: clean(g.Want), Have: clean(g.Have), Why: clean(g.Why)})
	}
	if r.Lab != nil {
		v.LabNotes = labNotes(r.Lab)
	}
	v.Fabric = m.chart(fabricDrawing(r, all))
	v.Links = links(r, all)
	v.Tables = summaries(all)
	v.Blocks = m.blocks(all)
	for _, s := range sweeps(all, m.mark) {
		s.Chart = m.chart(s.Chart)
		v.Sweeps = append(v.Sweeps, s)
	}
	for _, k := range []struct {
		head   string
		reason func(*result.Experiment) string
	}{{"Failed", reasonFailed}, {"Not run", reasonNotRun}} {
		if g := missing(r, k.reason); len(g) > 0 {
			v.Missing = append(v.Missing, missingView{k.head, g})
		}
	}
	for _, w := range warnings(r) {
		v.Notes = append(v.Notes, noteView{"warning", clean(w)})
	}
	for _, s := range r.Shortened {
		v.Notes = append(v.Notes, noteView{"shortened", clean(s)})
	}
	v.Settings, v.HostSettings = settingViews(r)
	v.Hosts = hostViews(r)
	v.LeftOut = m.left
	return v
}

func when(r *result.Run) string {
	if r.Started.IsZero() {
		return "time " + notKnown
	}
	s := r.Started.UTC().Format("2 January 2006, 15:04 UTC")
	if d := r.Ended.Sub(r.Started); !r.Ended.IsZero() && d > 0 {
		s += ", " + d.Round(time.Second).String()
	}
	return s
}

func labNotes(lab *result.Lab) []string {
	var out []string
	if s := scale(lab); s != "" {
		out = append(out, "All rates are at "+s+" of the planned hardware's; latency, MTU and percentages are not scaled.")
	}
	if len(lab.Shaped) > 0 {
		out = append(out, "Shaped: a shaper holds the rate of "+list(cleaned(lab.Shaped))+".")
	}
	if len(lab.Emulated) > 0 {
		out = append(out, "Emulated: "+list(cleaned(lab.Emulated))+".")
	}
	return out
}

func links(r *result.Run, all []row) []linkView {
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

func summaries(all []row) []summary {
	var out []summary
	index := map[string]int{}
	grouped := map[string][]row{}
	for _, w := range all {
		if _, ok := index[w.Name]; !ok {
			index[w.Name] = len(out)
			out = append(out, summary{Name: clean(w.Name)})
		}
		grouped[w.Name] = append(grouped[w.Name], w)
	}
	n := 0
	for name, i := range index {
		s := &out[i]
		values, rest := cellColumns(grouped[name])
		rest = rest || len(values) > 5
		if rest {
			s.Heads = []string{"lowest", "highest"}
		} else {
			for _, v := range values {
				s.Heads = append(s.Heads, streams(v))
			}
		}
	}
	for _, w := range all {
		n++
		s := &out[index[w.Name]]
		line := summaryRow{Path: arrows(w.path()), Anchor: anchor(n), Limited: !healthy(w.main().E.Verdict)}
		line.fill(w.main())
		if len(s.Heads) == 2 && s.Heads[0] == "lowest" {
			low, high := extremes(w)
			line.Figures = []string{low, high}
		} else {
			values, _ := cellColumns(grouped[w.Name])
			for _, v := range values {
				line.Figures = append(line.Figures, w.figure(v))
			}
		}
		if w.Ping != nil {
			line.P50, line.P99 = seconds(w.Ping.Latency.P50), seconds(w.Ping.Latency.P99)
		}
		s.Rows = append(s.Rows, line)
		for _, o := range w.others(false) {
			sub := summaryRow{Path: o.label, Figures: make([]string, len(line.Figures)), Sub: true, Limited: true}
			sub.fill(o.cell)
			s.Rows = append(s.Rows, sub)
		}
	}
	return out
}

func (s *summaryRow) fill(c cell) {
	s.Share, s.Ceiling, s.By = notKnown, ceilingText(c.E), limitedBy(c.E, false)
	if v, ok := c.share(); ok {
		s.Share = unit.Percent(v)
	} else if c.Goodput == nil {
		s.Share = ""
	}
}

func anchor(n int) string { return fmt.Sprintf("path-%d", n) }

// arrows writes a path for a page, which always has the character.
func arrows(s string) string { return strings.ReplaceAll(s, " -> ", " → ") }

func (m *maker) blocks(all []row) []block {
	var out []block
	index := map[[2]string]int{}
	many := len(summaries(all)) > 1
	for n, w := range all {
		p := pair(w.From, w.To)
		i, ok := index[p]
		if !ok {
			i = len(out)
			index[p] = i
			out = append(out, block{Title: clean(w.From) + " and " + clean(w.To), Text: m.linkLines(w.Links)})
		}
		out[i].Directions = append(out[i].Directions, m.direction(n+1, w, many))
	}
	for _, e := range m.run.Experiments {
		if e.Latency == nil {
			continue
		}
		p := pair(e.From, e.To)
		i, ok := index[p]
		if !ok {
			i = len(out)
			index[p] = i
			out = append(out, block{Title: clean(e.From) + " and " + clean(e.To), Text: m.linkLines(e.Links)})
		}
		l := e.Latency
		title := "Round trip " + clean(e.From) + " → " + clean(e.To)
		if s := settings(e.Settings, "direction", "time", "repeats"); s != "" {
			title += " (" + s + ")"
		}
		out[i].Latency = append(out[i].Latency, latencyView{
			Title: title, Chart: m.chart(latencyChart(e)),
			Rows: [][2]string{{"p50", seconds(l.P50)}, {"p99", seconds(l.P99)}, {"p99.9", seconds(l.P999)}, {"p99.99", seconds(l.P9999)}, {"max", seconds(l.Max)}, {"round trips", fmt.Sprint(l.Count)}},
		})
	}
	return out
}

// linkLines describe the cables of a path with both ends' addresses.
func (m *maker) linkLines(names []string) []string {
	addresses := map[string]string{}
	for _, h := range m.run.Plan.Hosts {
		for _, p := range h.Ports {
			addresses[p.ID] = clean(p.Address)
		}
	}
	var out []string
	for _, name := range names {
		for i := range m.run.Plan.Links {
			l := &m.run.Plan.Links[i]
			if l.Name != name {
				continue
			}
			s := linkText(l)
			if label := clean(l.Label); label != "" {
				s = label + ": " + s
			}
			for j, id := range l.Ends {
				s += []string{"; ", " to "}[j] + strings.TrimSpace(clean(id)+" "+addresses[id])
			}
			out = append(out, s)
		}
	}
	return out
}

func (m *maker) direction(n int, w row, many bool) direction {
	main := w.main()
	d := direction{Anchor: anchor(n), Title: arrows(w.path()), Mark: labShort(m.run.Lab), Healthy: true}
	if many {
		d.Title += ", " + clean(w.Name)
	}
	if main.Goodput != nil {
		d.Headline = rate(main.Goodput.Median)
		if ceiling := ceilingText(main.E); ceiling != notKnown {
			d.Headline += " of " + ceiling
		} else {
			d.Headline += ", ceiling " + notKnown
		}
		if s, ok := main.share(); ok {
			d.Headline += ", " + unit.Percent(s)
		}
		if label := main.label(); label != "" {
			d.Headline += ", with " + label
		}
		d.Headline += "; limited by " + limitedBy(main.E, false)
	} else {
		d.Headline = limitedBy(main.E, false)
	}
	d.Hops = hops(main.E.Ceiling)
	if c := m.chart(barChart(w, m.mark)); c != "" {
		d.Charts = append(d.Charts, c)
	}
	for _, c := range charted(w) {
		if h := m.chart(timeChart(w, c, m.mark)); h != "" {
			d.Charts = append(d.Charts, h)
		}
	}
	part := *m.run
	part.Experiments = nil
	for _, c := range w.Cells {
		d.Cells = append(d.Cells, cellOf(w, c))
		if len(part.Experiments) == 0 || part.Experiments[len(part.Experiments)-1] != c.E {
			part.Experiments = append(part.Experiments, c.E)
		}
	}
	d.Verdicts = causes(&part)
	if main.E.Verdict != nil && healthy(main.E.Verdict) {
		d.Verdicts = append(d.Verdicts, cause{Verdict: main.E.Verdict})
	}
	d.Healthy = len(d.Verdicts) == 1 && healthy(d.Verdicts[0].Verdict)
	return d
}

// charted are the cells of a row that are drawn over time: all of a few, else
// the lowest and the highest.
func charted(w row) []cell {
	if len(w.Cells) <= 3 {
		return w.Cells
	}
	low, high := -1, -1
	for i, c := range w.Cells {
		if c.Goodput == nil {
			continue
		}
		if low < 0 || c.Goodput.Median < w.Cells[low].Goodput.Median {
			low = i
		}
		if high < 0 || c.Goodput.Median > w.Cells[high].Goodput.Median {
			high = i
		}
	}
	if low < 0 {
		return nil
	}
	if low == high {
		return []cell{w.Cells[low]}
	}
	return []cell{w.Cells[low], w.Cells[high]}
}

func hops(c *path.Chain) []hopView {
	if c == nil {
		return nil
	}
	var out []hopView
	for _, h := range c.Hops {
		v := hopView{Component: clean(h.Component), Kind: clean(h.Kind), Layer: clean(string(h.Layer)), Formula: clean(h.Formula), Lowest: h.Component == c.Component}
		if rate, ok := h.Rate.Get(); ok {
			v.Rate = rate.String()
		} else {
			v.Unknown = true
			v.Rate = notKnown
			if why := clean(h.Why); why != "" {
				v.Rate += ": " + why
			}
		}
		var inputs []string
		for _, i := range h.Inputs {
			inputs = append(inputs, fmt.Sprintf("%s %s (%s)", clean(i.Name), inputNumber(i.Value), clean(string(i.Origin))))
			if o := string(i.Origin); (o == "simulated" || o == "assumed") && !contains(v.Marks, o) {
				v.Marks = append(v.Marks, o)
			}
		}
		v.Inputs = strings.Join(inputs, ", ")
		out = append(out, v)
	}
	return out
}

// inputNumber prints an input of a formula: exact where it is a small whole
// number, scaled where it is large.
func inputNumber(v float64) string {
	if v >= 1e6 {
		return strings.TrimSuffix(unit.BitRate(v).String(), "b/s")
	}
	if v == float64(int64(v)) {
		return fmt.Sprint(int64(v))
	}
	return unit.Significant(v)
}

func cellOf(w row, c cell) cellView {
	v := cellView{Label: c.label(), Goodput: notKnown, Spread: notKnown, Ceiling: ceilingText(c.E), Share: notKnown, FromCPU: notKnown, ToCPU: notKnown, Retrans: notKnown, By: limitedBy(c.E, false), Foreign: notKnown}
	if c.E.Failed != "" {
		v.By += ": " + clean(c.E.Failed)
	}
	if c.Goodput != nil {
		v.Goodput, v.Spread = rate(c.Goodput.Median), spread(c.Goodput)
	}
	if s, ok := c.share(); ok {
		v.Share = unit.Percent(s)
	}
	if b := busy(c.E.CPU, w.From); b >= 0 {
		v.FromCPU = unit.Significant(b)
	}
	if b := busy(c.E.CPU, w.To); b >= 0 {
		v.ToCPU = unit.Significant(b)
	}
	var retrans int64
	known := false
	for _, p := range c.E.Repeats {
		for _, s := range p.Streams {
			if s.Socket != nil && s.Socket.Retrans != nil {
				retrans += *s.Socket.Retrans
				known = true
			}
		}
	}
	if known {
		v.Retrans = fmt.Sprint(retrans)
	}
	foreign := 0.0
	for _, p := range c.E.Repeats {
		foreign = max(foreign, p.Foreign)
	}
	if len(c.E.Repeats) > 0 {
		v.Foreign = unit.Significant(foreign)
	}
	return v
}

// settingViews sets what was asked for beside what was in effect: of experiments,
// with equal values once, and of hosts.
func settingViews(r *result.Run) (experiments, hosts []settingView) {
	type key struct{ of, key, want, have string }
	seen := map[key]bool{}
	for _, e := range r.Experiments {
		if e.NotRun != "" {
			continue
		}
		for _, k := range settingKeys(e) {
			want, asked := e.Settings[k]
			have, read := e.InEffect[k]
			v := settingView{Of: clean(e.Name), Key: clean(k), Want: clean(want), Have: clean(have), Differs: asked && read && want != have}
			if !asked {
				v.Want = "not asked for"
			}
			if !read {
				v.Have = notKnown
			}
			id := key{v.Of, v.Key, v.Want, v.Have}
			if !seen[id] {
				seen[id] = true
				experiments = append(experiments, v)
			}
		}
	}
	for _, h := range r.Hosts {
		for _, s := range h.Settings {
			v := settingView{Of: clean(h.Name), Key: clean(s.Subject), Want: clean(s.Want), Have: clean(s.Have)}
			if v.Have == "" {
				v.Have = notKnown
			}
			v.Differs = s.Have != "" && s.Want != "" && s.Want != s.Have
			hosts = append(hosts, v)
		}
	}
	return collapse(experiments), hosts
}

// collapse joins the values of a setting that were all in effect as asked.
func collapse(in []settingView) []settingView {
	index := map[[2]string]int{}
	var out []settingView
	for _, v := range in {
		id := [2]string{v.Of, v.Key}
		if i, ok := index[id]; ok && v.Want == v.Have && !v.Differs {
			out[i].Want += ", " + v.Want
			out[i].Have = out[i].Want
			continue
		}
		if v.Want == v.Have {
			index[id] = len(out)
		}
		out = append(out, v)
	}
	return out
}

func hostViews(r *result.Run) []hostView {
	var out []hostView
	for _, h := range r.Hosts {
		v := hostView{HostState: h, Cores: notKnown}
		if h.Cores > 0 {
			v.Cores = fmt.Sprint(h.Cores)
		}
		for _, p := range r.Plan.Hosts {
			if p.Name == h.Name {
				v.Ports = p.Ports
			}
		}
		out = append(out, v)
	}
	return out
}
