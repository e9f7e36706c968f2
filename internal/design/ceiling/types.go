package ceiling

import (
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Ceiling is the most that one component allows, with the formula that says so.
type Ceiling struct {
	Rate    unit.BitRate
	Formula string
	Inputs  []record.Input
}

// Times is the ceiling of several of a component at once: so many members of a bond, so many connections.
func (c Ceiling) Times(name string, n int, origin record.Origin) Ceiling {
	c.Rate *= unit.BitRate(n)
	c.Formula = name + " * " + c.Formula
	c.Inputs = append([]record.Input{{Name: name, Value: float64(n), Origin: origin}}, c.Inputs...)
	return c
}
