package block

import (
	"math/bits"
	"math/rand/v2"
)

// share is the blocks of the span that belong to one thread: first, first+step, ...; no other thread reads or writes
// them.
type share struct {
	first, step, count int64
}

// shareOf is the share of thread t of n: a contiguous part for a sequential pattern, else every n-th block.
func shareOf(pattern string, blocks int64, t, n int) share {
	i, k := int64(t), int64(n)
	if pattern == PatternSequential || pattern == PatternMixed {
		// Without products that overflow: the first blocks%k threads have one more.
		each, more := blocks/k, blocks%k
		s := share{first: i*each + min(i, more), step: 1, count: each}
		if i < more {
			s.count++
		}
		return s
	}
	return share{first: i, step: k, count: (blocks - i + k - 1) / k}
}

func (s share) block(i int64) int64 { return s.first + i*s.step }

// order gives the numbers 0..n-1 of one share in some order, several with one call, so that the CPU computes more than
// one of them at once.
type order interface{ fill(next []int64) }

type sequence struct{ n, at int64 }

func (s *sequence) fill(next []int64) {
	for i := range next {
		next[i] = s.at
		if s.at++; s.at == s.n {
			s.at = 0
		}
	}
}

// permutation gives each of n numbers once before any is repeated, and in a different order each time, without a table.
// It is a bijection on the numbers of as many bits as n needs, of steps that can each be undone (an odd factor modulo
// the power of two, and a right shift that is added without carry). It skips the numbers above n, which are fewer than
// the others.
type permutation struct {
	n, at  uint64
	mask   uint64
	shift  uint
	random *rand.PCG
	add    uint64
	by     [3]uint64
}

func newPermutation(n int64, seed, stream uint64) *permutation {
	width := max(bits.Len64(uint64(n-1)), 1)
	p := &permutation{n: uint64(n), mask: 1<<width - 1, shift: uint(width+1) / 2, random: rand.NewPCG(seed, stream)}
	p.turn()
	return p
}

// turn draws the order of the next turn.
func (p *permutation) turn() {
	p.at, p.add = 0, p.random.Uint64()
	for i := range p.by {
		p.by[i] = p.random.Uint64()>>3<<3 | 5 // odd, and not 1: steps of 4k+1 and 8k+5 reach every residue
	}
}

func (p *permutation) at1(x uint64) uint64 {
	for {
		x = (x + p.add) & p.mask
		x = x * p.by[0] & p.mask
		x ^= x >> p.shift
		x = x * p.by[1] & p.mask
		x ^= x >> p.shift
		x = x * p.by[2] & p.mask
		x ^= x >> p.shift
		if x < p.n {
			return x
		}
	}
}

func (p *permutation) fill(next []int64) {
	for len(next) > 0 {
		k := int(min(uint64(len(next)), p.n-p.at))
		// These are at1's steps with everything in registers. The numbers of its loop form cycles, so each that begins inside
		// of n ends inside of it, at a place of its own.
		n, at, mask, shift, add, by0, by1, by2 := p.n, p.at, p.mask, p.shift&63, p.add, p.by[0], p.by[1], p.by[2]
		for i := range next[:k] {
			x := (at + add) * by0 & mask
			x ^= x >> shift
			x = x * by1 & mask
			x ^= x >> shift
			x = x * by2 & mask
			x ^= x >> shift
			if x >= n {
				x = p.at1(x)
			}
			next[i] = int64(x)
			at++
		}
		if next, p.at = next[k:], at; at == n {
			p.turn()
		}
	}
}

// mixed gives the next number after the previous one, or, with a given probability, any number.
type mixed struct {
	n, at, limit uint64
	random       *rand.PCG
}

func (m *mixed) fill(next []int64) {
	for i := range next {
		if m.random.Uint64()>>1 < m.limit {
			hi, _ := bits.Mul64(m.random.Uint64(), m.n)
			m.at = hi
		} else if m.at++; m.at >= m.n {
			m.at = 0
		}
		next[i] = int64(m.at)
	}
}

// zipf draws ranks, and spreads them over the share by a fixed permutation.
type zipf struct {
	ranks *rand.Zipf
	place *permutation
}

func newZipf(n int64, theta float64, seed, stream uint64) *zipf {
	return &zipf{rand.NewZipf(rand.New(rand.NewPCG(seed, stream)), theta, 1, uint64(n-1)),
		newPermutation(n, seed, ^stream)}
}

func (z *zipf) fill(next []int64) {
	for i := range next {
		next[i] = int64(z.place.at1(z.ranks.Uint64()))
	}
}

// newOrder is the order in which a thread visits its share.
func newOrder(j Job, s share, thread int) order {
	switch j.Pattern {
	case PatternSequential:
		return &sequence{n: s.count}
	case PatternMixed:
		return &mixed{n: uint64(s.count), limit: uint64(j.Random * (1 << 63)),
			random: rand.NewPCG(j.Seed, uint64(thread)^0x6d78)}
	case PatternZipf:
		return newZipf(s.count, j.Theta, j.Seed, uint64(thread))
	}
	return newPermutation(s.count, j.Seed, uint64(thread))
}
