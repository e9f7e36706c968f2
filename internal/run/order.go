package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Orders in which the cells of a run are measured.
const (
	FileOrder     = "file"     // as the file has them, the last axis fastest
	RandomOrder   = "random"   // shuffled by the seed
	BalancedOrder = "balanced" // the shuffle in which the values of each axis come equally early
)

// Orders are the names that CheckOrder takes.
func Orders() []string { return []string{FileOrder, RandomOrder, BalancedOrder} }

// CheckOrder refuses what is no order.
func CheckOrder(order string) error {
	if order == "" || slices.Contains(Orders(), order) {
		return nil
	}
	return fmt.Errorf("--order %s: write file, random or balanced", order)
}

// shuffles is how many are tried for a balanced order: enough that the best leaves
// axes of up to ten values with mean places some percent of the length apart.
const shuffles = 2000

// order puts n turns into the order asked for; axes are what each stands for, one
// value of every axis. Whatever drifts while a run goes on (a processor that warms up, a
// neighbour) falls on one end of an axis in the file's order; shuffled it falls on all
// values alike. Cells themselves are never cut apart for it: the counters before and after one
// must be its own, and repeats that are to be compared are measured in turns.
func order(kind string, seed uint64, axes []map[string]string) []int {
	at := make([]int, len(axes))
	for i := range at {
		at[i] = i
	}
	r := rand.New(rand.NewPCG(seed, 0x6c696e6572617465))
	switch kind {
	case RandomOrder:
		shuffle(r, at)
	case BalancedOrder:
		groups := valuesOf(axes)
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

// valuesOf lists for every value of every axis with several the turns that have it.
func valuesOf(axes []map[string]string) [][]int {
	by := map[string]map[string][]int{}
	for i, m := range axes {
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
	sort.Slice(out, func(i, j int) bool { return slices.Compare(out[i], out[j]) < 0 }) // the seed alone decides
	return out
}

// imbalance is how far the mean places of the values lie from the middle, squared.
func imbalance(groups [][]int, at []int) float64 {
	place := make([]float64, len(at))
	for p, i := range at {
		place[i] = float64(p)
	}
	middle := float64(len(at)-1) / 2
	sum := 0.0
	for _, g := range groups {
		mean := 0.0
		for _, i := range g {
			mean += place[i]
		}
		mean /= float64(len(g))
		sum += (mean - middle) * (mean - middle)
	}
	return sum
}
