package command

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// byPattern reads with a pattern that has one group around the number.
func byPattern(pattern, unit string) func(string) (reading, error) {
	return func(text string) (reading, error) {
		re, err := regexp.Compile(pattern)
		if err != nil || re.NumSubexp() != 1 {
			return reading{}, fmt.Errorf("%q is not a regular expression with one group ( )", pattern)
		}
		all := re.FindAllStringSubmatchIndex(text, -1)
		if len(all) == 0 {
			return reading{}, fmt.Errorf("nothing in it matches %q", pattern)
		}
		var found *reading
		for _, m := range all {
			if m[2] < 0 {
				return reading{}, fmt.Errorf("%q matches without its group ( )", pattern)
			}
			word := text[m[2]:m[3]]
			v, err := numberOf(word)
			if err != nil {
				return reading{}, fmt.Errorf("%q matches %q, which is not a number", pattern, Brief(word))
			}
			if found != nil && found.value != v {
				return reading{}, fmt.Errorf(
					"%q matches %d times, with %s and %s: one figure is wanted; make the pattern longer, or print only one", pattern,
					len(all), strconv.FormatFloat(found.value, 'g', -1, 64), strconv.FormatFloat(v, 'g', -1, 64))
			}
			if found == nil {
				found = &reading{v, unit, Brief(lineAt(text, m[2]))}
			}
		}
		return *found, nil
	}
}

// numberOf reads a decimal number, with or without commas between groups of three digits.
func numberOf(word string) (float64, error) {
	word = strings.TrimSuffix(strings.TrimSpace(word), ",")
	if grouped.MatchString(word) {
		word = strings.ReplaceAll(word, ",", "")
	}
	if !decimal.MatchString(word) {
		return 0, errors.New("no number")
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, errors.New("no number")
	}
	return v, nil
}

var (
	grouped = regexp.MustCompile(`^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)
	decimal = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`)
)

// lineAt is the line of a text at an offset.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return text[from : at+n]
	}
	return text[from:]
}

// Brief shortens a text to one line for records and messages.
func Brief(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + ".."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
}
