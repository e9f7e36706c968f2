package summary

import (
	"strconv"

	"linerate/internal/base/unit"
)

// known is a figure that can be printed, and be true: nil, negative and endless ones cannot, nor those beyond any machine, for which no column has room.
func known(v *float64, most float64) bool {
	return v != nil && *v >= 0 && *v < most
}

// Bounds of figures.
const (
	mostRate    = 1e15 // bits a second
	mostBytes   = 9e12 // a second
	mostIOPS    = 1e9
	mostSeconds = 99
	mostShare   = 1e4
	mostCores   = 1e5
)

func printed(v *float64, most float64, as func(float64) string) string {
	if !known(v, most) {
		return NotKnown
	}
	return as(*v)
}

func rateText(v *float64) string {
	return printed(v, mostRate, func(v float64) string {
		if v < 0.01 {
			return small(v) + " b/s"
		}
		return unit.BitRate(v).String()
	})
}

func secondsText(v *float64) string {
	return printed(v, mostSeconds, func(v float64) string {
		if v < 0.01e-9 {
			return small(v*1e9) + " ns"
		}
		return unit.Seconds(v)
	})
}

func shareText(v *float64) string {
	return printed(v, mostShare, func(v float64) string { return small(v*100) + " %" })
}

func coresText(v *float64) string { return printed(v, mostCores, small) }

// small has three significant digits, as everywhere, but not more than three decimals of what is next to nothing, for which no column has room.
func small(v float64) string {
	if v >= 0.00995 {
		return unit.Significant(v)
	}
	if s := strconv.FormatFloat(v, 'f', 3, 64); s != "0.010" {
		return s
	}
	return "0.0100"
}

// fixed prints a figure in a unit with so many decimals, as CrystalDiskMark's rows have them.
func fixed(v *float64, most, unit float64, decimals int) string {
	return printed(v, most, func(v float64) string { return strconv.FormatFloat(v/unit, 'f', decimals, 64) })
}

func ptr(v float64) *float64 { return &v }
