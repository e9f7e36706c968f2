package report

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

// costView is the table of one fit of costs.
type costView struct {
	Title string
	Said  []string
	Sizes bool // the cells differ in message size
	Rows  []costRow
}

type costRow struct{ MTU, Size, Packet, Goodput, Cores, Measured, Fitted string }

func costViews(costs []record.Cost) []costView {
	var out []costView
	for _, c := range costs {
		v := costView{Title: costTitle(c), Said: costSaid(c)}
		for _, x := range c.Cells {
			v.Sizes = v.Sizes || x.Size != ""
			v.Rows = append(v.Rows, costLine(x))
		}
		out = append(out, v)
	}
	return out
}

// costTitle names what was fitted: "threads: nas and workstation, both ends on one machine, 4 streams".
func costTitle(c record.Cost) string {
	s := clean(c.Experiment) + ": " + clean(c.Host) + " as " + clean(c.End)
	if c.End == "both" {
		s = clean(c.Experiment) + ": " + clean(c.Host) + ", both ends on one machine"
	}
	rest := map[string]string{}
	for k, v := range c.Settings {
		if k != "streams" {
			rest[k] = v
		}
	}
	if n := c.Settings["streams"]; n != "" {
		s += ", " + streams(n)
	}
	if t := settings(rest); t != "" {
		s += ", " + t
	}
	if c.Variant != "" {
		s += " [" + clean(c.Variant) + "]"
	}
	return s
}

// costSaid is a fit in sentences: what each part costs, what a core would carry, how far it can be believed.
func costSaid(c record.Cost) []string {
	var parts, out []string
	for _, p := range []struct {
		name string
		e    *record.Estimate
	}{{"a packet costs", c.PerPacket}, {"a byte", c.PerByte}, {"a call", c.PerCall}} {
		if p.e != nil {
			name := p.name
			if len(parts) == 0 && p.name != "a packet costs" {
				name += " costs"
			}
			parts = append(parts, name+" "+costText(p.e))
		}
	}
	if len(parts) > 0 {
		out = append(out, "A"+strings.TrimPrefix(list(parts), "a")+"; "+repeatsOf(c)+".")
	}
	if s := carries(c); s != "" {
		out = append(out, s)
	}
	switch {
	case len(parts) == 0:
	case c.Residual == nil:
		out = append(out, "As many cells as parts of the cost: the fit meets them exactly, and how well it describes others is not known.")
	default:
		out = append(out, "The fit is within "+unit.Percent(*c.Residual)+" of every cell.")
	}
	if len(c.Merged) > 0 && c.PerPacket != nil {
		out = append(out, "Packets are merged ("+list(cleaned(c.Merged))+"): a packet here is one on the wire, not one that the processor handled.")
	}
	if c.Why != "" {
		subject := "Not known: "
		if c.PerByte != nil && c.PerPacket == nil {
			subject = "The cost of a packet is not known apart: "
		}
		out = append(out, subject+clean(c.Why)+".")
	}
	return out
}

func repeatsOf(c record.Cost) string {
	if e := c.PerByte; e != nil && e.Interval != "range" {
		return fmt.Sprintf("in brackets the %s interval of %s", clean(e.Interval), count(c.Repeats, "repeat"))
	}
	if c.Repeats < 2 {
		return "of one repeat"
	}
	return fmt.Sprintf("in brackets the range of %s", count(c.Repeats, "repeat"))
}

// costText prints a cost with what its repeats carry: "593 ns (570 .. 612 ns)".
func costText(e *record.Estimate) string {
	s := tiny(e.Median)
	if e.Repeats < 2 {
		return s
	}
	low, high := tiny(e.Low), tiny(e.High)
	if l, h, ok := sameUnit(low, high); ok {
		low, high = l, h
	}
	return s + " (" + low + " .. " + high + ")"
}

// tiny prints a processor time, which may be far below a nanosecond, or, in an interval, below 0.
func tiny(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	switch {
	case v >= 1e-6:
		return sign + unit.Significant(v*1e6) + " us"
	case v >= 1e-9:
		return sign + unit.Significant(v*1e9) + " ns"
	}
	return sign + unit.Significant(v*1e12) + " ps"
}

// carries says what the costs mean for a core, at the usual MTUs and for packets without an end.
func carries(c record.Cost) string {
	if c.PerPacket == nil || c.PerByte == nil || c.PerCall != nil {
		return ""
	}
	cost := ceiling.Cost{PerPacket: c.PerPacket.Median, PerByte: c.PerByte.Median}
	var parts []string
	for _, mtu := range []int{1500, 9000} {
		// IPv4 and TCP with timestamps take 52 bytes of the MTU.
		if at, err := ceiling.Processor(cost, float64(mtu-52)); err == nil {
			parts = append(parts, fmt.Sprintf("%s at MTU %d", at.Rate, mtu))
		}
	}
	who := "one core of " + clean(c.Host)
	if c.End == "both" {
		who = "one core that does the work of both ends"
	}
	return fmt.Sprintf("By that, %s carries up to %s, and %s with packets of any size, because of its bytes alone.", who, list(parts), rate(8/c.PerByte.Median))
}

func costLine(x record.CostCell) costRow {
	l := costRow{MTU: clean(x.MTU), Size: value(x.Size), Packet: notKnown, Goodput: rate(x.Goodput), Cores: notKnown, Measured: notKnown, Fitted: notKnown}
	if l.MTU == "" {
		l.MTU = notKnown
	}
	if x.Packet > 0 {
		l.Packet = strconv.Itoa(int(x.Packet+0.5)) + " B"
	}
	if x.Measured > 0 {
		l.Cores, l.Measured = unit.Significant(x.Cores), rate(x.Measured)
	}
	if x.Fitted > 0 {
		l.Fitted = rate(x.Fitted)
	}
	return l
}

// costs prints the fits on the terminal.
func (l *lines) costs(r *record.Run) {
	for _, c := range r.Costs {
		l.gap()
		l.text(bold, 0, "cost of "+costTitle(c))
		for _, s := range costSaid(c) {
			l.text(normal, 2, s)
		}
		v := costViews([]record.Cost{c})[0]
		if len(v.Rows) > 8 {
			continue // the page has them
		}
		columns := []column{{Head: "  MTU", Right: true}, {Head: "size", Right: true}, {Head: "packet", Right: true}, {Head: "goodput", Right: true},
			{Head: "cores", Right: true}, {Head: "a core carried", Right: true}, {Head: "as fitted", Right: true}}
		var table [][]entry
		for _, x := range v.Rows {
			table = append(table, []entry{{Text: "  " + x.MTU}, {Text: x.Size}, {Text: x.Packet}, {Text: x.Goodput}, {Text: x.Cores}, {Text: x.Measured}, {Text: x.Fitted}})
		}
		l.table(columns, table)
	}
}
