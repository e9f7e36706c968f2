package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noise makes alternating repeats A B A B with the disturbances of a shared machine, each larger than on a quiet one,
// in CPU seconds a gigabit. The cost drifts slowly with frequency, caches and neighbours (a first-order process with a
// correlation of 0.9 from repeat to repeat and 4 % spread). Every repeat varies by another 2 %. One in ten coincides
// with other work and costs up to a third more. The shape is assumed; recordings are in tools/bench.
type noise struct {
	r     *rand.Rand
	drift float64
}

func (s *noise) next() float64 {
	s.drift = 0.9*s.drift + s.r.NormFloat64()*0.04*math.Sqrt(1-0.9*0.9)
	v := s.drift + s.r.NormFloat64()*0.02
	if s.r.Float64() < 0.1 {
		v += s.r.Float64() * 0.3
	}
	return math.Exp(v)
}

// recording returns 400 alternating repeats per side; B costs factor times A.
func recording(seed uint64, factor float64) (a, b []float64) {
	s := &noise{r: rand.New(rand.NewPCG(seed, 7))}
	for range 400 {
		a = append(a, s.next())
		b = append(b, factor*s.next())
	}
	return a, b
}

// claims returns the share of 1000 comparisons that find a difference. Each compares n pairs drawn from recordings of
// 400. The pairs of one comparison are neighbours, as in a measurement.
func claims(t *testing.T, factor float64, n int) float64 {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 13))
	found := 0
	for recorded := range uint64(20) {
		a, b := recording(recorded, factor)
		for range 50 {
			at := r.IntN(len(a) - n)
			c, err := Paired(a[at:at+n], b[at:at+n])
			if err != nil {
				t.Fatal(err)
			}
			if c.Different() {
				found++
			}
		}
	}
	return float64(found) / 1000
}

// Of 1000 comparisons between equal sides fewer than 8 % claim a difference; between sides 5 % apart at least 90 % find
// it with 25 pairs.
func TestErrorRates(t *testing.T) {
	for _, n := range []int{6, 10, 15, 20, 25} {
		equal, apart := claims(t, 1, n), claims(t, 1.05, n)
		t.Logf("%d pairs: equal sides %.1f %%, 5 %% apart %.1f %%", n, equal*100, apart*100)
		if equal >= 0.08 {
			t.Errorf("%d pairs: %.1f %% of comparisons between equal sides claim a difference", n, equal*100)
		}
		if n == 25 && apart < 0.9 {
			t.Errorf("%d pairs: only %.1f %% find a difference of 5 %%", n, apart*100)
		}
	}
}

// TestDriftIsTakenForADifference shows the limit of Unpaired: sets measured one after the other under the same drift
// differ.
func TestDriftIsTakenForADifference(t *testing.T) {
	s := &noise{r: rand.New(rand.NewPCG(3, 5))}
	found := 0
	for range 500 {
		var v [20]float64
		for i := range v {
			v[i] = s.next()
		}
		if c, err := Unpaired(v[:10], v[10:]); err != nil {
			t.Fatal(err)
		} else if c.Different() {
			found++
		}
	}
	if found < 75 { // 15 %
		t.Errorf("only %d of 500 equal sets that were not interleaved differ: the warning with them would be needless",
			found)
	}
}

func TestWarmup(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 29))
	flat := func(n int, spread float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 1e9 * math.Exp(r.NormFloat64()*spread)
		}
		return v
	}
	// Steady series, from a full link (0.1 %) to a loaded machine (15 %): at most 1 in 100 is reported as warming up.
	for _, spread := range []float64{0, 0.001, 0.02, 0.15} {
		for _, n := range []int{8, 10, 50, 100} {
			wrong := 0
			for range 1000 {
				if Warmup(flat(n, spread)).Skip > 0 {
					wrong++
				}
			}
			if wrong > 10 {
				t.Errorf("%d slices with %.1f %% spread: %d of 1000 steady series warm up", n, spread*100, wrong)
			}
		}
	}
	// A slow start of a tenth to a third at half the rate is found, and its length.
	for _, n := range []int{10, 50, 100} {
		for _, part := range []float64{0.1, 0.3} {
			found, exact := 0, 0
			for range 200 {
				v := flat(n, 0.02)
				head := int(part * float64(n))
				for i := range v[:head] {
					v[i] *= 0.5
				}
				s := Warmup(v)
				if s.Skip > 0 && s.Shift > 0 {
					found++
				}
				if s.Skip >= head && s.Skip <= head+1 {
					exact++
				}
			}
			if found < 180 || exact < 150 {
				t.Errorf("%d slices, %.0f %% of them slow: found %d, with its length %d of 200", n, part*100, found, exact)
			}
		}
	}
	// A burst before the shaper takes effect is a warm-up, too; a climb to the end has no steady part.
	burst := flat(50, 0.01)
	for i := range burst[:5] {
		burst[i] *= 2
	}
	if s := Warmup(burst); s.Skip != 5 || s.Shift >= 0 {
		t.Errorf("a burst of 5 slices: %+v", s)
	}
	for _, v := range [][]float64{nil, {1}, make([]float64, 20), {math.NaN(), 1, 1, 1, 1, 1, 1, 1, 1},
		{math.Inf(1), 1, 1, 1, 1, 1, 1, 1}} {
		if s := Warmup(v); s.Skip != 0 {
			t.Errorf("%v: %+v", v, s)
		}
	}
}
