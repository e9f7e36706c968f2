package halo

import "slices"

// Grid is processes on a torus: rank r is in column r mod Columns of row r / Columns, and beyond each edge the grid
// goes on at the other side.
type Grid struct{ Columns, Rows int }

// GridOf is the grid of n processes that is nearest to a square, at least as wide as high: the factors that
// MPI_Dims_create chooses for two dimensions.
func GridOf(n int) Grid {
	rows := 1
	for f := 2; f*f <= n; f++ {
		if n%f == 0 {
			rows = f
		}
	}
	return Grid{Columns: n / rows, Rows: rows}
}

// The sides of a process's tile, in the order in which the phases of an exchange take them.
const (
	north = iota
	south
	west
	east
	sides
)

// opposite is the side at which a neighbour gets what leaves a process at side.
func opposite(side int) int { return side ^ 1 }

// neighbour is the rank beyond a side of a rank's tile; in a dimension of one it is the rank itself.
func (g Grid) neighbour(rank, side int) int {
	row, column := rank/g.Columns, rank%g.Columns
	switch side {
	case north:
		row = (row + g.Rows - 1) % g.Rows
	case south:
		row = (row + 1) % g.Rows
	case west:
		column = (column + g.Columns - 1) % g.Columns
	case east:
		column = (column + 1) % g.Columns
	}
	return row*g.Columns + column
}

// edge returns the number of the edge at a rank's side, and whether the rank is its first end: each rank is the first
// end of the edges at its south and east. Two ranks may share several, where a dimension is two or one.
func (g Grid) edge(rank, side int) (number int, first bool) {
	switch side {
	case south:
		return 2 * rank, true
	case east:
		return 2*rank + 1, true
	case north:
		return 2 * g.neighbour(rank, north), false
	}
	return 2*g.neighbour(rank, west) + 1, false
}

// hostOf returns the host of a rank: ranks are placed cyclically.
func hostOf(rank, hosts int) int { return rank % hosts }

// ranksOf returns the ranks of one host, in rising order.
func ranksOf(host, hosts, processes int) []int {
	var out []int
	for r := host; r < processes; r += hosts {
		out = append(out, r)
	}
	return out
}

// Neighbours counts the sides of all processes by where the neighbour is: on another host, on the same one, or the
// process itself.
func Neighbours(processes, hosts int) (remote, local, self int) {
	g := GridOf(processes)
	for r := range processes {
		for side := range sides {
			switch n := g.neighbour(r, side); {
			case n == r:
				self++
			case hostOf(n, hosts) == hostOf(r, hosts):
				local++
			default:
				remote++
			}
		}
	}
	return remote, local, self
}

// Pairs returns the pairs of hosts with processes that are neighbours, each once, the lower number first.
func Pairs(processes, hosts int) [][2]int {
	g := GridOf(processes)
	var out [][2]int
	for r := range processes {
		for side := range sides {
			pair := [2]int{hostOf(r, hosts), hostOf(g.neighbour(r, side), hosts)}
			if pair[0] < pair[1] && !slices.Contains(out, pair) {
				out = append(out, pair)
			}
		}
	}
	return out
}
