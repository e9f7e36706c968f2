package ceiling

import (
	"fmt"
	"math"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// made returns a ceiling. It refuses a rate that is not positive and finite.
func made(rate float64, formula string, inputs ...record.Input) (Ceiling, error) {
	for _, in := range inputs {
		if math.IsNaN(in.Value) || math.IsInf(in.Value, 0) {
			return Ceiling{}, diag.Advise(fmt.Errorf("%s of a ceiling is %v", in.Name, in.Value)).
				Note("it needs a finite number")
		}
	}
	if math.IsNaN(rate) || math.IsInf(rate, 0) || rate < 0 {
		return Ceiling{}, diag.Advise(fmt.Errorf("the ceiling %s comes out as %v bits per second", formula, rate)).
			Note("its inputs are outside of what the formula holds for")
	}
	return Ceiling{Rate: unit.BitRate(rate), Formula: formula, Inputs: inputs}, nil
}

// positive refuses everything except finite numbers above zero.
func positive(name string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return diag.Advise(fmt.Errorf("%s is %v", name, v)).Note("a ceiling needs a finite number above 0")
	}
	return nil
}

// number is an input that must be above zero.
type number struct {
	name  string
	value float64
}

func allPositive(numbers ...number) error {
	for _, n := range numbers {
		if err := positive(n.name, n.value); err != nil {
			return err
		}
	}
	return nil
}

func declared(name string, v float64) record.Input {
	return record.Input{Name: name, Value: v, Origin: record.Declared}
}
func assumed(name string, v float64) record.Input {
	return record.Input{Name: name, Value: v, Origin: record.Assumed}
}

// With returns c with the origin of the named input set to o. A formula cannot know whether a link's rate is declared,
// measured or simulated.
func (c Ceiling) With(name string, o record.Origin) Ceiling {
	in := make([]record.Input, len(c.Inputs))
	copy(in, c.Inputs)
	for i := range in {
		if in[i].Name == name {
			in[i].Origin = o
		}
	}
	c.Inputs = in
	return c
}

// Lowest returns the index of the lowest of the ceilings, the first of equals; -1 if there is none.
func Lowest(cs []Ceiling) int {
	low := -1
	for i, c := range cs {
		if low < 0 || c.Rate < cs[low].Rate {
			low = i
		}
	}
	return low
}

// Ceiling is the most that one component allows, with its formula.
type Ceiling struct {
	Rate    unit.BitRate
	Formula string
	Inputs  []record.Input
}

// Times is the ceiling of n components at once, such as the members of a bond, or connections.
func (c Ceiling) Times(name string, n int, origin record.Origin) Ceiling {
	c.Rate *= unit.BitRate(n)
	c.Formula = name + " * " + c.Formula
	c.Inputs = append([]record.Input{{Name: name, Value: float64(n), Origin: origin}}, c.Inputs...)
	return c
}
