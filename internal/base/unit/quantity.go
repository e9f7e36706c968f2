package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads "10s", "0.1ms", "4us", "2m", "1h". A bare number is refused.
func ParseDuration(s string) (time.Duration, error) {
	v, suffix, ok := split(s)
	k, known := map[string]float64{"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9,
		"h": 3600e9}[suffix]
	if !ok || !known || v*k > 1e18 {
		return 0, parseError(s, "a duration", "10s, 500ms, 4us, 2m or 1h")
	}
	return time.Duration(v * k), nil
}

// Seconds prints a duration given in seconds with three significant digits: "54.5 us".
func Seconds(v float64) string {
	switch {
	case v == 0:
		return "0 s"
	case v < 0.9995e-6:
		return Significant(v*1e9) + " ns"
	case v < 0.9995e-3:
		return Significant(v*1e6) + " us"
	case v < 0.9995:
		return Significant(v*1e3) + " ms"
	}
	return Significant(v) + " s"
}

// ParsePercent reads "70%" as 0.7.
func ParsePercent(s string) (float64, error) {
	v, suffix, ok := split(s)
	if !ok || suffix != "%" {
		return 0, parseError(s, "a percentage", "70%")
	}
	return v / 100, nil
}

// Percent prints a share (0.974) in whole percent: "97 %". Below 10 % and from 99 % to 100 % it has one decimal, and
// below 0.1 % two significant digits, because a share of lost packets may be small without being zero.
func Percent(share float64) string {
	v := share * 100
	a, digits := math.Abs(v), 0
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Significant(v)
	case a < 1e-12:
		return "0 %"
	case a < 0.0995:
		digits = 1 - int(math.Floor(math.Log10(a)))
		if math.Round(a*math.Pow10(digits)) >= 100 {
			digits--
		}
	case a < 9.95 || a >= 98.95 && a < 99.95:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " %"
}

// Apart prints how far two sides of a sum are apart. What is below a thousandth is rounding, and has no digits.
func Apart(share float64) string {
	if math.Abs(share) < 0.001 {
		return "less than 0.1 % apart"
	}
	return Percent(share) + " apart"
}

// ExactPercent prints a share that somebody chose (0.125) with all its digits: "12.5 %".
func ExactPercent(share float64) string { return strconv.FormatFloat(share*100, 'g', 10, 64) + " %" }

// ParseMetres reads a cable's length: "3m", "0.5m", "50 m".
func ParseMetres(s string) (float64, error) {
	v, suffix, ok := split(s)
	if !ok || !strings.EqualFold(suffix, "m") || v <= 0 {
		return 0, parseError(s, "a length", "3m or 0.5m")
	}
	return v, nil
}

// Count prints a number of things with three significant digits: "813 k", "14.9 M".
func Count(v float64) string { return strings.TrimSpace(scaled(v, "")) }

// Scale prints a lab's scale as a fraction, "1/10", or as a decimal where it is not one over a whole number: "0.3".
func Scale(scale float64) string {
	if n := math.Round(1 / scale); scale > 0 && scale <= 1 && math.Abs(n*scale-1) < 1e-9 {
		return fmt.Sprintf("1/%.0f", n)
	}
	return fmt.Sprintf("%g", scale)
}
