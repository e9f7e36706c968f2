package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// split cuts "12.5 Gb/s" into the number and its unit. It accepts only a plain decimal number: no exponent, no sign, no
// digit grouping.
func split(s string) (v float64, suffix string, ok bool) {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, "", false
	}
	return v, strings.TrimSpace(s[i:]), true
}

func parseError(s, what, want string) error {
	return fmt.Errorf("%q is not %s; write it as %s", s, what, want)
}

// Significant prints v with three significant digits and trailing zeros kept (9.41, 94.1, 941), the rounding used
// everywhere in linerate. From 1000 on it prints whole numbers.
func Significant(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "not known"
	case a < 1e-12:
		return "0"
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	decimals := 2 - int(math.Floor(math.Log10(a)))
	if r := a * math.Pow10(decimals); math.Round(r) >= 1000 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// scaled prints v with the largest decimal prefix that leaves a number of at least 1.
func scaled(v float64, suffix string) string {
	prefixes := []string{"", "k", "M", "G", "T"}
	for len(prefixes) > 1 && math.Abs(v) >= 999.5 {
		v, prefixes = v/1000, prefixes[1:]
	}
	return Significant(v) + " " + prefixes[0] + suffix
}
