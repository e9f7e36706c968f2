package main

import (
	"os"
	"strings"
	"testing"
)

func recorded(t *testing.T) recording {
	t.Helper()
	f, err := os.Open("recording.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := parse(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(r) < 400 {
		t.Fatalf("%d rounds are recorded, want 400", len(r))
	}
	return r
}

// Of 1,000 comparisons of equal sides, drawn from the recording, fewer than 8 % claim a difference, with any number of
// repeats. With enough repeats a difference of 5 % in CPU time is found at least 9 times in 10.
func TestRecordedErrorRates(t *testing.T) {
	r := recorded(t)
	for _, n := range pairNumbers {
		for name, of := range map[string]figure{"CPU time": cost, "goodput": goodput} {
			if name == "goodput" && n != 10 && n != enoughPairs {
				continue
			}
			claimed, err := r.found(n, 'b', 1, of)
			if err != nil {
				t.Fatal(err)
			}
			if claimed >= 80 {
				t.Errorf("%d repeats: %d of 1000 comparisons of equal sides claim a difference in %s", n, claimed, name)
			}
		}
	}
	for _, factor := range []float64{1.05, 1 / 1.05} {
		if k, err := r.found(enoughPairs, 'b', factor, cost); err != nil || k < 900 {
			t.Errorf("%d repeats: a factor of %.3f is found %d times in 1000, %v", enoughPairs, factor, k, err)
		}
	}
}

// The side that was made to cost more is found at least 9 times in 10.
func TestRecordedCostlySide(t *testing.T) {
	r := recorded(t)
	if k, err := r.found(enoughPairs, 'c', 1, cost); err != nil || k < 900 {
		t.Errorf("%d repeats: the side that wastes CPU time is found %d times in 1000, %v", enoughPairs, k, err)
	}
	resolution, err := r.resolution(enoughPairs)
	if err != nil || resolution <= 0 || resolution > 0.08 {
		t.Errorf("%d repeats claim a resolution of %.3f, %v", enoughPairs, resolution, err)
	}
}

func TestParse(t *testing.T) {
	head := strings.Join(heading, ",") + "\n"
	good := head + "0,a,1,5e9,0.01,0\n0,b,2,5e9,0.01,0\n0,c,3,5e9,0.01,0\n1,a,4,5e9,0.02,0\n"
	r, err := parse(strings.NewReader(good))
	if err != nil || len(r) != 1 || r[0][2].Side != 'c' || r[0][2].Cost != 0.01 {
		t.Errorf("%+v %v", r, err)
	}
	for name, text := range map[string]string{"empty": "", "no heading": "0,a,1,5e9,0.01,0\n",
		"no number": head + "0,a,x,5e9,0.01,0\n", "a fourth side": head + "0,d,1,5e9,0.01,0\n",
		"twice in a row": head + "0,a,1,5e9,0.01,0\n0,a,2,5e9,0.01,0\n",
		"time goes back": head + "0,a,5,5e9,0.01,0\n0,b,4,5e9,0.01,0\n", "nothing measured": head + "0,a,1,0,0.01,0\n",
		"a cell is missing": head + "0,a,1,5e9\n"} {
		if _, err := parse(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
