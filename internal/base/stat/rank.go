package stat

import "math"

// Up to these numbers of values per side the null distributions are counted; beyond, the normal approximation is right
// to the fourth digit.
const (
	exactPairs = 100
	exactApart = 40
)

// signedRank returns the null distribution of Wilcoxon's signed rank statistic of n values without ties: index w holds
// the probability that the ranks of the positive ones add up to w.
func signedRank(n int) []float64 {
	size := n*(n+1)/2 + 1
	if n > exactPairs {
		f := float64(n)
		return bell(size, f*(f+1)*(2*f+1)/24)
	}
	p := make([]float64, size)
	p[0] = 1
	top := 0
	for rank := 1; rank <= n; rank++ {
		top += rank
		for w := top; w >= 0; w-- {
			p[w] /= 2
			if w >= rank {
				p[w] += p[w-rank] / 2
			}
		}
	}
	return p
}

// rankSum returns the null distribution of the Mann-Whitney statistic of m and n values without ties: index u holds the
// probability that u of the m x n pairs have the second value above the first.
func rankSum(m, n int) []float64 {
	if m > exactApart || n > exactApart {
		f, g := float64(m), float64(n)
		return bell(m*n+1, f*g*(f+g+1)/12)
	}
	// The largest of all values is one of the second set with probability j / (i+j), and then above all i of the first.
	row := make([][]float64, n+1)
	for j := range row {
		row[j] = []float64{1}
	}
	for i := 1; i <= m; i++ {
		next := make([][]float64, n+1)
		next[0] = []float64{1}
		for j := 1; j <= n; j++ {
			p := make([]float64, i*j+1)
			second := float64(j) / float64(i+j)
			for u, x := range row[j] {
				p[u] += (1 - second) * x
			}
			for u, x := range next[j-1] {
				p[u+i] += second * x
			}
			next[j] = p
		}
		row = next
	}
	return row[n]
}

// bell returns a normal distribution over the whole numbers below size, around their middle.
func bell(size int, variance float64) []float64 {
	p := make([]float64, size)
	scale := math.Sqrt(2 * variance)
	below := 0.0
	for i := range p {
		x := (float64(i) + 0.5 - float64(size-1)/2) / scale
		upTo := math.Erfc(-x) / 2
		p[i], below = upTo-below, upTo
	}
	return p
}

// cut returns the largest k at which the probability of k or less is at most 2.5 %: the order statistics k and len-1-k
// (from 0) bound a 95 % interval. -1: there is none.
func cut(p []float64) int {
	k, sum := -1, 0.0
	for i := range p {
		if sum += p[i]; sum > 0.025+1e-12 {
			break
		}
		k = i
	}
	return k
}

// twoSided returns the probability of a statistic at least as far from its middle as w.
func twoSided(p []float64, w float64) float64 {
	w = min(w, float64(len(p)-1)-w)
	sum := 0.0
	for i := 0; float64(i) <= w+1e-9; i++ {
		sum += p[i]
	}
	return min(1, 2*sum)
}
