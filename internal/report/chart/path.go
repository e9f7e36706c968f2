package chart

import (
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// WayView is a path drawn from the program that sends to the one that receives: a row for each component with a bar as
// long as its ceiling, and goodput as one line through all of them. The words next to the bars are text of the page, so
// that they wrap on a phone. Lengths are percentages, which need no script and no style of their own.
type WayView struct {
	Desc string
	Rows []wayRow
	Note string
}

type wayRow struct {
	Name   string
	Rate   string
	Why    string // why the ceiling is not known
	Marks  []string
	Lowest bool
	// Limiting reports whether the component is the bottleneck of a slow path, not only the lowest ceiling.
	Limiting bool
	Unknown  bool
	End      bool // a program at an end of the path
	Bar      template.HTML
}

// longestBar bounds the length of a bar, in multiples of the lowest ceiling. Longer bars are broken off, or the lowest
// would be too short.
const longestBar = 2.5

// WayOf draws the chain of ceilings of an experiment with its goodput; nil without a chain. limiting is the component
// of the verdict of a slow path.
func WayOf(c *record.Chain, goodput float64, group bool, limiting string) *WayView {
	if c == nil || len(c.Hops) == 0 {
		return nil
	}
	top, most, broken := goodput, 0.0, false
	for _, h := range c.Hops {
		if r, ok := h.Rate.Get(); ok {
			most = max(most, float64(r))
		}
	}
	top = max(top, min(most, longestBar*float64(c.Limit)))
	if top <= 0 {
		return nil
	}
	top *= 1.02
	v := &WayView{}
	from, to := format.Clean(c.From), format.Clean(c.To)
	if c.Direction == "in" {
		from, to = to, from
	}
	line, sends, receives := goodput/top, "sends", "receives"
	if c.Direction == "both" {
		sends, receives = "sends and receives", "sends and receives"
	}
	if !group {
		v.Rows = append(v.Rows, wayRow{Name: "program on " + from, Rate: sends, End: true, Bar: wayEnd(line, goodput, true)})
	}
	for i := 0; i < len(c.Hops); i++ {
		h := c.Hops[i]
		r, ok := h.Rate.Get()
		row := wayRow{Name: format.Clean(h.Component), Lowest: ok && h.Component == c.Component, Unknown: !ok}
		row.Limiting = limiting != "" && h.Component == limiting
		if ok {
			share := float64(r) / top
			broken = broken || share > 1
			row.Rate, row.Marks = r.String(), hopMarks(h)
			row.Bar = wayBar(share, line, unit.If(row.Limiting, "lowest", unit.If(row.Lowest, "full", "component")))
		} else {
			row.Rate, row.Why = format.NotKnown, format.Clean(h.Why)
			for i+1 < len(c.Hops) && !c.Hops[i+1].Rate.IsKnown() && alikeUnknown(h, c.Hops[i+1]) {
				i++
				row.Name += ", " + format.Clean(c.Hops[i].Component)
			}
			row.Bar = wayBar(-1, line, "")
		}
		v.Rows = append(v.Rows, row)
	}
	if !group {
		v.Rows = append(v.Rows,
			wayRow{Name: "program on " + to, Rate: receives, End: true, Bar: wayEnd(line, goodput, false)})
	}
	v.Note = "A bar is as long as the component's ceiling, from 0 on"
	if broken {
		v.Note += "; one that is broken off is longer"
	}
	if goodput > 0 {
		v.Note += ". The line is what was measured: " + format.Rate(goodput)
	}
	v.Note += "."
	v.Desc = "The path from " + from + " to " + to
	if c.Direction == "both" {
		v.Desc = "The path between " + from + " and " + to + ", both directions together"
	}
	v.Desc += ": the lowest ceiling is " + format.Clean(c.Component) + ", " + c.Limit.String()
	return v
}

// alikeUnknown reports whether two components that were not measured share a row: those inside one host.
func alikeUnknown(a, b record.Hop) bool {
	inside := func(h record.Hop) bool { return h.Kind == "memory" || h.Kind == "cpu" }
	return inside(a) && inside(b)
}

// hopMarks returns where the inputs of a hop's formula are from, if they are neither measured nor declared.
func hopMarks(h record.Hop) []string {
	var marks []string
	for _, i := range h.Inputs {
		if o := string(i.Origin); (o == "simulated" || o == "assumed") && !slices.Contains(marks, o) {
			marks = append(marks, o)
		}
	}
	return marks
}

func share100(v float64) string { return svg.Px(100*min(max(v, 0), 1)) + "%" }

// wayBar is the drawing of one row; a share below 0 is a ceiling that is not known.
func wayBar(share, line float64, class string) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="waybar" aria-hidden="true">`)
	switch {
	case share < 0:
		b.WriteString(`<line class="open" x1="0" x2="100%" y1="50%" y2="50%"/>`)
	default:
		b.WriteString(`<rect class="` + class + `" x="0" y="22%" width="` + share100(share) + `" height="56%"/>`)
		if share > 1 {
			b.WriteString(`<rect class="gap" x="95.5%" y="0" width="1%" height="100%"/>` +
				`<rect class="gap" x="97.5%" y="0" width="1%" height="100%"/>`)
		}
	}
	wayLine(&b, line)
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // only numbers
}

func wayLine(b *strings.Builder, line float64) {
	if line > 0 {
		x := share100(line)
		b.WriteString(`<line class="halo" x1="` + x + `" x2="` + x + `" y1="0" y2="100%"/>` +
			`<line class="measured" x1="` + x + `" x2="` + x + `" y1="0" y2="100%"/>`)
	}
}

// wayEnd is the row of a program: the line begins there with its figure, or ends.
func wayEnd(line, goodput float64, first bool) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="waybar" aria-hidden="true">`)
	wayLine(&b, line)
	if first && goodput > 0 {
		anchor, dx := svg.Start, "8"
		if line > 0.5 {
			anchor, dx = svg.End, "-8"
		}
		b.WriteString(
			`<text class="word" text-anchor="` + anchor + `" x="` + share100(line) + `" dx="` + dx + `" y="68%">` + svg.Esc(
				"measured "+unit.BitRate(goodput).String(),
			) + `</text>`,
		)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // only numbers, and text escaped by esc
}
