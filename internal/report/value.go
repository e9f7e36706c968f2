package report

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const notKnown = "not known"

// rate prints bits per second.
func rate(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notKnown
	}
	return unit.BitRate(v).String()
}

func seconds(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return notKnown
	}
	return unit.Seconds(v)
}

// spread prints what the repeats allow to say: "9.40 .. 9.42 Gb/s, range of 3".
func spread(e *record.Estimate) string {
	if e == nil {
		return notKnown
	}
	if e.Repeats < 2 {
		return "one repeat"
	}
	kind := "range of " + strconv.Itoa(e.Repeats)
	if e.Interval != "range" {
		kind = clean(e.Interval) + " interval of " + strconv.Itoa(e.Repeats)
	}
	low, high := rate(e.Low), rate(e.High)
	if l, h, ok := sameUnit(low, high); ok {
		low, high = l, h
	}
	return low + " .. " + high + ", " + kind
}

// sameUnit leaves the unit of low out where high has the same.
func sameUnit(low, high string) (string, string, bool) {
	l, r := strings.Fields(low), strings.Fields(high)
	if len(l) == 2 && len(r) == 2 && l[1] == r[1] {
		return l[0], high, true
	}
	return low, high, false
}

// scale prints a lab's scale: "1/10 scale", or nothing where it is 1.
func scale(lab *record.Lab) string {
	switch {
	case lab == nil || lab.Scale == 1:
		return ""
	case lab.Scale > 0 && lab.Scale < 1:
		return unit.Scale(lab.Scale) + " scale"
	}
	return "scale " + notKnown
}

// labText is what marks every page of a run that was not on real hardware.
func labText(lab *record.Lab) string {
	if lab == nil {
		return ""
	}
	text := "lab"
	if len(lab.Guests) > 0 {
		text = "emulated lab"
	}
	if s := scale(lab); s != "" {
		return text + ", " + s
	}
	return text
}

// labShort marks a single figure: "lab 1/10".
func labShort(lab *record.Lab) string {
	return strings.TrimSuffix(strings.ReplaceAll(labText(lab), ",", ""), " scale")
}

// money prints the totals of a bill of materials: "120 USD, 150 with spares and
// 800 CNY". unpriced is for what has no total to stand in.
func money(totals []record.BOMTotal, unpriced int) string {
	var parts []string
	for _, t := range totals {
		unpriced = max(unpriced, t.Unpriced)
		if t.Amount.Amount() == 0 && t.Unpriced > 0 {
			continue
		}
		s := t.Amount.Add(t.Spares.Times(-1)).Number() + " " + clean(t.Currency)
		if t.Spares.Amount() > 0 {
			s += ", " + t.Amount.Number() + " with spares"
		}
		parts = append(parts, s)
	}
	s := list(parts)
	if unpriced > 0 {
		if s != "" {
			s += ", "
		}
		s += count(unpriced, "item") + " without a price"
	}
	return s
}

// Count prints "1 host", "3 hosts".
func Count(n int, noun string) string { return count(n, noun) }

// count prints "1 host", "3 hosts".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "x"):
		return fmt.Sprintf("%d %ses", n, noun)
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// head is "3 hosts, 3 links, 120 USD".
func head(p *record.Picture) string {
	parts := []string{count(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, count(len(p.Switches), "switch"))
	}
	parts = append(parts, count(len(p.Links), "link"))
	if m := money(p.Totals, 0); m != "" {
		parts = append(parts, m)
	}
	return strings.Join(parts, ", ")
}

// settings prints an experiment's settings in a fixed order, without those of
// skip: "size 128KiB, streams 8".
func settings(s map[string]string, skip ...string) string {
	keys := make([]string, 0, len(s))
next:
	for k := range s {
		for _, no := range skip {
			if k == no {
				continue next
			}
		}
		keys = append(keys, k)
	}
	sort.Strings(keys)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = clean(k) + " " + clean(s[k])
	}
	return strings.Join(parts, ", ")
}

// streams prints the column of a number of streams: "1 stream", "8 streams".
func streams(v string) string {
	if n, err := strconv.Atoi(v); err == nil {
		return count(n, "stream")
	}
	if v == "" {
		return "goodput"
	}
	return clean(v) + " streams"
}
