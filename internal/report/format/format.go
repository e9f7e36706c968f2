package format

import (
	"fmt"
	"math"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// Cleaned returns the texts, each safe to print; see Clean.
func Cleaned(list []string) []string { return append([]string{}, xslices.Map(list, Clean)...) }

// Bits prints an amount of data in bits: 21.0 Gb.
func Bits(v float64) string { return strings.TrimSuffix(Rate(v), "/s") }

// InputNumber prints an input of a formula: a rate as such, other whole numbers exactly.
func InputNumber(name string, v float64) string {
	if strings.Contains(name, "rate") && v >= 1000 {
		return Rate(v)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return fmt.Sprint(int64(v))
	}
	return unit.Significant(v)
}

// Sentence capitalizes a text and ends it with a full stop, unless it ends with a colon. Identifiers keep their form.
func Sentence(text string) string {
	text = Clean(text)
	first, _, _ := strings.Cut(text, " ")
	if first != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,:'") == "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if text != "" && !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// Number prints a value, given in its base unit, in the usual form of that unit.
func Number(v float64, u string) string {
	switch u {
	case "bits per second", "b/s", "bit/s":
		return Rate(v)
	case "s", "seconds":
		return unit.Seconds(v)
	case "bytes", "B":
		return unit.Bytes(v).String()
	case "share":
		return unit.Percent(v)
	case "share of a core", "share of busy time":
		return unit.Percent(v) + strings.TrimPrefix(u, "share")
	case "", "1":
		return unit.Significant(v)
	}
	return unit.Significant(v) + " " + Clean(u)
}

// ProblemText returns a problem of the plan in one line.
func ProblemText(p record.Problem) string {
	s := Clean(p.Subject) + ": " + Clean(p.Message)
	if fix := Clean(p.Fix); fix != "" {
		s += "; " + fix
	}
	return s
}

// NotKnown replaces a missing value in reports.
const NotKnown = "not known"

// Rate prints bits per second.
func Rate(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return NotKnown
	}
	return unit.BitRate(v).String()
}

// Seconds prints a time, which is known where it is above 0.
func Seconds(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return NotKnown
	}
	return unit.Seconds(v)
}

// Took prints how long a run took, in whole seconds: "45 s", "1 min 07 s", "2 h 05 min".
func Took(d time.Duration) string {
	s := int(math.Round(d.Seconds()))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", max(1, s))
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
}

// Spread prints the interval of the repeats: "9.40 .. 9.42 Gb/s, range of 3".
func Spread(e *record.Estimate) string {
	if e == nil {
		return NotKnown
	}
	return SpreadAs(e, Rate)
}

// SpreadAs prints the interval of the repeats of a figure that text prints.
func SpreadAs(e *record.Estimate, text func(float64) string) string {
	if e.Repeats < 2 {
		return "one repeat"
	}
	kind := "range"
	if e.Interval != "range" {
		kind = Clean(e.Interval) + " interval"
	}
	low, high := text(e.Low), text(e.High)
	if l, h, ok := SameUnit(low, high); ok {
		low, high = l, h
	}
	return fmt.Sprintf("%s .. %s, %s of %d", low, high, kind, e.Repeats)
}

// SameUnit omits the unit of low where high has the same.
func SameUnit(low, high string) (string, string, bool) {
	l, r := strings.Fields(low), strings.Fields(high)
	if len(l) == 2 && len(r) == 2 && l[1] == r[1] {
		return l[0], high, true
	}
	return low, high, false
}

// Money prints the totals of a bill of materials: "120 USD, 150 with spares and 800 CNY". unpriced is the number of
// items without a price where there is no total.
func Money(totals []record.BOMTotal, unpriced int) string {
	var parts []string
	for _, t := range totals {
		unpriced = max(unpriced, t.Unpriced)
		if t.Amount.Amount() == 0 && t.Unpriced > 0 {
			continue
		}
		s := t.Amount.Add(t.Spares.Times(-1)).Number() + " " + Clean(t.Currency)
		if t.Spares.Amount() > 0 {
			s += ", " + t.Amount.Number() + " with spares"
		}
		parts = append(parts, s)
	}
	s := unit.List(parts)
	if unpriced > 0 {
		if s != "" {
			s += ", "
		}
		s += unit.Counted(unpriced, "item") + " without a price"
	}
	return s
}

// Shorten cuts text that is too long for a drawing. The tables have the whole text.
func Shorten(s string, n int) string {
	s = Clean(s)
	if r := []rune(s); len(r) > n && n > 1 {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Groups divides a list by a key, in the order of the first occurrence of each key.
func Groups[K comparable, T any](list []T, key func(T) K) [][]T {
	var out [][]T
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}
