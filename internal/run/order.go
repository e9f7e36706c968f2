package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"linerate/internal/base/xslices"
)

// Orders in which the combinations of a run are measured.
const (
	FileOrder     = "file"     // as in the file, the last parameter fastest
	RandomOrder   = "random"   // shuffled by the seed
	BalancedOrder = "balanced" // the shuffle with the values of each parameter spread evenly over time
)

// Orders are the names that CheckOrder accepts.
func Orders() []string { return []string{FileOrder, RandomOrder, BalancedOrder} }

// CheckOrder refuses unknown orders.
func CheckOrder(order string) error {
	if order == "" || slices.Contains(Orders(), order) {
		return nil
	}
	return fmt.Errorf("--order %s: write file, random or balanced", order)
}

// shuffles is how many are tried for a balanced order: enough that in the best one the mean positions of up to ten
// values differ by some percent of the length.
const shuffles = 2000

// order orders n turns by kind; parameters has one value of every parameter for each. What drifts during a run (a CPU
// that warms up, a neighbour) affects one end of a parameter in the file's order; shuffled it affects all values alike.
// Combinations themselves are never split: the counters before and after must be its own, and repeats to compare
// alternate.
func order(kind string, seed uint64, parameters []map[string]string) []int {
	at := make([]int, len(parameters))
	for i := range at {
		at[i] = i
	}
	r := rand.New(rand.NewPCG(seed, 0x6c696e6572617465))
	switch kind {
	case RandomOrder:
		shuffle(r, at)
	case BalancedOrder:
		groups := valuesOf(parameters)
		best := math.Inf(1)
		try := slices.Clone(at)
		for range shuffles {
			shuffle(r, try)
			if b := imbalance(groups, try); b < best {
				best = b
				copy(at, try)
			}
		}
	}
	return at
}

func shuffle(r *rand.Rand, v []int) { r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] }) }

// valuesOf lists the turns of every value, for parameters with several values.
func valuesOf(parameters []map[string]string) [][]int {
	by := map[string]map[string][]int{}
	for i, m := range parameters {
		for k, v := range m {
			if by[k] == nil {
				by[k] = map[string][]int{}
			}
			by[k][v] = append(by[k][v], i)
		}
	}
	var out [][]int
	for _, values := range by {
		if len(values) < 2 {
			continue
		}
		for _, turns := range values {
			out = append(out, turns)
		}
	}
	sort.Slice(out, func(i, j int) bool { return slices.Compare(out[i], out[j]) < 0 }) // only the seed decides
	return out
}

// imbalance is the squared distance of the mean positions of the values from the middle.
func imbalance(groups [][]int, at []int) float64 {
	place := make([]float64, len(at))
	for p, i := range at {
		place[i] = float64(p)
	}
	middle := float64(len(at)-1) / 2
	sum := 0.0
	for _, g := range groups {
		mean := xslices.Sum(g, func(i int) float64 { return place[i] })
		mean /= float64(len(g))
		sum += (mean - middle) * (mean - middle)
	}
	return sum
}
