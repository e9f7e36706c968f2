package stat

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestFitFindsWhatWasPutIn(t *testing.T) {
	// 600 ns a packet, 0.25 ns a byte, 200 ns a call.
	want := []float64{600e-9, 0.25e-9, 200e-9}
	var rows [][]float64
	var y []float64
	for _, c := range [][3]float64{{1e6, 1.448e9, 3e5}, {3.4e5, 3e9, 2e5}, {5e5, 7e8, 1.4e6}, {1e5, 9e8, 9e3}} {
		row := c[:]
		rows = append(rows, row)
		y = append(y, want[0]*row[0]+want[1]*row[1]+want[2]*row[2])
	}
	got, worst, err := Fit(rows, y)
	if err != nil || worst > 1e-9 {
		t.Fatalf("%v, worst %v", err, worst)
	}
	for j := range want {
		if math.Abs(got[j]/want[j]-1) > 1e-9 {
			t.Errorf("coefficient %d is %v, want %v", j, got[j], want[j])
		}
	}
}

// The published two-point fit of a 40GbE link: 12.0 Gb/s at MTU 1500 and 24.5 at 9000, one CPU core full.
func TestFitOfTwoPoints(t *testing.T) {
	rows := [][]float64{{12e9 / 8 / 1460, 12e9 / 8}, {24.5e9 / 8 / 8960, 24.5e9 / 8}}
	got, _, err := Fit(rows, []float64{1, 1})
	if err != nil || math.Abs(got[0]-593e-9) > 1e-9 || math.Abs(got[1]-0.2603e-9) > 0.0002e-9 {
		t.Errorf("%v %v, want 593 ns a packet and 0.2603 ns a byte", got, err)
	}
}

func TestFitSaysWhatItCannotTellApart(t *testing.T) {
	for name, rows := range map[string][][]float64{
		"one MTU":       {{1e6, 1.448e9}, {2e6, 2.896e9}, {3e6, 4.344e9}},
		"MTUs alike":    {{1e6, 1.448e9}, {1e6, 1.548e9}},
		"one row":       {{1e6, 1.448e9}},
		"nothing there": {{0, 1}, {0, 2}},
	} {
		y := make([]float64, len(rows))
		for i := range y {
			y[i] = 1
		}
		if c, _, err := Fit(rows, y); !errors.Is(err, ErrInseparable) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	for name, f := range map[string]func() error{"no rows": func() error { _, _, err := Fit(nil, nil); return err },
		"zero time": func() error { _, _, err := Fit([][]float64{{1}}, []float64{0}); return err },
		"ragged":    func() error { _, _, err := Fit([][]float64{{1, 2}, {1}}, []float64{1, 1}); return err },
		"NaN":       func() error { _, _, err := Fit([][]float64{{math.NaN()}}, []float64{1}); return err },
		"too few":   func() error { _, _, err := Fit([][]float64{{1}}, []float64{1, 1}); return err }} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Errors that are shares of the value leave the coefficients in place.
func TestFitUnderNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows [][]float64
	var y []float64
	for range 200 {
		for _, p := range []float64{1448, 8948} {
			rows = append(rows, []float64{1e9 / p, 1e9})
			y = append(y, (600e-9*1e9/p+0.25e-9*1e9)*(1+0.05*r.NormFloat64()))
		}
	}
	c, worst, err := Fit(rows, y)
	if err != nil || math.Abs(c[0]/600e-9-1) > 0.03 || math.Abs(c[1]/0.25e-9-1) > 0.05 || worst < 0.05 {
		t.Errorf("%v, worst %v, %v", c, worst, err)
	}
}
