package unit

import (
	"fmt"
	"math"
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

// Percent prints a share (0.974) as "97.4 %", in whole percent from 99.95 on.
func Percent(share float64) string { return Significant(share*100) + " %" }

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
