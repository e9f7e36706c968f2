package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/chart"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
)

// block is a pair of hosts with the measurements between them.
type block struct {
	Title      string
	Text       []string
	Cables     []string // replaces Text, if there are many
	Directions []direction
	Latency    []latencyView
}

// direction is one row of a block.
type direction struct {
	Anchor, Title, Mark string
	Headline            string
	Healthy             bool
	Hops                []hopView
	Way                 *chart.WayView
	Fall                *chart.Waterfall
	Charts              []template.HTML
	Verdicts            []report.Cause
	Combinations        []combinationView
	Work                *tables.WorkView
	Groups              []tables.GroupView
}

type hopView struct {
	Component, Kind, Rate, Why, Layer, Formula, Inputs string
	Lowest                                             bool
}

type combinationView struct {
	Label, Goodput, Spread, Ceiling, Share, FromCPU, ToCPU, Retrans, By, OtherProcesses, Datagrams, Form string
}

// Quiet reports whether the paths of a block are all full, and therefore folded.
func (b block) Quiet() bool {
	return len(b.Directions) > 0 && !slices.ContainsFunc(b.Directions, func(d direction) bool { return !d.Healthy })
}

// fewQuiet is the number of pairs of hosts with full paths that are shown among the others.
const fewQuiet = 8

// quietBlocks separates the pairs of hosts whose paths are all full, where they are many.
func quietBlocks(all []block) (others, quiet []block) {
	quiet = xslices.Filter(all, block.Quiet)
	if len(quiet) <= fewQuiet {
		return all, nil
	}
	return xslices.Filter(all, func(b block) bool { return !b.Quiet() }), quiet
}

func (m *maker) blocks(all []result.Row) []block {
	var out []block
	index := map[[2]string]int{}
	many := len(report.Summaries(all)) > 1
	for n, w := range all {
		p := result.Pair(w.From, w.To)
		i, ok := index[p]
		if !ok {
			i = len(out)
			index[p] = i
			out = append(out, block{Title: format.Clean(w.From) + " and " + format.Clean(w.To), Text: m.linkLines(w.Links)})
		}
		out[i].Directions = append(out[i].Directions, m.direction(n+1, w, many))
		for _, c := range w.Combinations {
			m.anchor(report.Anchor(n+1), c.E)
		}
	}
	rdma := tables.VerbsTables(m.run)
	inTable := map[*record.Experiment]bool{}
	for i := range rdma {
		if rdma[i].Swept() {
			for _, e := range rdma[i].Values {
				inTable[e] = true
			}
		}
	}
	for _, g := range result.Tables(m.run, "", result.IsBlock) {
		for _, e := range g.All {
			inTable[e] = inTable[e] || len(g.All) > tables.LatencyCurves
		}
	}
	shown := 0
	for _, e := range m.run.Experiments {
		if e.Latency == nil && e.PathMTU == nil || inTable[e] {
			continue
		}
		p := result.Pair(e.From, e.To)
		i, ok := index[p]
		if !ok {
			i = len(out)
			index[p] = i
			out = append(out, block{Title: format.Clean(e.From) + " and " + format.Clean(e.To), Text: m.linkLines(e.Links)})
		}
		v := m.latency(e)
		v.Anchor = numbered("latency", shown)
		m.anchor(v.Anchor, e)
		out[i].Latency, shown = append(out[i].Latency, v), shown+1
	}
	for i := range out {
		if len(out[i].Text) > openCables {
			out[i].Cables, out[i].Text = out[i].Text, nil
		}
	}
	return out
}

// openCables is the number of cables of a path that are initially visible on the page.
const openCables = 4

// linkLines describe the cables of a path with both ends' addresses.
func (m *maker) linkLines(names []string) []string {
	addresses := map[string]string{}
	for _, h := range m.run.Plan.Hosts {
		for _, p := range h.Ports {
			addresses[p.ID] = format.Clean(p.Address)
		}
	}
	var out []string
	for _, name := range names {
		for i := range m.run.Plan.Links {
			l := &m.run.Plan.Links[i]
			if l.Name != name {
				continue
			}
			s := diagram.LinkText(l)
			if label := format.Clean(l.Label); label != "" {
				s = label + ": " + s
			}
			for j, id := range l.Ends {
				s += []string{"; ", " to "}[j] + strings.TrimSpace(format.Clean(id)+" "+addresses[id])
			}
			out = append(out, s)
		}
	}
	return out
}

func (m *maker) direction(n int, w result.Row, many bool) direction {
	main := w.Main()
	d := direction{Anchor: report.Anchor(n), Title: format.Arrows(w.Path()), Mark: result.LabShort(m.run.Lab),
		Healthy: true}
	if w.Both {
		d.Title += ", both directions at once"
	}
	if many {
		d.Title += ", " + format.Clean(w.Name)
	}
	if main.Goodput != nil {
		d.Headline = format.Rate(main.Goodput.Median)
		if ceiling := result.CeilingText(main.E); ceiling != format.NotKnown {
			d.Headline += " of " + strings.TrimPrefix(ceiling, "at most ")
		} else {
			d.Headline += ", ceiling " + format.NotKnown
		}
		if s, ok := main.Share(); ok {
			d.Headline += ", " + unit.Percent(s)
		}
		if label := main.Label(); label != "" {
			d.Headline += ", with " + label
		}
		d.Headline += "; " + report.HeldBy(main.E)
		for _, o := range report.OthersOf(w, false, 40) {
			d.Headline += "; " + o.Label
			if s, ok := o.Combination.Share(); ok {
				d.Headline += ": " + unit.Percent(s)
			}
			d.Headline += ", " + report.HeldBy(o.Combination.E)
		}
	} else {
		d.Headline = report.LimitedBy(main.E, false)
		if main.E.Failed != "" {
			d.Headline += ": " + format.Clean(main.E.Failed)
		}
	}
	d.Hops = hops(main.E.Ceiling)
	goodput, limiting := 0.0, ""
	if main.Goodput != nil {
		goodput = main.Goodput.Median
	}
	if v := main.E.Verdict; v != nil && !result.Healthy(v) {
		limiting = v.Component
	}
	d.Way = chart.WayOf(main.E.Ceiling, goodput, main.E.Pattern != "", limiting)
	if slow := chart.Slowest(w); slow.E.Verdict != nil && !result.Healthy(slow.E.Verdict) && w.Pattern == "" {
		by, found := bottleneck(slow.E)
		d.Fall = chart.WaterfallOf(slow.E, by, found)
	}
	if d.Way != nil && m.reported {
		d.Way.Note = ""
	}
	m.reported = m.reported || d.Way != nil
	if c := m.Chart(chart.BarChart(w, m.mark)); c != "" {
		d.Charts = append(d.Charts, c)
	}
	for _, c := range charted(w) {
		if h := m.Chart(chart.TimeChart(w, c, m.mark)); h != "" {
			d.Charts = append(d.Charts, h)
		}
	}
	part := *m.run
	part.Experiments = nil
	for _, c := range w.Combinations {
		d.Combinations = append(d.Combinations, combinationOf(w, c))
		if len(part.Experiments) == 0 || part.Experiments[len(part.Experiments)-1] != c.E {
			part.Experiments = append(part.Experiments, c.E)
		}
	}
	d.Groups = tables.GroupViews(w)
	d.Work = tables.WorkOf(main)
	d.Verdicts = report.Causes(&part)
	if main.E.Verdict != nil && result.Healthy(main.E.Verdict) {
		d.Verdicts = append(d.Verdicts, report.Cause{Cause: headline.Cause{Verdict: main.E.Verdict},
			Accounts: main.E.Accounts})
	}
	seen := map[string]bool{}
	for i, c := range d.Verdicts {
		d.Verdicts[i].Again = seen[c.Verdict.Limiter]
		seen[c.Verdict.Limiter] = true
	}
	d.Healthy = len(d.Verdicts) == 1 && result.Healthy(d.Verdicts[0].Verdict)
	return d
}

// latencyMark marks round trips of a lab, which no scale applies to.
func latencyMark(lab *record.Lab) string {
	if lab == nil {
		return ""
	}
	return result.LabShort(&record.Lab{Scale: 1, Guests: lab.Guests})
}

// charted returns the combinations of a row to draw over time: the main one, then the worst of those with another
// bottleneck. Among many combinations it selects the lowest and the highest.
func charted(w result.Row) []result.Combination {
	if len(w.Combinations) <= 4 {
		out := []result.Combination{w.Main()}
		for _, o := range report.OthersOf(w, false, 40) {
			out = append(out, o.Combination)
		}
		return out
	}
	low, high := -1, -1
	for i, c := range w.Combinations {
		if c.Goodput == nil {
			continue
		}
		if low < 0 || c.Goodput.Median < w.Combinations[low].Goodput.Median {
			low = i
		}
		if high < 0 || c.Goodput.Median > w.Combinations[high].Goodput.Median {
			high = i
		}
	}
	if low < 0 {
		return nil
	}
	if low == high {
		return []result.Combination{w.Combinations[low]}
	}
	return []result.Combination{w.Combinations[low], w.Combinations[high]}
}

func hops(c *record.Chain) []hopView {
	if c == nil {
		return nil
	}
	var out []hopView
	for _, h := range c.Hops {
		v := hopView{Component: format.Clean(h.Component), Kind: format.Clean(h.Kind),
			Layer: format.Clean(string(h.Layer)), Formula: format.Clean(h.Formula), Lowest: h.Component == c.Component}
		if rate, ok := h.Rate.Get(); ok {
			v.Rate = rate.String()
		} else {
			v.Rate, v.Why = format.NotKnown, format.Clean(h.Why)
		}
		var inputs []string
		for _, i := range h.Inputs {
			inputs = append(inputs, fmt.Sprintf("%s %s (%s)", format.Clean(i.Name), format.InputNumber(i.Name, i.Value),
				format.Clean(string(i.Origin))))
		}
		v.Inputs = strings.Join(inputs, ", ")
		out = append(out, v)
	}
	return out
}

func combinationOf(w result.Row, c result.Combination) combinationView {
	v := combinationView{Label: c.Label(), Goodput: format.NotKnown, Spread: format.NotKnown,
		Ceiling: result.CeilingText(c.E), Share: format.NotKnown, FromCPU: format.NotKnown, ToCPU: format.NotKnown,
		Retrans: format.NotKnown, By: report.LimitedBy(c.E, false), OtherProcesses: format.NotKnown,
		Datagrams: tables.DatagramsText(c.E), Form: format.Arrows(report.FormText(c.E, true))}
	if c.E.Failed != "" {
		v.By += ": " + format.Clean(c.E.Failed)
	}
	if c.Goodput != nil {
		v.Goodput, v.Spread = format.Rate(c.Goodput.Median), format.Spread(c.Goodput)
		if f, b := c.E.Forward, c.E.Backward; w.Both && f != nil && b != nil {
			v.Goodput += " (" + format.Rate(f.Median) + " and back " + format.Rate(b.Median) + ")"
		}
	}
	if s, ok := c.Share(); ok {
		v.Share = unit.Percent(s)
	}
	if b := chart.Busy(c.E.CPU, w.From); b >= 0 {
		v.FromCPU = unit.Significant(b)
	}
	if b := chart.Busy(c.E.CPU, w.To); b >= 0 {
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
	switch {
	case known:
		v.Retrans = fmt.Sprint(retrans)
	case v.Datagrams != "":
		v.Retrans = "" // datagrams are not retransmitted
	}
	otherProcesses := 0.0
	for _, p := range c.E.Repeats {
		otherProcesses = max(otherProcesses, p.OtherProcesses)
	}
	if len(c.E.Repeats) > 0 {
		v.OtherProcesses = unit.Significant(otherProcesses)
	}
	return v
}
