package block

import (
	"math/rand/v2"
	"testing"
)

func next(o order) int64 {
	var one [1]int64
	o.fill(one[:])
	return one[0]
}

// The order does not depend on how many numbers one call takes.
func TestOrderByTheDozen(t *testing.T) {
	for _, j := range []Job{{Pattern: PatternSequential}, {Pattern: PatternRandom}, {Pattern: PatternMixed, Random: 0.5},
		{Pattern: PatternZipf, Theta: 1.1}} {
		one, dozen := newOrder(j, share{count: 100}, 1), newOrder(j, share{count: 100}, 1)
		var some [12]int64
		for i := range 600 {
			if i%12 == 0 {
				dozen.fill(some[:])
			}
			if x := next(one); x != some[i%12] {
				t.Fatalf("%s: number %d is %d alone, and %d among a dozen", j.Pattern, i, x, some[i%12])
			}
		}
	}
}

// Every block belongs to exactly one thread.
func TestSharesCoverTheSpanOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		threads := 1 + r.IntN(20)
		blocks := int64(threads + r.IntN(500))
		for _, pattern := range []string{PatternRandom, PatternSequential, PatternZipf} {
			owner := make([]int, blocks)
			for i := range threads {
				s := shareOf(pattern, blocks, i, threads)
				if s.count < blocks/int64(threads) || s.count > blocks/int64(threads)+1 {
					t.Fatalf("%s: thread %d of %d has %d of %d blocks", pattern, i, threads, s.count, blocks)
				}
				for k := range s.count {
					owner[s.block(k)]++
				}
			}
			for b, n := range owner {
				if n != 1 {
					t.Fatalf("%s: block %d of %d belongs to %d of %d threads", pattern, b, blocks, n, threads)
				}
			}
		}
	}
}

// Each once before any is repeated, and a different order each turn.
func TestPermutation(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 4, 5, 7, 8, 9, 100, 127, 128, 129, 1000, 65535, 65536, 65537} {
		p := newPermutation(n, 7, 3)
		var turns [3][]int64
		for turn := range turns {
			seen := make([]bool, n)
			for range n {
				i := next(p)
				if i < 0 || i >= n || seen[i] {
					t.Fatalf("n %d, turn %d: %d is out of range or comes twice", n, turn, i)
				}
				seen[i] = true
				turns[turn] = append(turns[turn], i)
			}
		}
		same := 0
		for i := range turns[0] {
			if turns[0][i] == turns[1][i] {
				same++
			}
		}
		if n > 100 && same > int(n)/10 {
			t.Errorf("n %d: two turns have the same block in %d places", n, same)
		}
	}
}

// The numbers are spread: neighbours in time are far apart, each eighth of the span comes about equally often in every
// part of a turn, and few requests follow one another on the medium.
func TestPermutationIsRandom(t *testing.T) {
	const n = 1 << 16
	for seed := range uint64(20) {
		p := newPermutation(n-5, seed, 0)
		var eighths [8][8]int
		var distance float64
		neighbours, last := 0, int64(0)
		for i := range n - 5 {
			x := next(p)
			eighths[i*8/n][x*8/n]++
			d := max(x-last, last-x)
			distance += float64(d)
			if d == 1 {
				neighbours++
			}
			last = x
		}
		for i, row := range eighths {
			for k, c := range row {
				if c < 800 || c > 1250 { // 1024 on average; a random draw deviates by 30
					t.Errorf("seed %d: %d of part %d lie in eighth %d", seed, c, i, k)
				}
			}
		}
		if mean := distance / n; mean < n*0.28 || mean > n*0.39 { // a third
			t.Errorf("seed %d: two requests are %.3f of the span apart on average", seed, mean/n)
		}
		if neighbours > 30 { // 2 are expected
			t.Errorf("seed %d: %d requests follow the one before", seed, neighbours)
		}
	}
}

func TestZipf(t *testing.T) {
	const n, draws = 10000, 200000
	z := newZipf(n, 1.1, 4, 0)
	counts := make([]int, n)
	for range draws {
		counts[next(z)]++
	}
	hot, at := 0, 0
	for i, c := range counts {
		if c > hot {
			hot, at = c, i
		}
	}
	// With exponent 1.1 over 10000 the first has 1/6.3 of all.
	if share := float64(hot) / draws; share < 0.12 || share > 0.20 {
		t.Errorf("the hottest block has %.3f of all requests", share)
	}
	if at == 0 {
		t.Errorf("the hottest block is the first one: it is not spread")
	}
}

func TestSequence(t *testing.T) {
	o := newOrder(Job{Pattern: PatternSequential}, share{count: 3}, 0)
	for i := range 9 {
		if x := next(o); x != int64(i%3) {
			t.Errorf("request %d is of block %d", i, x)
		}
	}
}

func BenchmarkPermutation(b *testing.B) {
	p := newPermutation(1<<18-77, 1, 1)
	var some [32]int64
	for range b.N / len(some) {
		p.fill(some[:])
	}
}

// Pattern mixed sends its share anywhere, and all others to the block after the previous one; none is outside of the
// share.
func TestMixed(t *testing.T) {
	for _, share := range []float64{0.2, 0.5, 0.8} {
		const n, turns = 10_000, 200_000
		o := newOrder(Job{Pattern: PatternMixed, Random: share, Seed: 5}, shareOf(PatternMixed, 3*n, 1, 3), 1)
		last, behind, low, high := int64(0), 0, 0, 0
		for range turns {
			i := next(o)
			if i < 0 || i >= n {
				t.Fatalf("block %d of %d", i, n)
			}
			if i == (last+1)%n {
				behind++
			}
			if i < n/10 {
				low++
			}
			if i >= n-n/10 {
				high++
			}
			last = i
		}
		if got := 1 - float64(behind)/turns; got < share-0.01 || got > share+0.01 {
			t.Errorf("%v at random, not %v", got, share)
		}
		if low == 0 || high == 0 {
			t.Errorf("%v: %d in the first tenth, %d in the last", share, low, high)
		}
	}
	if s := shareOf(PatternMixed, 100, 1, 4); s.first != 25 || s.step != 1 || s.count != 25 {
		t.Errorf("the second of four threads has %+v", s)
	}
	for _, j := range []Job{{Pattern: PatternMixed}, {Pattern: PatternMixed, Random: 1}, {Pattern: PatternRandom,
		Random: 0.5}} {
		j.Target, j.Size, j.Read, j.Depth, j.Threads, j.Interval = "x", 4096, 1, 1, 1, 1
		if len(j.Check()) != 1 {
			t.Errorf("%+v: %v", j, j.Check())
		}
	}
}
