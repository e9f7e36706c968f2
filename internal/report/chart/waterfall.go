package chart

import (
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// Waterfall is what became of the rate of the line, step by step, down to what was measured. Every figure is a ceiling
// of the experiment or its measurement. It is drawn as a table with a bar in each row, so that it is its own text.
type Waterfall struct {
	Desc string
	Rows []WaterRow
	Of   string // what the shares are of: the line rate, or else the first ceiling that is known
	Note string // the ceilings that are not known, and therefore have no step
}

// WaterRow is a step: what is left, what was lost since the step above, and to what.
type WaterRow struct {
	Step, Rate, Lost, To string
	Bar                  template.HTML
	Limiting             bool    // the bottleneck takes its part in this step
	left, lost           float64 // bits per second
	component            string  // of the chain; empty: the line, or the measurement
}

// WaterfallOf returns the steps of an experiment. by is its bottleneck in words, or that none was found. It is nil
// where there is nothing to compare the measured goodput with.
func WaterfallOf(e *record.Experiment, by string, found bool) *Waterfall {
	c := e.Ceiling
	if c == nil || e.Goodput == nil || !(e.Goodput.Median > 0) || math.IsInf(e.Goodput.Median, 0) {
		return nil
	}
	v := &Waterfall{Note: withoutStep(c),
		Desc: "From the line rate to what was measured, " + format.Arrows(format.Clean(e.Path()))}
	wire := lowestHop(c, "cable")
	if port := lowestHop(c, "port"); wire == nil || port != nil && port.Rate.Or(0) < wire.Rate.Or(0)*0.999 {
		wire = port
	}
	if wire != nil {
		after := float64(wire.Rate.Or(0))
		if line := lineRate(wire, c.Direction == "both"); line >= after {
			v.step("line rate", format.Clean(wire.Component), line, nil)
		}
		v.step("after headers", headersOf(wire, c.Transport), after, wire)
	}
	if slot := lowestHop(c, "pcie"); slot != nil {
		at := float64(slot.Rate.Or(0))
		to := format.Clean(slot.Component) + " (PCIe)"
		if left := v.left(); left > 0 && at >= left {
			to, at = to+", which allows "+format.Rate(at), left
		}
		v.step("after the slot", to, at, slot)
	}
	for i := range c.Hops {
		h := &c.Hops[i]
		if at, ok := h.Rate.Get(); ok && h.Kind != "pcie" && v.left() > 0 && float64(at) < v.left()*0.999 {
			v.step("after the "+format.Clean(h.Kind), format.Clean(h.Component), float64(at), h)
		}
	}
	if len(v.Rows) == 0 {
		return nil
	}
	v.step("measured", by, e.Goodput.Median, nil)
	if found {
		v.limit(e.Verdict)
	}
	v.finish()
	return v
}

// lowestHop returns the hop of a kind with the lowest known ceiling, nil if none is known.
func lowestHop(c *record.Chain, kind string) (low *record.Hop) {
	for i := range c.Hops {
		h := &c.Hops[i]
		r, ok := h.Rate.Get()
		if ok && h.Kind == kind && (low == nil || r < low.Rate.Or(0)) {
			low = h
		}
	}
	return low
}

// lineRate is the rate of a cable or a port from which its ceiling was computed, of a bond that of all members in use;
// 0: not known. A chain of both directions has the sum of two.
func lineRate(h *record.Hop, both bool) float64 {
	for _, in := range h.Inputs {
		if in.Name == "rate" || strings.HasPrefix(in.Name, "planned rate of ") || strings.HasPrefix(in.Name, "speed of ") {
			return in.Value * float64(max(1, h.Members())) * unit.If(both, 2.0, 1.0)
		}
	}
	return 0
}

// headersOf names what the ceiling of a wire subtracts.
func headersOf(h *record.Hop, transport string) string {
	s := "packet headers"
	if transport != "" {
		s += " (" + format.Clean(strings.ToUpper(transport))
		for _, in := range h.Inputs {
			if in.Name == "mtu" || in.Name == "path_mtu" {
				s += ", MTU " + format.InputNumber(in.Name, in.Value)
			}
		}
		s += ")"
	}
	return s
}

// withoutStep lists the components of a path whose ceiling is not known.
func withoutStep(c *record.Chain) string {
	var names []string
	for _, h := range c.Hops {
		if !h.Rate.IsKnown() {
			names = append(names, format.Clean(h.Component))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "No step for " + unit.List(names) + ": " + unit.If(len(names) == 1, "its ceiling is", "their ceilings are") +
		" not known."
}

// left is what the last step leaves; 0: there is none yet.
func (v *Waterfall) left() float64 {
	if len(v.Rows) == 0 {
		return 0
	}
	return v.Rows[len(v.Rows)-1].left
}

// step adds what a hop leaves; nil: the line, or the measurement.
func (v *Waterfall) step(name, to string, left float64, hop *record.Hop) {
	row := WaterRow{Step: name, To: to, left: left}
	if len(v.Rows) > 0 {
		row.lost = v.left() - left
	}
	if hop != nil {
		row.component = hop.Component
	}
	v.Rows = append(v.Rows, row)
}

// limit marks the step of the bottleneck: that of the component of the verdict, or else the measurement.
func (v *Waterfall) limit(by *record.Verdict) {
	at := len(v.Rows) - 1
	for i, r := range v.Rows {
		if by != nil && r.component != "" && r.component == by.Component && r.lost > 0 {
			at = i
		}
	}
	v.Rows[at].Limiting = v.Rows[at].lost > alike*v.Rows[0].left
}

// alike is the share of the first row below which two steps are equal: the error of a measurement.
const alike = 0.0005

// finish writes the texts and bars.
func (v *Waterfall) finish() {
	top := 0.0
	for _, r := range v.Rows {
		top = max(top, r.left)
	}
	v.Of = unit.If(v.Rows[0].component == "", "the line rate", "the first ceiling")
	for i := range v.Rows {
		r := &v.Rows[i]
		r.Rate = format.Rate(r.left)
		switch {
		case i == 0:
		case math.Abs(r.lost) < alike*v.Rows[0].left:
			r.Lost, r.To = "nothing", unit.If(r.component == "", "", r.To)
		case r.lost > 0:
			r.Lost = format.Rate(r.lost) + ", " + unit.Percent(r.lost/v.Rows[0].left)
		default:
			r.Lost = "nothing: " + format.Rate(-r.lost) + " above the step before"
		}
		r.Bar = waterBar(r.left/top, max(r.lost, 0)/top, r.Limiting)
	}
}

// waterBar is what is left, from 0 on, and next to it what was lost.
func waterBar(left, lost float64, limiting bool) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="waybar" aria-hidden="true"><rect class="full" x="0" y="22%" width="` + share100(left) +
		`" height="56%"/>`)
	if lost > 0 {
		b.WriteString(`<rect class="` + unit.If(limiting, "lowest", "component") + `" x="` + share100(left) +
			`" y="22%" width="` + share100(lost) + `" height="56%"/>`)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // only numbers
}
