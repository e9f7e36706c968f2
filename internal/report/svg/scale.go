package svg

import (
	"math"
	"strconv"

	"linerate/internal/base/unit"
)

// Scale maps values onto pixels, linearly or by their logarithm.
type Scale struct {
	Low, High float64 // values
	From, To  float64 // pixels
	Log       bool
}

// At returns the pixel of a value. Values outside are at the nearer end.
func (a Scale) At(v float64) float64 {
	low, high := a.Low, a.High
	if a.Log {
		v, low, high = math.Log10(max(v, 1e-300)), math.Log10(low), math.Log10(high)
	}
	if high <= low {
		return a.From
	}
	share := min(max((v-low)/(high-low), 0), 1)
	return a.From + share*(a.To-a.From)
}

// Ticks are round values from low to high, about n of them; on a logarithmic scale 1, 2 and 5 of each decade, or only
// the decades where those are many.
func (a Scale) Ticks(n int) []float64 {
	if a.Log {
		return a.logTicks(n)
	}
	if a.High <= a.Low || n < 1 {
		return nil
	}
	step := math.Pow10(int(math.Floor(math.Log10((a.High - a.Low) / float64(n)))))
	for _, k := range []float64{1, 2, 5, 10} {
		if (a.High-a.Low)/(step*k) <= float64(n) {
			step *= k
			break
		}
	}
	var out []float64
	for i := math.Ceil(a.Low / step); i*step <= a.High*1.0001 && len(out) < 50; i++ {
		out = append(out, i*step)
	}
	return out
}

func (a Scale) logTicks(n int) []float64 {
	if a.Low <= 0 || a.High <= a.Low {
		return nil
	}
	for _, digits := range [][]float64{{1, 2, 5}, {1}} {
		var out []float64
		for d := math.Floor(math.Log10(a.Low)); d <= math.Log10(a.High) && len(out) < 100; d++ {
			for _, k := range digits {
				if v := k * math.Pow(10, d); v >= a.Low*0.9999 && v <= a.High*1.0001 {
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

// RateTick prints a value of a scale whose highest is high, all in one unit.
func RateTick(v, high float64) string {
	for _, u := range []struct {
		k    float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if high >= u.k {
			return TrimZeros(v / u.k)
		}
	}
	return TrimZeros(v)
}

// RateUnit is the unit of the ticks that RateTick prints.
func RateUnit(high float64) string {
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

// TrimZeros prints a round number of a scale: 0, 2.5, 200.
func TrimZeros(v float64) string {
	if v == math.Trunc(v) {
		return Px(v)
	}
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
}

// ShortSeconds prints a round value of a scale: "50 us".
func ShortSeconds(v float64) string {
	for _, u := range []struct {
		k    float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}} {
		if v >= u.k*0.9999 {
			return TrimZeros(math.Round(v/u.k*100)/100) + " " + u.name
		}
	}
	return unit.Seconds(v)
}
