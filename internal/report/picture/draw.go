package picture

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"linerate/internal/base/unit"
	"linerate/internal/report/summary"
)

// Draw returns a picture of one summary, or of two of the same hosts: before and after a change. The form is svg or
// png.
func Draw(all []*summary.Summary, form string, dark bool) ([]byte, error) {
	f, err := loadFonts()
	if err != nil {
		return nil, err
	}
	s, err := compose(all, dark, f)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if form == "png" {
		err = s.png(&b, f)
	} else {
		s.svg(&b, f)
	}
	return b.Bytes(), err
}

// lane is one direction of the cable.
type lane struct {
	from, to      string
	before, after *summary.Row // before is nil in a picture of one summary
}

// The places of what a picture shows.
const (
	margin   = 56
	machineW = 250
	machineY = 270
	machineH = 170
	laneX    = margin + machineW
	laneW    = Width - 2*laneX
	laneH    = 26
)

// compose makes the scene of one or two summaries.
func compose(all []*summary.Summary, dark bool, f *fonts) (*scene, error) {
	if len(all) < 1 || len(all) > 2 {
		return nil, fmt.Errorf("a picture shows one summary or two, not %d", len(all))
	}
	now := all[len(all)-1]
	lanes, with, err := lanesOf(all)
	if err != nil {
		return nil, err
	}
	s := &scene{dark: dark}
	s.box(0, 0, Width, Height, background)
	worst := slowest(lanes)
	s.headline(worst, with, f)
	for i, e := range now.Ends {
		x := float64(margin + i*(Width-2*margin-machineW))
		limiting := e.Host != "" && strings.Contains(clean(now.Bottleneck)+" ", " of "+clean(e.Host)+" ")
		s.frame(x, machineY, machineW, machineH, 4, unit.If(limiting, accent, fill))
		mid := x + machineW/2
		room := float64(machineW - 28)
		s.write(text{x: mid, y: machineY + 56, size: medium, bold: true, tone: ink, words: cmp.Or(clean(e.Host), "not known"),
			within: room}, f)
		s.write(text{x: mid, y: machineY + 104, size: small, tone: faint, words: clean(e.NIC), within: room}, f)
		s.write(text{x: mid, y: machineY + 142, size: small, tone: faint, words: clean(e.Slot), within: room}, f)
	}
	for i, l := range lanes {
		s.lane(l, float64(machineY+34+i*88), i == 1, l == worst, f)
	}
	s.causes(now, f)
	s.footer(all, f)
	return s, nil
}

// lanesOf returns the measured directions, from A to B first.
func lanesOf(all []*summary.Summary) (lanes []*lane, with string, err error) {
	now := all[len(all)-1]
	if len(now.Ends) != 2 {
		return nil, "", errors.New("a picture shows a link between two hosts, and this summary has one host; " +
			"use --format text")
	}
	ab, ba, with := now.Headline()
	for i, r := range []*summary.Row{ab, ba} {
		if r == nil || r.Goodput == nil {
			continue
		}
		l := &lane{from: clean(now.Ends[i].Host), to: clean(now.Ends[1-i].Host), after: r}
		if len(all) == 2 {
			if l.before = all[0].Row(r.Key); l.before == nil || !l.before.Measured || l.before.Goodput == nil {
				return nil, "", fmt.Errorf("the first summary has no %s; compare runs of the same experiments",
					summary.Label(r.Key))
			}
		}
		lanes = append(lanes, l)
	}
	if len(lanes) == 0 {
		return nil, "", errors.New("the summary has no throughput to draw; use --format text")
	}
	return lanes, with, nil
}

// slowest returns the direction with the lowest share of its ceiling, before a change if there is one.
func slowest(lanes []*lane) *lane {
	share := func(l *lane) float64 {
		r := cmp.Or(l.before, l.after)
		if r.Share == nil {
			return 1
		}
		return *r.Share
	}
	worst := lanes[0]
	for _, l := range lanes[1:] {
		if share(l) < share(worst) {
			worst = l
		}
	}
	return worst
}

func rate(v *float64) string { return unit.BitRate(*v).String() }

// number returns a rate without its unit, where the other has the same one.
func number(v, other *float64) string {
	n, u, _ := strings.Cut(rate(v), " ")
	if _, o, _ := strings.Cut(rate(other), " "); u == o {
		return n
	}
	return rate(v)
}

// headline writes the figure of the slowest direction, and what it is.
func (s *scene) headline(l *lane, with string, f *fonts) {
	figure := rate(l.after.Goodput)
	if l.before != nil {
		figure = number(l.before.Goodput, l.after.Goodput) + " -> " + figure
	}
	s.write(text{x: margin, y: 132, anchor: -1, size: large, bold: true, tone: ink, words: figure,
		within: Width - 2*margin}, f)
	what := l.from + " -> " + l.to + cmp.Or(with, " with 1 stream")
	if l.after.Share != nil && l.after.Ceiling != nil {
		what += ", " + unit.Percent(*l.after.Share) + " of the ceiling (" + rate(l.after.Ceiling) + ")"
	} else {
		what += ", ceiling not known"
	}
	s.write(text{x: margin, y: 196, anchor: -1, size: medium, tone: ink, words: what, within: Width - 2*margin}, f)
	s.title = l.from + " -> " + l.to + ": " + figure
	s.description = figure + ", " + what + "."
}

// lane draws one direction: the track is its ceiling, the filled part what it carried, from the sender on.
func (s *scene) lane(l *lane, y float64, back, worst bool, f *fonts) {
	const x, w = laneX + 12, laneW - 24
	part := func(r *summary.Row, y, h float64, t tone) {
		s.box(x, y, w, h, track)
		if r.Share != nil {
			n := w * min(max(*r.Share, 0), 1)
			s.box(unit.If(back, x+w-n, x), y, n, h, t)
		}
	}
	label := func(r *summary.Row) string {
		if r.Share == nil {
			return rate(r.Goodput) + ", ceiling not known"
		}
		return rate(r.Goodput) + ", " + unit.Percent(*r.Share)
	}
	words := label(l.after)
	if l.before != nil {
		words = number(l.before.Goodput, l.after.Goodput) + " -> " + words
		part(l.before, y+10, 8, faint)
		part(l.after, y+22, laneH-8, fill)
	} else {
		part(l.after, y+10, laneH, fill)
	}
	if back {
		words = "<- " + words
	} else {
		words += " ->"
	}
	s.write(text{x: x + w/2, y: y, size: small, bold: worst, tone: ink, words: words, within: w}, f)
}

// causes writes the bottleneck and its fix.
func (s *scene) causes(c *summary.Summary, f *fonts) {
	const y = 496
	t := text{x: margin, y: y, anchor: -1, size: small, tone: ink, words: clean(c.Verdict), within: Width - 2*margin}
	if c.Bottleneck == "" {
		s.paragraph(t, f)
		s.description += " " + t.words
		return
	}
	t.words, t.bold, t.tone = "Bottleneck "+clean(c.Bottleneck), true, accent
	s.write(t, f)
	s.description += " " + t.words + "."
	if c.Fix != "" {
		t.words, t.y, t.bold, t.tone = "Fix: "+clean(c.Fix), y+small*1.5, false, ink
		s.write(t, f)
		s.description += " " + t.words + "."
	}
}

// footer writes the link and where the figures are from. A lab is marked with the accent.
func (s *scene) footer(all []*summary.Summary, f *fonts) {
	c := all[len(all)-1]
	link := clean(c.Link)
	if c.Lab != "" {
		s.write(text{x: margin, y: 594, anchor: -1, size: small, bold: true, tone: accent,
			words: "Lab " + clean(c.Lab) + ": not real hardware", within: 520}, f)
		s.description += " Lab " + clean(c.Lab) + ": not real hardware."
	} else {
		s.write(text{x: margin, y: 594, anchor: -1, size: small, tone: faint, words: link, within: 520}, f)
	}
	runs := clean(c.Run)
	if len(all) == 2 {
		runs = clean(all[0].Run) + " -> " + runs
	}
	s.write(text{x: Width - margin, y: 594, anchor: 1, size: small, tone: faint,
		words: strings.Join([]string{"linerate " + clean(c.Program), "run " + runs, clean(c.Date)}, ", "), within: 540}, f)
}

// clean makes one line of a text, without control characters.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))), " ")
}
