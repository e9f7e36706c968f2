package report

import (
	"math"
	"strconv"
)

// axis maps values onto pixels, linearly or by their logarithm.
type axis struct {
	low, high float64 // values
	from, to  float64 // pixels
	log       bool
}

func (a axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log10(max(v, 1e-300)), math.Log10(low), math.Log10(high)
	}
	if high <= low {
		return a.from
	}
	share := min(max((v-low)/(high-low), 0), 1)
	return a.from + share*(a.to-a.from)
}

// ticks are round values from low to high, about n of them; on a logarithmic
// axis 1, 2 and 5 of each decade, or the decades alone where those are many.
func (a axis) ticks(n int) []float64 {
	if a.log {
		return a.logTicks(n)
	}
	if a.high <= a.low || n < 1 {
		return nil
	}
	step := math.Pow10(int(math.Floor(math.Log10((a.high - a.low) / float64(n)))))
	for _, k := range []float64{1, 2, 5, 10} {
		if (a.high-a.low)/(step*k) <= float64(n) {
			step *= k
			break
		}
	}
	var out []float64
	for i := math.Ceil(a.low / step); i*step <= a.high*1.0001 && len(out) < 50; i++ {
		out = append(out, i*step)
	}
	return out
}

func (a axis) logTicks(n int) []float64 {
	if a.low <= 0 || a.high <= a.low {
		return nil
	}
	for _, digits := range [][]float64{{1, 2, 5}, {1}} {
		var out []float64
		for d := math.Floor(math.Log10(a.low)); d <= math.Log10(a.high) && len(out) < 100; d++ {
			for _, k := range digits {
				if v := k * math.Pow(10, d); v >= a.low*0.9999 && v <= a.high*1.0001 {
					out = append(out, v)
				}
			}
		}
		if len(out) <= n || len(digits) == 1 {
			return out
		}
	}
	return nil
}

// rateTick prints a value of an axis whose highest is high, all in one unit.
func rateTick(v, high float64) string {
	for _, u := range []struct {
		k    float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if high >= u.k {
			return trimZeros(v / u.k)
		}
	}
	return trimZeros(v)
}

// rateUnit is the unit of the ticks that rateTick prints.
func rateUnit(high float64) string {
	for _, u := range []struct {
		k    float64
		name string
	}{{1e12, "Tb/s"}, {1e9, "Gb/s"}, {1e6, "Mb/s"}, {1e3, "kb/s"}} {
		if high >= u.k {
			return u.name
		}
	}
	return "b/s"
}

// trimZeros prints a round number as people write it on an axis: 0, 2.5, 200.
func trimZeros(v float64) string {
	if v == math.Trunc(v) {
		return px(v)
	}
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
}
