package ceiling

import "linerate/unit"

// Origin says where an input of a formula comes from.
type Origin string

// The origins of an input.
const (
	Declared  Origin = "declared"
	Measured  Origin = "measured"
	Assumed   Origin = "assumed"
	Simulated Origin = "simulated"
)

// Input is one number that went into a ceiling.
type Input struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Origin Origin  `json:"origin"`
}

// Ceiling is the most that one component allows, with the formula that says so.
type Ceiling struct {
	Rate    unit.BitRate
	Formula string
	Inputs  []Input
}

// Times is the ceiling of several of a component at once: so many members of a bond, so many connections.
func (c Ceiling) Times(name string, n int, origin Origin) Ceiling {
	c.Rate *= unit.BitRate(n)
	c.Formula = name + " * " + c.Formula
	c.Inputs = append([]Input{{Name: name, Value: float64(n), Origin: origin}}, c.Inputs...)
	return c
}
