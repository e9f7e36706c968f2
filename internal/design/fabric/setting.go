package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
)

// setting is a key of an experiment that becomes a parameter, as the table of methods declares it.
type setting struct{ method.Setting }

// settingNamed returns the setting of a key; via, from and to are texts.
func settingNamed(key string) setting {
	s, ok := method.SettingOf(key)
	if !ok {
		s = method.Setting{Key: key, Kind: method.Text}
	}
	return setting{s}
}

// parameter reads one setting's values: a list, one value, or A..B in doublings.
func (d *decoder) parameter(key *node, value *node, subject, of string, s setting) (Parameter, bool) {
	a := Parameter{Key: s.Key, At: key.at}
	items := []*node{value}
	if value.kind == list {
		items = value.items
	}
	ok := true
	seen := map[string]bool{}
	for _, n := range items {
		if d.src.stopped {
			return a, false
		}
		if n.kind != scalar {
			d.bad(diag.ValueKind, n.at, subject, fmt.Sprintf("%s takes values, not %s", s.Key, n.describe()), "",
				fmt.Sprintf("write %s: [A, B]", s.Key))
			ok = false
			continue
		}
		values, c := s.values(n.text, of)
		if c != nil {
			d.bad(c.id, n.at, subject, c.message, c.limit, c.fix)
			ok = false
		}
		for _, v := range values {
			if c := s.canonical(v); seen[c] {
				d.bad(diag.ValueTwice, n.at, subject, fmt.Sprintf("%s %s is in the list twice", s.Key, quote(v)),
					"each value is measured once",
					"delete one, and write repeats: for more measurements")
			} else {
				seen[c] = true
			}
			a.Values = append(a.Values, v)
		}
	}
	if len(items) == 0 {
		d.bad(diag.ValueMissing, value.at, subject, fmt.Sprintf("the list of %s is empty", s.Key), "",
			"write a value, or delete the key")
		ok = false
	}
	return a, ok
}

// values reads one value or a range, and returns what is wrong with it.
func (s setting) values(text, of string) ([]string, *complaint) {
	if low, high, ok := strings.Cut(text, ".."); ok && s.doubles() {
		return s.doublings(strings.TrimSpace(low), strings.TrimSpace(high), of)
	}
	if c := s.check(text, of); c != nil {
		return nil, c
	}
	return []string{text}, nil
}

func (s setting) doubles() bool {
	return s.Kind == method.Count || s.Kind == method.Bytes || s.Kind == method.Time || s.Kind == method.Rate
}

// check returns what is wrong with one value.
func (s setting) check(text, of string) *complaint {
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f }) || len(text) > maxText {
		return &complaint{diag.ValueText, quote(text) + " has control characters or is too long", "", "write one plain line"}
	}
	switch s.Kind {
	case method.Word:
		words := s.WordsFor(of)
		if words == nil || slices.Contains(words, text) {
			return nil
		}
		fix := meantChoice(s.Key, text, words)
		if meant := method.MeantValue(s.Key, text); slices.Contains(words, meant) {
			fix = fmt.Sprintf("write %s: %s", s.Key, meant)
		}
		return &complaint{diag.ValueUnknown, fmt.Sprintf("unknown %s %s", s.Key, quote(text)),
			fmt.Sprintf("%s of %s is %s", s.Key, of, orList(words)), fix}
	case method.Load:
		parts, ok := ParseBlockLoads(text)
		if !ok || slices.ContainsFunc(parts, func(p BlockPart) bool { return strings.HasSuffix(p.Block, "B") }) {
			return &complaint{diag.ValueUnit, quote(text) + " is not a load",
				"a load is order, block size, queue depth and threads",
				"write SEQ1M-Q8T1, RND4K-Q32T16 or MIX80-8K-Q8T1\n" +
					"for several in parallel, with shares of reads: RND8K-Q32T1:70%+SEQ32K-Q1T1:0%"}
		}
		return nil
	case method.Text:
		if text == "" {
			return &complaint{diag.ValueMissing, s.Key + " is empty", "", "write a value, or delete the key"}
		}
		return nil
	}
	v, err := s.number(text)
	switch {
	case err != nil && s.Kind == method.Count:
		fix := "write digits only"
		if a, b, ok := strings.Cut(text, "-"); ok && s.check(a, of) == nil && s.check(b, of) == nil {
			fix = fmt.Sprintf("write [%s, %s], or %s..%s for doublings", a, b, a, b)
		}
		return &complaint{diag.ValueNumber, quote(text) + " is not a whole number", "", fix}
	case err != nil:
		return unitComplaint(s.Key, text, err)
	case v < s.Low || s.Highest(of) > 0 && v > s.Highest(of):
		_, within, _ := strings.Cut(s.limit(of), " is ")
		return &complaint{diag.ValueNumber, fmt.Sprintf("%s %s is out of range", s.Key, visible(text)), s.limit(of),
			"write a value " + strings.Replace(within, "at least", "of at least", 1)}
	}
	return nil
}

// unitComplaint turns an error of package unit, which ends in "; write it as ..", into a complaint about a key.
func unitComplaint(key, text string, err error) *complaint {
	words, fix, _ := strings.Cut(err.Error(), "; ")
	if _, what, ok := strings.Cut(words, " is not "); ok {
		words = quote(text) + " is not " + what
	}
	return &complaint{diag.ValueUnit, words, "", strings.NewReplacer("write it as", "write "+key+":",
		" for bits per second", " (bits per second)").Replace(fix)}
}

// number returns a value in base units.
func (s setting) number(text string) (float64, error) {
	switch s.Kind {
	case method.Count:
		n, err := strconv.ParseUint(text, 10, 52)
		return float64(n), err
	case method.Bytes:
		b, err := unit.ParseBytes(text)
		return float64(b), err
	case method.Time:
		t, err := unit.ParseDuration(text)
		return t.Seconds(), err
	case method.Rate:
		if n, err := strconv.ParseUint(text, 10, 40); err == nil && s.Key == "limit" {
			return float64(n), nil // requests per second
		}
		r, err := unit.ParseBitRate(text)
		return float64(r), err
	case method.Share:
		return unit.ParsePercent(text)
	case method.Ratio:
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v, nil
		}
		return 0, fmt.Errorf("%q is not a number; write it as 1e-12", text)
	}
	return 0, fmt.Errorf("%s is not a number", s.Key)
}

// canonical returns the same text for equal values: 1KiB and 1024.
func (s setting) canonical(text string) string {
	if v, err := s.number(text); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// limit describes the numbers that the setting accepts.
func (s setting) limit(of string) string {
	unitOf := map[method.Kind]string{method.Time: " s", method.Rate: " b/s", method.Bytes: " bytes"}[s.Kind]
	switch {
	case s.Kind == method.Share:
		return s.Key + " is from 0% to 100%"
	case s.Kind == method.Bytes && s.Highest(of) > 0:
		return fmt.Sprintf("%s of %s is from %s to %s", s.Key, of, unit.Bytes(s.Low), unit.Bytes(s.Highest(of)))
	case s.Highest(of) > 0:
		return fmt.Sprintf("%s is from %g to %.7g%s", s.Key, s.Low, s.Highest(of), unitOf)
	}
	if s.Low == 1 {
		unitOf = strings.TrimSuffix(unitOf, "s")
	}
	return fmt.Sprintf("%s is at least %g%s", s.Key, s.Low, unitOf)
}

// doublings expands A..B to A, 2A, 4A .. up to B.
func (s setting) doublings(low, high, of string) (values []string, c *complaint) {
	for _, text := range []string{low, high} {
		if c := s.check(text, of); c != nil {
			return nil, c
		}
	}
	a, _ := s.number(low) // checked above
	b, _ := s.number(high)
	if a <= 0 || a > b {
		return nil, &complaint{diag.ValueNumber, fmt.Sprintf("the range %s does not rise", quote(low+".."+high)),
			"A..B is A, 2A, 4A " +
				"up to B", "write the smaller value first, above 0"}
	}
	number, suffix := low, ""
	if i := strings.IndexFunc(low, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		number, suffix = low[:i], strings.TrimSpace(low[i:])
	}
	first, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return nil, &complaint{diag.ValueNumber, quote(low) + " is not a number", "", "write A..B with numbers"}
	}
	for v, k := a, first; v <= b*1.0000001 && len(values) < 64; v, k = 2*v, 2*k {
		text := strconv.FormatFloat(k, 'f', -1, 64) + suffix
		if s.Kind == method.Bytes {
			text = strings.ReplaceAll(unit.Bytes(v).String(), " ", "")
			if exact, err := unit.ParseBytes(text); err != nil || float64(exact) != v {
				text = strconv.FormatFloat(v, 'f', 0, 64) + "B"
			}
		}
		values = append(values, text)
	}
	return values, nil
}
