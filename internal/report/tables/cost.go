package tables

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// CostView is the table of one fit of costs.
type CostView struct {
	Title string
	Said  []string
	Sizes bool // the combinations differ in message size
	Rows  []costRow
}

type costRow struct{ MTU, Size, Packet, Goodput, Cores, Measured, Fitted string }

// CostViews returns the tables of the fits of a run.
func CostViews(costs []record.Cost) []CostView {
	var out []CostView
	for _, c := range costs {
		v := CostView{Title: costTitle(c), Said: costSaid(c)}
		for _, x := range c.Combinations {
			v.Sizes = v.Sizes || x.Size != ""
			v.Rows = append(v.Rows, costLine(x))
		}
		out = append(out, v)
	}
	return out
}

// costTitle names what was fitted: "threads: nas and workstation, both ends on one machine, 4 streams".
func costTitle(c record.Cost) string {
	s := format.Clean(c.Experiment) + ": " + format.Clean(c.Host) + " as " + format.Clean(c.End)
	if c.End == "both" {
		s = format.Clean(c.Experiment) + ": " + format.Clean(c.Host) + ", both ends on one machine"
	}
	rest := map[string]string{}
	for k, v := range c.Settings {
		if k != "streams" {
			rest[k] = v
		}
	}
	if n := c.Settings["streams"]; n != "" {
		s += ", " + result.Streams(n)
	}
	if t := result.Settings(rest); t != "" {
		s += ", " + t
	}
	if c.Variant != "" {
		s += " [" + format.Clean(c.Variant) + "]"
	}
	return s
}

// costSaid describes a fit in sentences: the cost of each part, the ceiling of a core, and the reliability.
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
		out = append(out, "A"+strings.TrimPrefix(unit.List(parts), "a")+"; "+repeatsOf(c)+".")
	}
	if s := carries(c); s != "" {
		out = append(out, s)
	}
	switch {
	case len(parts) == 0:
	case c.Residual == nil:
		out = append(out,
			"There are as many combinations as parts of the cost: the fit is exact, and its error for others is unknown.")
	default:
		out = append(out, "The fit is within "+unit.Percent(*c.Residual)+" of every combination.")
	}
	if len(c.Merged) > 0 && c.PerPacket != nil {
		out = append(out, "Packets are merged ("+unit.List(
			format.Cleaned(c.Merged),
		)+"): a packet here is one on the wire, not one that the CPU handled.")
	}
	if c.Why != "" {
		subject := unit.If(c.PerByte != nil && c.PerPacket == nil, "The cost of a packet is not known apart: ", "Not known: ")
		out = append(out, subject+format.Clean(c.Why)+".")
	}
	return out
}

func repeatsOf(c record.Cost) string {
	if e := c.PerByte; e != nil && e.Interval != "range" {
		return fmt.Sprintf("in brackets the %s interval of %s", format.Clean(e.Interval), unit.Counted(c.Repeats, "repeat"))
	}
	if c.Repeats < 2 {
		return "of one repeat"
	}
	return fmt.Sprintf("in brackets the range of %s", unit.Counted(c.Repeats, "repeat"))
}

// costText prints a cost with the interval of its repeats: "593 ns (570 .. 612 ns)".
func costText(e *record.Estimate) string {
	s := tiny(e.Median)
	if e.Repeats < 2 {
		return s
	}
	low, high := tiny(e.Low), tiny(e.High)
	if l, h, ok := format.SameUnit(low, high); ok {
		low, high = l, h
	}
	return s + " (" + low + " .. " + high + ")"
}

// tiny prints a CPU time, which may be far below a nanosecond, or, in an interval, below 0.
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

// carries describes the ceiling of a core that follows from the costs, at the usual MTUs and for infinitely large
// packets.
func carries(c record.Cost) string {
	if c.PerPacket == nil || c.PerByte == nil || c.PerCall != nil {
		return ""
	}
	cost := ceiling.Cost{PerPacket: c.PerPacket.Median, PerByte: c.PerByte.Median}
	var parts []string
	for _, mtu := range []int{1500, 9000} {
		// IPv4 and TCP with timestamps take 52 bytes of the MTU.
		if at, err := ceiling.CPUCeiling(cost, float64(mtu-52)); err == nil {
			parts = append(parts, fmt.Sprintf("%s at MTU %d", at.Rate, mtu))
		}
	}
	who := "one core of " + format.Clean(c.Host)
	if c.End == "both" {
		who = "one core that does the work of both ends"
	}
	return fmt.Sprintf("By that, %s carries up to %s, and %s with packets of any size, because of its bytes alone.", who,
		unit.List(parts), format.Rate(8/c.PerByte.Median))
}

func costLine(x record.CostCombination) costRow {
	l := costRow{MTU: format.Clean(x.MTU), Size: result.Value(x.Size), Packet: format.NotKnown,
		Goodput: format.Rate(x.Goodput), Cores: format.NotKnown, Measured: format.NotKnown, Fitted: format.NotKnown}
	l.MTU = cmp.Or(l.MTU, format.NotKnown)
	if x.Packet > 0 {
		l.Packet = strconv.Itoa(int(x.Packet+0.5)) + " B"
	}
	if x.Measured > 0 {
		l.Cores, l.Measured = unit.Significant(x.Cores), format.Rate(x.Measured)
	}
	if x.Fitted > 0 {
		l.Fitted = format.Rate(x.Fitted)
	}
	return l
}

// PrintCosts prints the fits on the terminal.
func PrintCosts(l *terminal.Lines, r *record.Run) {
	for _, c := range r.Costs {
		l.Gap()
		l.Text(terminal.Bold, 0, "cost of "+costTitle(c))
		for _, s := range costSaid(c) {
			l.Text(terminal.Normal, 2, s)
		}
		v := CostViews([]record.Cost{c})[0]
		if len(v.Rows) > 8 {
			continue // the page has them
		}
		columns := []terminal.Column{{Head: "  MTU", Right: true}, {Head: "size", Right: true}, {Head: "packet", Right: true},
			{Head: "goodput", Right: true}, {Head: "cores", Right: true}, {Head: "a core carried", Right: true},
			{Head: "as fitted", Right: true}}
		var table [][]terminal.Entry
		for _, x := range v.Rows {
			table = append(table, terminal.Row("  "+x.MTU, x.Size, x.Packet, x.Goodput, x.Cores, x.Measured, x.Fitted))
		}
		l.Table(columns, table)
	}
}
