package facts

import (
	"math"
	"strings"

	"linerate/internal/base/unit"
)

// A lane of InfiniBand, by generation: what it signals, and what is left of that behind its line code (8b/10b up to QDR, then
// 64b/66b, from HDR on with the FEC's own share left out, as the rates of sysfs have it). Source: InfiniBand Trade Association's
// roadmap; linux' rdma/ib_verbs.h (ib_rate) has the products.
var ibLanes = []struct {
	name         string
	signal, data unit.BitRate
}{
	{"SDR", 2.5e9, 2e9}, {"DDR", 5e9, 4e9}, {"QDR", 10e9, 8e9}, {"FDR10", 10.3125e9, 10e9}, {"FDR", 14.0625e9, 14.0625e9 * 64 / 66},
	{"EDR", 25.78125e9, 25e9}, {"HDR", 53.125e9, 50e9}, {"NDR", 106.25e9, 100e9}, {"XDR", 212.5e9, 200e9},
}

// laneRate is what a lane of a generation carries.
func laneRate(generation string) (unit.BitRate, bool) {
	for _, l := range ibLanes {
		if strings.EqualFold(l.name, generation) {
			return l.data, true
		}
	}
	return 0, false
}

// LaneRate is what a lane of a generation of InfiniBand carries; 0: there is none of that name.
func LaneRate(generation string) unit.BitRate {
	r, _ := laneRate(generation)
	return r
}

// generation is that of a lane that signals at a rate in Gb/s ("25.78125"); empty: of none.
func generation(gigabits float64) string {
	for _, l := range ibLanes {
		if math.Abs(float64(l.signal)/1e9-gigabits) < 0.02*gigabits {
			if l.name == "QDR" && math.Abs(gigabits-10.3125) < 0.01 {
				continue
			}
			return l.name
		}
	}
	return ""
}
