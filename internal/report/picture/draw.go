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
	machineY = 262
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
		s.force(room{x + machineW/2, machineY + 12, machineW - 20, machineH - 18, 0}, f,
			text{size: medium, bold: true, tone: ink, words: cmp.Or(clean(e.Host), "not known")},
			text{size: small, tone: faint, words: clean(e.NIC)}, text{size: small, tone: faint, words: clean(e.Slot)})
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
	s.force(across(40, 118), f, text{size: large, bold: true, tone: ink, words: figure})
	what := l.from + " -> " + l.to + cmp.Or(with, " with 1 stream")
	if l.after.Share != nil && l.after.Ceiling != nil {
		what += ", " + unit.Percent(*l.after.Share) + " of the ceiling (" + rate(l.after.Ceiling) + ")"
	} else {
		what += ", ceiling not known"
	}
	s.force(across(160, 82), f, text{size: medium, tone: ink, words: what})
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
	s.force(room{x + w/2, y - small, w, small * pitch, 0}, f, text{size: small, bold: worst, tone: ink, words: words})
}

// across returns a room of the whole width.
func across(top, height float64) room { return room{margin, top, Width - 2*margin, height, -1} }

// causes writes the verdict, or the bottleneck and its fix.
func (s *scene) causes(c *summary.Summary, f *fonts) {
	place := across(454, 114)
	if c.Bottleneck == "" {
		s.instead(place, f, text{size: small, tone: ink, words: clean(c.Verdict)}, "Verdict", c)
		return
	}
	what := text{size: small, bold: true, tone: accent, words: "Bottleneck " + clean(c.Bottleneck)}
	s.description += " " + what.words + "."
	if c.Fix == "" {
		s.force(place, f, what)
		return
	}
	s.instead(place, f, text{size: small, tone: ink, words: "Fix: " + clean(c.Fix)}, "Fix", c, what)
}

// instead writes a text below others. Half a sentence or half a command is wrong: for a text that is too long it
// writes which command prints it.
func (s *scene) instead(in room, f *fonts, t text, name string, c *summary.Summary, above ...text) {
	s.description += " " + strings.TrimRight(t.words, ".") + "."
	if !s.stack(in, f, append(above[:len(above):len(above)], t)...) {
		t.words = name + ": too long for a picture; linerate report " + cmp.Or(clean(c.Run), "RUN") + " prints it"
		s.force(in, f, append(above[:len(above):len(above)], t)...)
	}
}

// footer writes the link and where the figures are from. A lab is marked with the accent, and its first words say that
// it is not real hardware.
func (s *scene) footer(all []*summary.Summary, f *fonts) {
	c := all[len(all)-1]
	left := text{size: small, tone: faint, words: clean(c.Link)}
	if c.Lab != "" {
		left.words, left.bold, left.tone = "Not real hardware: lab, "+clean(c.Lab), true, accent
		s.description += " " + left.words + "."
	}
	runs := clean(c.Run)
	if len(all) == 2 {
		runs = clean(all[0].Run) + " -> " + runs
	}
	right := text{size: small, tone: faint,
		words: strings.Join([]string{"linerate " + clean(c.Program), "run " + runs, clean(c.Date)}, ", ")}
	for size := float64(small); size >= smallest; size-- {
		left.size, right.size = size, size
		lw, rw := f.width(left.words, size, left.bold), f.width(right.words, size, right.bold)
		if lw+rw+size > Width-2*margin {
			continue
		}
		s.stack(room{margin, 594 - size, lw + 1, size * pitch, -1}, f, left)
		s.stack(room{Width - margin, 594 - size, rw + 1, size * pitch, 1}, f, right)
		return
	}
	left.size, right.size = small, small
	s.force(across(572, 54), f, left, right)
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
