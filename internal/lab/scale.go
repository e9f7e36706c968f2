package lab

import (
	"linerate/internal/base/unit"
)

// scales are the scales of a lab, largest first.
func scales() []float64 {
	return []float64{1, 1. / 2, 1. / 4, 1. / 10, 1. / 20, 1. / 40, 1. / 100, 1. / 200, 1. / 400, 1. / 1000}
}

// reserve is how many times over the machine must carry what runs at once. Half of its rate would do on a machine that
// does nothing else; other work that comes and goes takes the rest.
const reserve = 4

// chooseScale returns the largest scale at which busy needs at most 1/reserve of what was calibrated, and whether there is one.
func chooseScale(calibrated, busy unit.BitRate) (float64, bool) {
	all := scales()
	for _, s := range all {
		if float64(busy)*s <= float64(calibrated)/reserve {
			return s, true
		}
	}
	return all[len(all)-1], false
}
