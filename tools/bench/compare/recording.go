package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/stat"
)

// sides are the sides of a recording in the order of a round: a and b are equal, c costs more CPU time.
const sides = "abc"

// value is one short run.
type value struct {
	Round          int
	Side           byte          // of sides
	Begin          time.Duration // since the first run
	Goodput        float64       // bits per second
	Cost           float64       // CPU seconds of both ends a gigabit
	OtherProcesses float64       // cores
}

var heading = []string{"round", "side", "begin_ms", "goodput_bps", "cpu_s_per_gb", "foreign_cores"}

func (v value) record() []string {
	return []string{strconv.Itoa(v.Round), string(v.Side), strconv.FormatInt(v.Begin.Milliseconds(), 10),
		strconv.FormatFloat(v.Goodput, 'g', 5, 64), strconv.FormatFloat(v.Cost, 'g', 5, 64),
		strconv.FormatFloat(v.OtherProcesses, 'f', 2, 64)}
}

// recording is rounds with one run of each side.
type recording [][len(sides)]value

// parse reads a recording: comma-separated values below their heading, one run a line, in the order of measurement.
func parse(r io.Reader) (recording, error) {
	all, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 || strings.Join(all[0], ",") != strings.Join(heading, ",") {
		return nil, fmt.Errorf("the first line is not %s", strings.Join(heading, ","))
	}
	var out recording
	last := time.Duration(-1)
	for i, f := range all[1:] {
		fail := func(what string) (recording, error) { return nil, fmt.Errorf("line %d: %s", i+2, what) }
		var v value
		var failed error
		number := func(text string) float64 {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				failed = err
			}
			return x
		}
		v.Round, v.Begin = int(number(f[0])), time.Duration(number(f[2]))*time.Millisecond
		v.Goodput, v.Cost, v.OtherProcesses = number(f[3]), number(f[4]), number(f[5])
		at := strings.Index(sides, f[1])
		switch {
		case failed != nil:
			return fail(failed.Error())
		case len(f[1]) != 1 || at < 0:
			return fail("side " + f[1] + " is none of " + sides)
		case v.Begin <= last:
			return fail("it did not begin after the one before")
		case v.Round != i/len(sides) || at != i%len(sides):
			return fail("the sides do not take turns")
		case !(v.Goodput > 0) || !(v.Cost > 0):
			return fail("it has measured nothing")
		}
		v.Side, last = f[1][0], v.Begin
		if at == 0 {
			out = append(out, [len(sides)]value{})
		}
		out[v.Round][at] = v
	}
	if n := len(all) - 1; n%len(sides) != 0 {
		out = out[:n/len(sides)] // the last round is not complete
	}
	return out, nil
}

// figure is a value that is compared.
type figure func(value) float64

func cost(v value) float64    { return v.Cost }
func goodput(v value) float64 { return v.Goodput }

// side is a figure of one side.
func (r recording) side(at byte, of figure) []float64 {
	out := make([]float64, len(r))
	for i := range r {
		out[i] = of(r[i][strings.IndexByte(sides, at)])
	}
	return out
}

const drawnComparisons = 1000

// found is how many of 1,000 comparisons of so many pairs find a difference between side a and another side, whose
// figure is multiplied by a factor. Both runs of a pair are of one round; the rounds of a comparison are drawn without
// replacement. Every second comparison of the equal sides swaps them.
func (r recording) found(pairs int, other byte, factor float64, of figure) (int, error) {
	random := rand.New(rand.NewPCG(17, uint64(pairs)))
	n := 0
	for i := range drawnComparisons {
		drawn := make(recording, pairs)
		for k, at := range random.Perm(len(r))[:pairs] {
			drawn[k] = r[at]
		}
		a, b := drawn.side('a', of), drawn.side(other, of)
		if i%2 == 1 && other == 'b' {
			a, b = b, a
		}
		for k := range b {
			b[k] *= factor
		}
		c, err := stat.Paired(a, b)
		if err != nil {
			return 0, err
		}
		if c.Different() {
			n++
		}
	}
	return n, nil
}

// pairNumbers are the numbers of pairs of the table.
var pairNumbers = []int{6, 10, 16, 25, 40, 60, 80}

// enoughPairs is the number of pairs with which comparisons drawn from the recording find a difference of 5 % in CPU
// time 9 times in 10, see the test.
const enoughPairs = 80
