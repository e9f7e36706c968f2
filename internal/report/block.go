package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// block is a pair of hosts with what was measured between them.
type block struct {
	Title      string
	Text       []string
	Cables     []string // in place of Text, where they are many
	Directions []direction
	Latency    []latencyView
}

// direction is one row of a block.
type direction struct {
	Anchor, Title, Mark string
	Headline            string
	Healthy             bool
	Hops                []hopView
	Way                 *wayView
	Charts              []template.HTML
	Verdicts            []cause
	Cells               []cellView
	Work                *workView
	Groups              []groupView
}

type hopView struct {
	Component, Kind, Rate, Why, Layer, Formula, Inputs string
	Lowest                                             bool
}

type cellView struct {
	Label, Goodput, Spread, Ceiling, Share, FromCPU, ToCPU, Retrans, By, Foreign, Datagrams, Form string
}

type latencyView struct {
	Title  string
	Anchor string
	Mark   string
	Chart  template.HTML
	Rows   [][2]string
	Facts  [][2]string
}

// latencyCurves is how many experiments of one table of storage have a curve each; the table of more has their percentiles.
const latencyCurves = 3

func isBlock(e *record.Experiment) bool { return e.Block != nil && e.Bytes != nil }

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
		for _, c := range w.Cells {
			m.anchor(anchor(n+1), c.E)
		}
	}
	tables := verbsTables(m.run)
	inTable := map[*record.Experiment]bool{}
	for i := range tables {
		if tables[i].swept() {
			for _, e := range tables[i].cells {
				inTable[e] = true
			}
		}
	}
	for _, g := range gather(m.run, "", isBlock) {
		for _, e := range g.all {
			inTable[e] = inTable[e] || len(g.all) > latencyCurves
		}
	}
	shown := 0
	for _, e := range m.run.Experiments {
		if e.Latency == nil && e.PathMTU == nil || inTable[e] {
			continue
		}
		p := pair(e.From, e.To)
		i, ok := index[p]
		if !ok {
			i = len(out)
			index[p] = i
			out = append(out, block{Title: clean(e.From) + " and " + clean(e.To), Text: m.linkLines(e.Links)})
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

// openCables is how many cables of a path stand open on the page.
const openCables = 4

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
	if w.Both {
		d.Title += ", both directions at once"
	}
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
		d.Headline += "; " + heldBy(main.E)
		for _, o := range w.others(false, 40) {
			d.Headline += "; " + o.label
			if s, ok := o.cell.share(); ok {
				d.Headline += ": " + unit.Percent(s)
			}
			d.Headline += ", " + heldBy(o.cell.E)
		}
	} else {
		d.Headline = limitedBy(main.E, false)
		if main.E.Failed != "" {
			d.Headline += ": " + clean(main.E.Failed)
		}
	}
	d.Hops = hops(main.E.Ceiling)
	if main.Goodput != nil {
		d.Way = wayOf(main.E.Ceiling, main.Goodput.Median, main.E.Pattern != "")
	} else {
		d.Way = wayOf(main.E.Ceiling, 0, main.E.Pattern != "")
	}
	if d.Way != nil && m.told {
		d.Way.Note = ""
	}
	m.told = m.told || d.Way != nil
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
	d.Groups = groupViews(w)
	d.Work = workOf(main)
	d.Verdicts = causes(&part)
	if main.E.Verdict != nil && healthy(main.E.Verdict) {
		d.Verdicts = append(d.Verdicts, cause{Verdict: main.E.Verdict, Accounts: main.E.Accounts})
	}
	seen := map[string]bool{}
	for i, c := range d.Verdicts {
		d.Verdicts[i].Again = seen[c.Verdict.Limiter]
		seen[c.Verdict.Limiter] = true
	}
	d.Healthy = len(d.Verdicts) == 1 && healthy(d.Verdicts[0].Verdict)
	return d
}

// latencyMark marks round trips of a lab, which no scale applies to.
func latencyMark(lab *record.Lab) string {
	if lab == nil {
		return ""
	}
	return labShort(&record.Lab{Scale: 1, Guests: lab.Guests})
}

// charted are the cells of a row that are drawn over time: the main one, then
// the worst of those that something else limits; of many cells the lowest and
// the highest.
func charted(w row) []cell {
	if len(w.Cells) <= 4 {
		out := []cell{w.main()}
		for _, o := range w.others(false, 40) {
			out = append(out, o.cell)
		}
		return out
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

func hops(c *record.Chain) []hopView {
	if c == nil {
		return nil
	}
	var out []hopView
	for _, h := range c.Hops {
		v := hopView{Component: clean(h.Component), Kind: clean(h.Kind), Layer: clean(string(h.Layer)), Formula: clean(h.Formula), Lowest: h.Component == c.Component}
		if rate, ok := h.Rate.Get(); ok {
			v.Rate = rate.String()
		} else {
			v.Rate, v.Why = notKnown, clean(h.Why)
		}
		var inputs []string
		for _, i := range h.Inputs {
			inputs = append(inputs, fmt.Sprintf("%s %s (%s)", clean(i.Name), inputNumber(i.Name, i.Value), clean(string(i.Origin))))
		}
		v.Inputs = strings.Join(inputs, ", ")
		out = append(out, v)
	}
	return out
}

// inputNumber prints an input of a formula: a rate as one, all else exact where
// it is a whole number.
func inputNumber(name string, v float64) string {
	if strings.Contains(name, "rate") && v >= 1000 {
		return rate(v)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return fmt.Sprint(int64(v))
	}
	return unit.Significant(v)
}

func cellOf(w row, c cell) cellView {
	v := cellView{Label: c.label(), Goodput: notKnown, Spread: notKnown, Ceiling: ceilingText(c.E), Share: notKnown, FromCPU: notKnown, ToCPU: notKnown, Retrans: notKnown, By: limitedBy(c.E, false), Foreign: notKnown, Datagrams: datagramsText(c.E), Form: arrows(formText(c.E, true))}
	if c.E.Failed != "" {
		v.By += ": " + clean(c.E.Failed)
	}
	if c.Goodput != nil {
		v.Goodput, v.Spread = rate(c.Goodput.Median), spread(c.Goodput)
		if f, b := c.E.Forward, c.E.Backward; w.Both && f != nil && b != nil {
			v.Goodput += " (" + rate(f.Median) + " and back " + rate(b.Median) + ")"
		}
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
	switch {
	case known:
		v.Retrans = fmt.Sprint(retrans)
	case v.Datagrams != "":
		v.Retrans = "" // datagrams are not sent again
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
